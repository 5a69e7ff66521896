import StorageEngine

/// A key path whose names are all resolved in the schema.
struct ResolvedKeyPath {
    /// A step from objects of one class to objects of another class.
    struct Hop {
        enum Kind {
            /// A to-one link, or an embedded object.
            case one
            /// A list, set or map.
            case many
            /// The objects that refer here through a property of another class.
            case referrers(table: Int)
        }

        let kind: Kind
        /// The column of the current class. For referrers, the column of their class.
        let column: Int
        let target: ManagedClass
    }

    /// The end of a path.
    enum End {
        /// The object itself: `SELF`, or a variable alone.
        case object
        /// A property: one value, a link, or a collection.
        case property(PropertyModel, column: Int)
        /// The objects that refer here.
        case referrers(Hop)
        /// The keys of a map.
        case keys(PropertyModel, column: Int)
        /// The value of a map for a key.
        case entry(PropertyModel, column: Int, key: String)
        /// A part of a mixed value.
        case part(PropertyModel, column: Int, [QueryPath.MixedStep])
    }

    enum Operator: Equatable {
        case count
        case aggregate(QueryAggregate)
    }

    var hops: [Hop] = []
    /// The class of the objects at the end of the hops.
    var last: ManagedClass
    var end = End.object
    /// The operator that is applied to all values at the end.
    var operation: Operator?
    /// The variable of the object with which the path begins; nil if it is the current object.
    var origin: QueryVariable?
    private let syntax: KeyPathSyntax

    init(from start: ManagedClass, _ syntax: KeyPathSyntax) {
        last = start
        self.syntax = syntax
    }

    /// The path as it was written.
    var text: String { syntax.description }
    var position: Int { syntax.position }

    /// Whether the path can lead to several values, of which any is compared.
    var leadsToMany: Bool {
        if operation != nil { return false }
        let crosses = hops.contains { if case .one = $0.kind { false } else { true } }
        switch end {
        case .object, .entry, .part: return crosses
        case .property(let property, _): return crosses || property.shape.collection != .none
        case .referrers, .keys: return true
        }
    }

    /// Whether the path leads to one value, through to-one links that can be null.
    var mayEndAtNullLink: Bool {
        if hops.isEmpty || leadsToMany || operation != nil { return false }
        // With `[#any]` there is no value instead of a null value.
        if case .part(_, _, let steps) = end { return !steps.contains(.any) }
        return true
    }

    /// The type of the values at the end; nil for objects themselves.
    var type: ValueType? {
        switch end {
        case .object: nil
        case .property(let property, _), .entry(let property, _, _): property.shape.type
        case .referrers: .link
        case .keys: .string
        case .part: .mixed
        }
    }

    /// The class of the objects at the end; nil for values.
    var targetClass: ManagedClass? {
        switch end {
        case .object: last
        case .property(let property, let column), .entry(let property, let column, _):
            property.shape.isLink ? last.linkTarget(column: column) : nil
        case .referrers(let hop): hop.target
        case .keys, .part: nil
        }
    }

    /// Returns a condition on the object with which the path begins as a condition on the current
    /// object.
    func bound(_ condition: QueryCondition) -> QueryCondition {
        origin.map { .bound($0, condition) } ?? condition
    }

    /// Returns a condition on the objects at the end of the hops as a condition on the object at
    /// their beginning.
    ///
    /// - Parameters:
    ///   - condition: The condition on the objects at the end.
    ///   - matchesNullLinks: Whether the condition holds if a link along the path is null. This is
    ///     only the case for comparisons with nil, because there is no value for other comparisons.
    func through(
        _ condition: QueryCondition, matchesNullLinks: Bool = false
    ) -> QueryCondition {
        hops.reversed().reduce(condition) { condition, hop in
            switch hop.kind {
            case .one, .many:
                let linked = QueryCondition.link(column: hop.column, condition)
                return matchesNullLinks
                    ? .or([.value(column: hop.column, .isNull), linked]) : linked
            case .referrers(let table):
                return .referrer(table: table, column: hop.column, condition)
            }
        }
    }

    /// The condition that a link along the path is null. Only valid if the path can end at a null
    /// link.
    var endsAtNullLink: QueryCondition { through(.constant(false), matchesNullLinks: true) }

    /// The values at the end, or the result of the operator applied to them.
    var expression: QueryExpression {
        let expression: QueryExpression
        switch (queryPath, operation) {
        case (nil, _): expression = .object
        case (let path?, .count?): expression = .count(path)
        case (let path?, .aggregate(let aggregate)?): expression = .aggregate(aggregate, path)
        case (let path?, nil): expression = .values(path)
        }
        return origin.map { .bound($0, expression) } ?? expression
    }

    /// The path in the form of plans.
    var queryPath: QueryPath? {
        let steps = hops.map { hop -> QueryPath.Step in
            switch hop.kind {
            case .one, .many: .link(column: hop.column)
            case .referrers(let table): .referrers(table: table, column: hop.column)
            }
        }
        switch end {
        case .object: return nil
        case .property(_, let column): return QueryPath(steps: steps, end: .column(column))
        case .keys(_, let column): return QueryPath(steps: steps, end: .keys(column))
        case .entry(_, let column, let key):
            return QueryPath(steps: steps, end: .entry(column, key: Array(key.utf8)))
        case .part(_, let column, let parts):
            return QueryPath(steps: steps, end: .part(column, parts))
        case .referrers(let hop):
            guard case .referrers(let table) = hop.kind else { return nil }
            return QueryPath(steps: steps, end: .referrers(table: table, column: hop.column))
        }
    }
}
