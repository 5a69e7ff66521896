import StorageEngine

extension ObservedClass {
    /// The properties that decide which objects a query has, and in which order, besides which
    /// objects there are.
    ///
    /// Nil if they cannot be named, because a condition refers to an object around the one that it
    /// tests.
    static func decisive(for query: ResultsQuery) -> ObservedClass? {
        let observed = paths([], of: query.managedClass)
        for operation in query.operations {
            switch operation {
            case .filter(let condition, _):
                guard observed.add(condition) else { return nil }
            case .sort(_, let orders), .distinct(_, let orders):
                for order in orders { observed.add(order) }
            }
        }
        if case .backlinks(let managed) = query.origin { observed.add(column: managed.column) }
        return observed
    }

    private func add(_ order: QueryOrder) {
        var observed = self
        for column in order.links { observed = observed.following(links: column) }
        observed.add(column: order.column)
    }

    /// Returns false if the properties that the condition depends on cannot be named.
    private func add(_ condition: QueryCondition) -> Bool {
        switch condition {
        case .constant, .keys: return true
        case .not(let part): return add(part)
        case .and(let parts), .or(let parts): return parts.allSatisfy { add($0) }
        case .value(let column, _): add(column: column)
        case .link(let column, let part): return following(links: column).add(part)
        case .referrer(let table, let column, let part):
            return following(referrers: column, ofTable: table).add(part)
        case .values(let expression, _, _): return add(expression)
        case .pairs(let left, let right, _, _): return add(left) && add(right)
        case .bound: return false
        case .object: addAllColumns()
        }
        return true
    }

    private func add(_ expression: QueryExpression) -> Bool {
        switch expression {
        case .constant, .object: return true
        case .values(let path), .count(let path), .aggregate(_, let path): add(path)
        case .countMatching(let path, let condition):
            add(path)
            return objects(atEndOf: path)?.add(condition) ?? false
        case .countMatchingEach, .bound: return false
        }
        return true
    }

    private func add(_ path: QueryPath) {
        let observed = following(path.steps)
        switch path.end {
        case .column(let column), .keys(let column), .entry(let column, _), .part(let column, _):
            observed.add(column: column)
        case .referrers(let table, let column):
            _ = observed.following(referrers: column, ofTable: table)
        }
    }

    /// Returns the class at the end of a path; nil if the path ends in values.
    private func objects(atEndOf path: QueryPath) -> ObservedClass? {
        let observed = following(path.steps)
        return switch path.end {
        case .column(let column): observed.following(links: column)
        case .referrers(let table, let column):
            observed.following(referrers: column, ofTable: table)
        case .keys, .entry, .part: nil
        }
    }

    private func following(_ steps: [QueryPath.Step]) -> ObservedClass {
        var observed = self
        for step in steps {
            switch step {
            case .link(let column): observed = observed.following(links: column)
            case .referrers(let table, let column):
                observed = observed.following(referrers: column, ofTable: table)
            }
        }
        return observed
    }

    private func following(links column: Int) -> ObservedClass {
        add(column: column)
        return branch(.links(column: column), to: managedClass.linkTarget(column: column))
    }

    private func following(referrers column: Int, ofTable number: Int) -> ObservedClass {
        branch(.referrers(column: column), to: managedClass.realm.managedClass(ofTable: number))
    }
}
