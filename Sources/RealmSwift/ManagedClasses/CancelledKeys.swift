/// Which instances of a class the cancelled write transactions of a Realm have invalidated.
///
/// Accessors and collections remember the generation of the Realm that they were made in.
/// Invalidating the Realm ends all generations so far. Cancelling a write transaction that inserted
/// or deleted objects ends one too, and invalidates for good what was made by then of
/// - inserted objects. Their keys are given back, so that a later transaction may use them again.
///   Keys that a transaction makes are above all others, so in its generation they belong to it
///   alone.
/// - deleted objects. These are there again, for whoever finds them anew in a later generation.
///
/// Shared by the two managed classes that a table may have: that of its Swift class, and that of
/// its dynamic objects.
final class CancelledKeys {
    // What the write transaction under way has done. One thread uses this, and nothing is called
    // while it is accessed.

    /// The first key that it made: all keys from here on vanish when it is cancelled.
    @exclusivity(unchecked) private var firstInserted: Int64?
    /// In the order of deletion.
    @exclusivity(unchecked) private(set) var deleted: [Range<Int64>] = []
    /// Whether all objects were deleted.
    @exclusivity(unchecked) private(set) var isEmptied = false

    // What cancelled ones had done.

    /// For each generation that such a transaction ended, the first key that it had made.
    @exclusivity(unchecked) private var insertions: [UInt32: Int64] = [:]
    /// Keys of objects that were deleted, with the last generation that ended with it: ascending,
    /// each key once.
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
            // Deleting neighbours, in either direction, makes one range.
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

    /// Returns whether the Realm's generation is over, because instances have been invalidated.
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
        // Transactions that delete a few objects need no new memory for that.
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

    /// Whether what was made of the object with a key, in the generation `birth`, was invalidated.
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

    /// The Realm was invalidated, and with it all that was made so far.
    func forgetCancelled() {
        insertions = [:]
        deletions = []
        knowsNone = true
    }
}
