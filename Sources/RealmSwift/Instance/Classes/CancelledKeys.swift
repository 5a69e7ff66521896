/// The instances of a class that cancelled write transactions of a Realm have invalidated.
///
/// Accessors and collections store the generation of the Realm in which they were made.
/// Invalidating the Realm ends all generations so far. Cancelling a write transaction that inserted
/// or deleted objects also ends a generation. It permanently invalidates the instances made until
/// then for
/// - inserted objects. Their keys are released, so a later transaction can reuse them. Within a
///   transaction, new keys are greater than all existing keys, so in its generation they belong to
///   that transaction alone.
/// - deleted objects. These objects exist again, for instances that are made in a later generation.
///
/// A table can have two managed classes, one for its Swift class and one for its dynamic objects.
/// Both share this object.
final class CancelledKeys {
    // The changes of the open write transaction. Unchecked exclusivity is safe here, because only
    // one thread uses the fields, and nothing is called during an access.

    /// The first key that the transaction made. Cancelling removes all keys from here on.
    @exclusivity(unchecked) private var firstInserted: Int64?
    /// The keys of the deleted objects, in the order of deletion.
    @exclusivity(unchecked) private(set) var deleted: [Range<Int64>] = []
    /// Whether all objects were deleted.
    @exclusivity(unchecked) private(set) var isEmptied = false

    // The changes of cancelled transactions.

    /// The first key made by the cancelled transaction that ended a generation, by generation.
    @exclusivity(unchecked) private var insertions: [UInt32: Int64] = [:]
    /// The keys of deleted objects, each with the last generation whose instances were invalidated.
    /// Ascending, and each key occurs once.
    @exclusivity(unchecked) private var deletions: [(keys: Range<Int64>, generation: UInt32)] = []
    /// The last generation that ended with the deletion of all objects.
    @exclusivity(unchecked) private var lastEmptied = RealmInstance.noGeneration
    @exclusivity(unchecked) private var knowsNone = true

    // MARK: The transaction under way

    func noteInsertion(of key: Int64) {
        if firstInserted == nil { firstInserted = key }
    }

    func noteDeletion(of key: Int64) {
        if let last = deleted.last {
            // Deleting neighbors, in either direction, extends a range.
            if last.upperBound == key {
                deleted[deleted.count - 1] = last.lowerBound..<key + 1
                return
            }
            if last.lowerBound == key + 1 {
                deleted[deleted.count - 1] = key..<last.upperBound
                return
            }
        }
        deleted.append(key..<key + 1)
    }

    func noteDeletionOfAll() { isEmptied = true }

    /// Ends the transaction. Returns whether the Realm's generation ends, because instances were
    /// invalidated.
    func transactionDidEnd(cancelled: Bool, in generation: UInt32) -> Bool {
        defer { forgetTransaction() }
        guard cancelled, firstInserted != nil || isEmptied || !deleted.isEmpty else { return false }
        if let firstInserted { insertions[generation] = firstInserted }
        if isEmptied {
            lastEmptied = generation
            deletions = []
        } else if !deleted.isEmpty {
            addDeletions(in: generation)
        }
        knowsNone = false
        return true
    }

    private func forgetTransaction() {
        firstInserted = nil
        isEmptied = false
        // Transactions that delete a few objects reuse the memory.
        if !deleted.isEmpty { deleted.removeAll(keepingCapacity: deleted.count <= 16) }
    }

    // MARK: Cancelled transactions

    private func addDeletions(in generation: UInt32) {
        let ascending = deleted.sorted { $0.lowerBound < $1.lowerBound }
        let new = RangeSet(ascending)
        let kept = deletions.flatMap { old in
            var rest = RangeSet(old.keys)
            rest.subtract(new)
            return rest.ranges.map { (keys: $0, generation: old.generation) }
        }
        deletions = (kept + new.ranges.map { (keys: $0, generation: generation) })
            .sorted { $0.keys.lowerBound < $1.keys.lowerBound }
    }

    /// Returns whether an instance of the object with a key, made in the generation `birth`, was
    /// invalidated.
    func invalidated(_ key: Int64, birth: UInt32) -> Bool {
        if knowsNone { return false }
        if birth <= lastEmptied { return true }
        if let first = insertions[birth], key >= first { return true }
        var (low, high) = (0, deletions.count)
        while low < high {
            let middle = (low + high) / 2
            if deletions[middle].keys.upperBound <= key { low = middle + 1 } else { high = middle }
        }
        return low < deletions.count && deletions[low].keys.contains(key)
            && birth <= deletions[low].generation
    }

    /// Forgets cancelled transactions after the Realm was invalidated, because no earlier instance
    /// is valid.
    func forgetCancelled() {
        insertions = [:]
        deletions = []
        knowsNone = true
    }
}
