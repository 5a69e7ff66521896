import StorageEngine

extension AggregatableCollection {
    /// Returns the objects that match a predicate.
    ///
    /// ```swift
    /// let tanDogs = dogs.filter("color == 'tan' AND name BEGINSWITH %@", "B")
    /// ```
    /// The order of the objects is preserved. The search starts when the results are used. The keys
    /// of a map that have no object are left out.
    ///
    /// - Parameters:
    ///   - predicateFormat: The condition on the objects.
    ///   - args: The arguments for `%@` (values), `%K` (key paths) and `%d` (numbers).
    /// - Precondition: The predicate is valid for the class, and the collection is a managed
    ///   collection of objects.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<AggregatedValue> {
        attempt { Results(query: try _querySource.filtered(predicateFormat, args)) }
    }

    /// Returns the objects that match a parsed predicate.
    ///
    /// - Parameters:
    ///   - syntax: The predicate.
    ///   - format: The predicate as it was given, for messages.
    /// - Throws: ``InvalidPredicate`` if the predicate is not valid for the class.
    func _filtered(
        _ syntax: PredicateSyntax, format: String
    ) throws -> Results<AggregatedValue> {
        Results(query: try _querySource.query().filtered(syntax, format: format))
    }
}

extension RealmCollection {
    /// Returns the position of the first element that matches a predicate; nil if there is none.
    /// See ``AggregatableCollection/filter(_:_:)``.
    ///
    /// The elements of an unmanaged collection can be values, which are named `SELF` in the
    /// predicate.
    ///
    /// - Precondition: The predicate is valid.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        attempt {
            let source = _querySource
            if source.isUnmanaged {
                let syntax = try PredicateParser.parse(predicateFormat, args.map(unwrapped))
                return try _unmanagedIndex(matching: syntax, format: predicateFormat)
            }
            let matches = try source.filtered(predicateFormat, args)
            return matches.firstPosition(in: source.query())
        }
    }

    /// Returns the first position of an object that matches a parsed predicate.
    ///
    /// - Throws: ``InvalidPredicate`` if the predicate is not valid for the class.
    func _index(matching syntax: PredicateSyntax, format: String) throws -> Int? {
        let source = _querySource
        if source.isUnmanaged { return try _unmanagedIndex(matching: syntax, format: format) }
        let query = source.query()
        let matches = try query.filtered(syntax, format: format)
        return matches.firstPosition(in: query)
    }

    /// Returns the first position of a match in an unmanaged collection.
    func _unmanagedIndex(matching syntax: PredicateSyntax, format: String) throws -> Int? {
        let evaluation = UnmanagedEvaluation(format: format)
        for (index, element) in enumerated() {
            if try evaluation.isTrue(syntax, of: Element._eraseElement(element)) { return index }
        }
        return nil
    }
}

extension QuerySource {
    /// Returns the objects that match a predicate text. Stops the program if the collection cannot
    /// be queried.
    ///
    /// - Throws: ``InvalidPredicate`` if the predicate is not valid for the class.
    func filtered(_ format: String, _ arguments: [Any]) throws -> ResultsQuery {
        let prepared = managedClass?.preparedPredicate(format, argumentCount: arguments.count)
        if let prepared, prepared.accepts(arguments) {
            let query = query()
            if let condition = try? prepared.condition(arguments) {
                return try query.filtered(condition)
            }
        }
        let syntax = try PredicateParser.parse(format, arguments.map(unwrapped))
        return try query().filtered(syntax, format: format)
    }

    /// The class of the objects; nil for collections without managed objects.
    private var managedClass: ManagedClass? {
        switch kind {
        case .results(let query): query.managedClass
        case .links(let target, _, _): target
        case .values, .unmanaged: nil
        }
    }
}

extension ManagedClass {
    fileprivate func preparedPredicate(
        _ format: String, argumentCount: Int
    ) -> PreparedPredicate? {
        realm.preparedPredicate(format, argumentCount: argumentCount, in: self)
    }
}

extension ResultsQuery {
    /// Returns the query filtered by a parsed predicate.
    ///
    /// - Throws: ``InvalidPredicate`` if the predicate is not valid for the class.
    func filtered(_ syntax: PredicateSyntax, format: String) throws -> ResultsQuery {
        try filtered(PredicateResolver.resolve(syntax, format: format, in: managedClass))
    }

    func filtered(_ condition: QueryCondition) throws -> ResultsQuery {
        guard let table = managedClass.table else { return self }
        if operations.isEmpty {
            return replacing([.filter(condition, try QueryPlan(table, condition))])
        }
        // A filter does not depend on a preceding sort. Two consecutive filters are merged, so that
        // the cheaper test runs first and indexes serve both.
        var operations = operations
        var sort: Operation?
        if case .sort? = operations.last { sort = operations.removeLast() }
        var all = condition
        if case .filter(let earlier, _)? = operations.last {
            operations.removeLast()
            // Conditions are concatenated, not nested, so that their depth does not grow.
            if case .and(let parts) = earlier {
                all = .and(parts + [condition])
            } else {
                all = .and([earlier, condition])
            }
        }
        operations.append(.filter(all, try QueryPlan(table, all)))
        if let sort { operations.append(sort) }
        return replacing(operations)
    }

    /// Returns the position of the first of these objects in another query.
    func firstPosition(in others: ResultsQuery) -> Int? {
        guard hasFirst else { return nil }
        return others.position(of: object(at: 0))
    }
}
