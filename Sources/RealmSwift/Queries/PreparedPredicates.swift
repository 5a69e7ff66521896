import StorageEngine

/// The predicate texts that a Realm instance has read, by class.
///
/// Used by the thread of the instance, so no lock is needed; classes of other instances, with other
/// columns, have predicates of their own.
struct PreparedPredicates {
    private struct Key: Hashable {
        let managedClass: ObjectIdentifier
        let format: StoredText
    }

    /// Nil for a text that has to be read each time, because its key paths are arguments.
    private var predicates: [Key: PreparedPredicate?] = [:]
    // The one that was asked for last. Most programs ask again and again; a text that has not moved
    // is compared by its address, and nothing is hashed.
    private var lastKey: Key?
    private var lastPredicate: PreparedPredicate?

    /// Programs that write their values into texts make a new one each time. When there are so many,
    /// all are forgotten.
    private static let maximumCount = 256
    /// In bytes of UTF-8: longer texts are read each time.
    private static let maximumLength = 2048

    /// What a text says of a class; nil if it cannot be prepared.
    ///
    /// - Parameter argumentCount: how many arguments are given now.
    mutating func predicate(
        _ format: String, argumentCount: Int, in managedClass: ManagedClass
    ) -> PreparedPredicate? {
        let key = Key(
            managedClass: ObjectIdentifier(managedClass), format: StoredText(format))
        if key == lastKey { return lastPredicate }
        let predicate: PreparedPredicate?
        if let known = predicates[key] {
            predicate = known
        } else {
            if format.utf8.count > Self.maximumLength { return nil }
            predicate = try? PreparedPredicate(
                format, argumentCount: argumentCount, in: managedClass)
            if predicates.count >= Self.maximumCount { predicates.removeAll() }
            predicates[key] = .some(predicate)
        }
        lastKey = key
        lastPredicate = predicate
        return predicate
    }
}
