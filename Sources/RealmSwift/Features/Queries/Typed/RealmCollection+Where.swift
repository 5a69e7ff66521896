extension AggregatableCollection {
    /// Returns the objects that satisfy a condition.
    ///
    /// ```swift
    /// let tanDogs = dogs.where { $0.color == "tan" && $0.name.starts(with: "B") }
    /// ```
    /// The closure is called once, with a ``Query`` that represents each object. The order of the
    /// objects is preserved, and the search starts when the results are used. The keys of a map
    /// that have no object are left out.
    ///
    /// - Precondition: A predicate can express the condition, and the collection is a managed
    ///   collection of objects.
    public func `where`(
        _ isIncluded: (Query<AggregatedValue>) -> Query<Bool>
    ) -> Results<AggregatedValue> {
        let condition = isIncluded(Query())
        return attempt { Results(query: try _querySource.filtered(condition)) }
    }
}

extension RealmCollection {
    /// Returns the position of the first object that satisfies a condition; nil if there is none.
    /// See ``AggregatableCollection/where(_:)``.
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

extension QuerySource {
    /// Returns the objects that satisfy a condition. Stops the program if the collection cannot be
    /// queried.
    ///
    /// - Throws: ``InvalidPredicate`` if the condition is not valid for the class.
    func filtered(_ condition: Query<Bool>) throws -> ResultsQuery {
        let expression = condition.expression
        if expression.comparesWithConstantsOnly {
            let query = query()
            // A rejected condition is resolved again as a predicate, which gives the reason.
            if let resolved = try? query.managedClass.condition(expression) {
                return try query.filtered(resolved)
            }
        }
        let predicate = condition.predicate
        return try query().filtered(predicate, format: "")
    }
}
