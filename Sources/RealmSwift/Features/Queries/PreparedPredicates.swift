import StorageEngine

/// The predicate texts that a Realm instance has parsed, by class.
///
/// It is used only on the thread of the instance, so it needs no lock. Classes of other instances
/// can have other columns, so they have their own predicates.
struct PreparedPredicates {
    private struct Key: Hashable {
        let managedClass: ObjectIdentifier
        let format: StoredText
    }

    /// The prepared predicates; nil for a text that must be parsed each time because its key paths
    /// are arguments.
    private var predicates = PreparedCache<Key, PreparedPredicate?>()

    /// The maximum length of a cached text, in bytes of UTF-8. Longer texts are parsed each time.
    private static let maximumLength = 2048

    /// Returns the prepared predicate for a text and a class; nil if it cannot be prepared.
    ///
    /// - Parameters:
    ///   - format: The text of the predicate.
    ///   - argumentCount: The number of arguments given now.
    ///   - managedClass: The class of the tested objects.
    mutating func predicate(
        _ format: String, argumentCount: Int, in managedClass: ManagedClass
    ) -> PreparedPredicate? {
        if format.utf8.count > Self.maximumLength { return nil }
        let key = Key(
            managedClass: ObjectIdentifier(managedClass), format: StoredText(format))
        return predicates.value(for: key) {
            try? PreparedPredicate(format, argumentCount: argumentCount, in: managedClass)
        }
    }
}
