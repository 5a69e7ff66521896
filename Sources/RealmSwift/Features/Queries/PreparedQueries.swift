/// What the queries of a Realm instance keep from one to the next.
///
/// The instance owns it, without knowing its type. It is used only on the thread of the instance. A
/// frozen Realm, which many threads use, keeps nothing.
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
        _ path: TypedPath, _ operation: ComparisonSyntax.Operation, options: StringOptions,
        in managedClass: ManagedClass
    ) throws -> PreparedComparison {
        if isFrozen {
            var comparisons = PreparedComparisons()
            return try comparisons.comparison(path, operation, options: options, in: managedClass)
        }
        return try preparedQueries.comparisons.comparison(
            path, operation, options: options, in: managedClass)
    }
}

/// What the queries of a Realm instance prepare, by what it depends on.
struct PreparedCache<Key: Hashable, Value> {
    private var values: [Key: Value] = [:]
    // The last lookup, because most programs repeat it. A repeated lookup needs no hashing.
    private var lastKey: Key?
    private var lastValue: Value?

    /// The number of values at which all are discarded. The queries written in a program are
    /// limited, but their texts, and the keys of map subscripts, can come from data.
    private static var maximumCount: Int { 256 }

    /// Returns the value for a key, made by `make` if it is not known.
    mutating func value(for key: Key, _ make: () throws -> Value) rethrows -> Value {
        if key == lastKey, let lastValue { return lastValue }
        let value: Value
        if let known = values[key] {
            value = known
        } else {
            value = try make()
            if values.count >= Self.maximumCount { values.removeAll() }
            values[key] = value
        }
        lastKey = key
        lastValue = value
        return value
    }
}
