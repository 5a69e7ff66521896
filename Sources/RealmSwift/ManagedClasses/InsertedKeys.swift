/// Which keys of a class vanished because the write transactions that made them were cancelled.
///
/// Accessors and collections remember the generation of the Realm that they were made in.
/// Invalidating the Realm ends all generations so far. Cancelling a write transaction gives its
/// keys back, so that a later one may use them again: what was made in the generation that the
/// cancellation ended, with one of these keys, stays invalid whatever the key means then. Keys that
/// a transaction makes are above all others, so in its generation they belong to it alone.
///
/// Shared by the two managed classes that a table may have: that of its Swift class, and that of
/// its dynamic objects.
final class InsertedKeys {
    /// The first key that the current write transaction made: all keys from here on vanish when it
    /// is cancelled.
    @exclusivity(unchecked) private var first: Int64?
    /// For each generation that a cancelled write transaction ended, the first key that it made.
    @exclusivity(unchecked) private var cancelled: [UInt32: Int64] = [:]

    func note(_ key: Int64) {
        if first == nil { first = key }
    }

    /// Returns whether keys have vanished; the Realm's generation is then over.
    func transactionDidEnd(cancelled isCancelled: Bool, in generation: UInt32) -> Bool {
        guard let first else { return false }
        self.first = nil
        if isCancelled { cancelled[generation] = first }
        return isCancelled
    }

    func wasCancelled(_ key: Int64, birth: UInt32) -> Bool {
        guard !cancelled.isEmpty, let first = cancelled[birth] else { return false }
        return key >= first
    }
}
