import StorageEngine

/// A key path of which every name has been found in the schema.
struct ResolvedKeyPath {
    /// A way from objects of a class to those of another.
    struct Hop {
        enum Kind {
            /// A to-one link, or an embedded object.
            case one
            /// A list, set or map.
            case many
            /// What leads here through a property of another class.
            case referrers(table: Int)
        }

        let kind: Kind
        /// Of the class at hand; for referrers, of the class that they are of.
        let column: Int
        let target: ManagedClass
    }

    /// Where the path ends.
    enum End {
        /// The object itself: `SELF`, or a variable alone.
        case object
        /// A property: one value, a link, or a collection.
        case property(PropertyModel, column: Int)
        /// Objects that lead here.
        case referrers(Hop)
        /// The keys of a map.
        case keys(PropertyModel, column: Int)
        /// The value of a map for a key.
        case entry(PropertyModel, column: Int, key: String)
        /// Something inside a mixed value.
        case part(PropertyModel, column: Int, [QueryPath.MixedStep])
    }

    enum Operator: Equatable {
        case count
        case aggregate(QueryAggregate)
    }

    var hops: [Hop] = []
    /// The class of the objects that the hops lead to.
    var last: ManagedClass
    var end = End.object
    /// What is made of all values at the end.
    var operation: Operator?
    /// Stands for the object that the path begins with, unless that is the one at hand.
    var origin: QueryVariable?
    private let syntax: KeyPathSyntax

    init(from start: ManagedClass, _ syntax: KeyPathSyntax) {
        last = start
        self.syntax = syntax
    }

    /// As it was written.
    var text: String { syntax.description }
    var position: Int { syntax.position }

    /// Whether the path may lead to several values, of which any is compared.
    var leadsToMany: Bool {
        if operation != nil { return false }
        let crosses = hops.contains { if case .one = $0.kind { false } else { true } }
        switch end {
        case .object, .entry, .part: return crosses
        case .property(let property, _): return crosses || property.shape.collection != .none
        case .referrers, .keys: return true
        }
    }

    /// Whether the path leads to one value, through to-one links that may be null.
    var mayEndAtNullLink: Bool {
        if hops.isEmpty || leadsToMany || operation != nil { return false }
        // Where all parts are asked for, there are none.
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

    /// A condition on the object that the path begins with, as one on the object at hand.
    func bound(_ condition: QueryCondition) -> QueryCondition {
        origin.map { .bound($0, condition) } ?? condition
    }

    /// Leads a condition of the objects at the end of the hops back to their beginning.
    ///
    /// - Parameter matchesNullLinks: Whether the condition holds where a link on the way is null.
    ///   No comparison with a constant does, because there is nothing to compare, but that with nil.
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

    /// Whether a link on the way to the end is null, of a path that may end at one.
    var endsAtNullLink: QueryCondition { through(.constant(false), matchesNullLinks: true) }

    /// The value or values at the end, or what is made of them.
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

    /// As plans take it.
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
