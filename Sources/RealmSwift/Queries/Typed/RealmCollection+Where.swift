extension RealmCollection {
    /// The objects for which a condition is true.
    ///
    /// ```swift
    /// let tanDogs = dogs.where { $0.color == "tan" && $0.name.starts(with: "B") }
    /// ```
    /// The closure is called once, with a ``Query`` that stands for each object. The order stays,
    /// and nothing is looked for before the results are used. A condition that no predicate can
    /// express stops the program; so do collections of values and unmanaged ones.
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        let condition = isIncluded(Query())
        return attempt { Results(query: try _querySource.filtered(condition)) }
    }

    /// The position of the first object for which a condition is true; nil if there is none. See
    /// ``where(_:)``.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
        let condition = isIncluded(Query())
        return attempt {
            let source = _querySource
            if source.isUnmanaged {
                return try _unmanagedIndex(matching: condition.predicate, format: "")
            }
            return try source.filtered(condition).firstPosition(in: source.query())
        }
    }
}

extension RealmKeyedCollection {
    /// The values for which a condition is true: see ``RealmCollection/where(_:)``. Keys without an
    /// object are left out.
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
        let condition = isIncluded(Query())
        return attempt { Results(query: try _querySource.filtered(condition)) }
    }
}

extension _QuerySource {
    /// The objects for which a condition is true. A collection that cannot be queried stops the
    /// program.
    ///
    /// - Throws: ``InvalidPredicate``.
    func filtered(_ condition: Query<Bool>) throws -> ResultsQuery {
        let expression = condition.expression
        if expression.comparesWithConstantsOnly {
            let query = query()
            // What is refused is resolved again as a predicate, which tells why.
            if let resolved = try? query.managedClass.condition(expression) {
                return try query.filtered(resolved)
            }
        }
        let predicate = condition.predicate
        return try query().filtered(predicate, format: "")
    }
}
