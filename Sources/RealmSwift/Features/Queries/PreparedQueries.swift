/// What the queries of a Realm instance keep from one to the next.
///
/// The instance owns it, without knowing its type. It is used only on the thread of the instance.
final class PreparedQueries {
    /// The predicates that were parsed for the classes of the Realm.
    @exclusivity(unchecked) var predicates = PreparedPredicates()
    @exclusivity(unchecked) var comparisons = PreparedComparisons()
}

extension RealmInstance {
    private var preparedQueries: PreparedQueries {
        // Safe because nothing else is stored there.
        if let queryState { return unsafeDowncast(queryState, to: PreparedQueries.self) }
        let queries = PreparedQueries()
        queryState = queries
        return queries
    }

    /// Returns the cached result of parsing a predicate for a class; nil if the predicate must be
    /// parsed again, or if another thread calls.
    func preparedPredicate(
        _ format: String, argumentCount: Int, in managedClass: ManagedClass
    ) -> PreparedPredicate? {
        guard thread == currentThread() else { return nil }
        return preparedQueries.predicates.predicate(
            format, argumentCount: argumentCount, in: managedClass)
    }

    /// Returns the prepared comparison of a key path of a class with a constant, for a typed query.
    ///
    /// - Throws: ``InvalidPredicate`` if the path does not fit the class, or the operator does not
    ///   fit the path.
    func preparedComparison(
        _ path: TypedPath, _ operation: ComparisonSyntax.Operation, _ options: StringOptions,
        in managedClass: ManagedClass
    ) throws -> PreparedComparison {
        try preparedQueries.comparisons.comparison(path, operation, options, in: managedClass)
    }
}
