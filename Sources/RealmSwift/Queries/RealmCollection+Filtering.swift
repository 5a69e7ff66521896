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
        attempt { Results(query: try _querySource.filtered(predicateFormat, args)) }
    }

    /// The position of the first element that matches a predicate; nil if none does. See
    /// ``filter(_:_:)``.
    ///
    /// Elements of an unmanaged collection may be values, which `SELF` stands for.
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
        let source = _querySource
        if source.isUnmanaged { return try _unmanagedIndex(matching: syntax, format: format) }
        let query = source.query()
        let matches = try query.filtered(syntax, format: format)
        return matches.firstPosition(in: query)
    }

    /// The first position in an unmanaged collection.
    func _unmanagedIndex(matching syntax: PredicateSyntax, format: String) throws -> Int? {
        let evaluation = UnmanagedEvaluation(format: format)
        for (index, element) in enumerated() {
            if try evaluation.isTrue(syntax, of: Element._eraseElement(element)) { return index }
        }
        return nil
    }
}

extension _QuerySource {
    /// The objects that match a predicate text. A collection that cannot be queried stops the
    /// program.
    ///
    /// - Throws: ``InvalidPredicate``.
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

    /// The class of the objects; nil where there are none.
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
    /// - Throws: ``InvalidPredicate`` if it does not suit the class.
    func filtered(_ syntax: PredicateSyntax, format: String) throws -> ResultsQuery {
        try filtered(PredicateResolver.resolve(syntax, format: format, in: managedClass))
    }

    func filtered(_ condition: QueryCondition) throws -> ResultsQuery {
        guard let table = managedClass.table else { return self }
        if operations.isEmpty {
            return replacing([.filter(condition, try QueryPlan(table, condition))])
        }
        // A sort in front changes nothing for a filter, and two filters in a row are one, so that
        // the cheaper test comes first and indexes answer for both.
        var operations = operations
        var sort: Operation?
        if case .sort? = operations.last { sort = operations.removeLast() }
        var all = condition
        if case .filter(let earlier, _)? = operations.last {
            operations.removeLast()
            // One after the other, not inside each other, however many there are.
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

    /// Where the first of these objects is among others.
    func firstPosition(in others: ResultsQuery) -> Int? {
        guard hasFirst else { return nil }
        return others.position(of: object(at: 0))
    }
}
