import StorageEngine

extension RealmCollection {
    /// The objects that match a predicate.
    ///
    /// ```swift
    /// let tanDogs = dogs.filter("color == 'tan' AND name BEGINSWITH %@", "B")
    /// ```
    /// The order stays. Nothing is looked for before the results are used. A predicate that cannot
    /// be read, or does not suit the class, stops the program; so do collections of values and
    /// unmanaged ones.
    ///
    /// - Parameters:
    ///   - predicateFormat: what the objects are to satisfy.
    ///   - args: take the places of `%@` (values), `%K` (key paths) and `%d` (numbers).
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
        attempt {
            try _filtered(
                PredicateParser.parse(predicateFormat, args.map(unwrapped)),
                format: predicateFormat)
        }
    }

    /// The position of the first object that matches a predicate; nil if none does. See
    /// ``filter(_:_:)``.
    public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
        attempt {
            try _index(
                matching: PredicateParser.parse(predicateFormat, args.map(unwrapped)),
                format: predicateFormat)
        }
    }

    /// The objects that match a predicate that has been read.
    ///
    /// - Parameter format: the predicate as it was given, for messages.
    /// - Throws: ``InvalidPredicate`` if it does not suit the class.
    func _filtered(_ syntax: PredicateSyntax, format: String) throws -> Results<Element> {
        Results(query: try _querySource.query().filtered(syntax, format: format))
    }

    /// The first position of an object that matches a predicate that has been read.
    ///
    /// - Throws: ``InvalidPredicate`` if it does not suit the class.
    func _index(matching syntax: PredicateSyntax, format: String) throws -> Int? {
        let query = try _querySource.query()
        let matches = try query.filtered(syntax, format: format)
        return matches.firstPosition(in: query)
    }
}

extension ResultsQuery {
    /// - Throws: ``InvalidPredicate`` if it does not suit the class.
    func filtered(_ syntax: PredicateSyntax, format: String) throws -> ResultsQuery {
        let condition = try PredicateResolver.resolve(syntax, format: format, in: managedClass)
        guard let table = managedClass.table else { return self }
        // A sort in front changes nothing for a filter, and two filters in a row are one, so that
        // the cheaper test comes first and indexes answer for both.
        var operations = operations
        var sort: [Operation] = []
        if case .sort? = operations.last { sort = [operations.removeLast()] }
        var all = condition
        if case .filter(let earlier, _)? = operations.last {
            operations.removeLast()
            all = .and([earlier, condition])
        }
        return replacing(operations + [.filter(all, try QueryPlan(table, all))] + sort)
    }

    /// Where the first of these objects is among others.
    fileprivate func firstPosition(in others: ResultsQuery) -> Int? {
        guard hasFirst else { return nil }
        return others.position(of: object(at: 0))
    }
}
