/// Collects the changes of one write transaction.
///
/// Insertions are not reported to it. Object keys ascend, so the keys that were assigned since the
/// transaction began identify the insertions at its end. Only the thread of the transaction may use
/// it.
final class ChangeRecorder {
    /// The number of parts, of about 50 bytes each, above which a transaction is not recorded.
    /// Observers then compare the versions instead.
    private let maximumSize: Int

    fileprivate struct TableRecord {
        /// In the order of recording. The same object may occur several times.
        var modifications: [Modifications.Run] = []
        var deletions: [Range<Int64>] = []
        var collections: [CollectionPlace: CollectionChange] = [:]
    }

    private var tables: [TableRecord] = []
    private var size = 0
    /// Whether the transaction made too many changes to be recorded.
    private(set) var isTooLarge = false

    init(maximumSize: Int = ChangeLog.maximumSize / 2) { self.maximumSize = maximumSize }

    // MARK: Recording

    /// Records that a property of an object was set, perhaps to the value that it had. The object
    /// must have existed before the transaction.
    func modify(_ key: ObjectKey, _ column: UInt16, inTable number: Int) {
        guard prepare(number) else { return }
        size += tables[number].modify(key, column)
    }

    func delete(_ key: ObjectKey, inTable number: Int) {
        guard prepare(number) else { return }
        size += tables[number].delete(key)
    }

    /// Records the change of a collection that had `count` elements before. Its owner must have
    /// existed before the transaction.
    func change(
        _ place: CollectionPlace, inTable number: Int, count: Int,
        _ change: (inout CollectionChange) -> Void
    ) {
        guard prepare(number) else { return }
        size += tables[number].modify(place.owner, place.column)
        size += tables[number].change(place, count, change)
    }

    /// Makes room for the record of a table. Returns false if nothing is recorded any more.
    private func prepare(_ number: Int) -> Bool {
        if size > maximumSize { condense() }
        if isTooLarge { return false }
        while tables.count <= number { tables.append(TableRecord()) }
        return true
    }

    /// Merges multiple records of the same object. If that does not help much, gives up recording.
    private func condense() {
        size = 0
        for number in tables.indices { size += tables[number].condense() }
        guard size > maximumSize / 2 else { return }
        isTooLarge = true
        tables = []
        size = 0
    }

    // MARK: The record

    /// Returns the changes of the transaction; nil if there were too many. `newKeys` holds, for
    /// each table, the keys of the inserted objects, including those that were deleted again.
    func changes(newKeys: [Int: Range<Int64>]) -> ChangeSet? {
        if isTooLarge { return nil }
        var changes = ChangeSet()
        for number in Set(tables.indices).union(newKeys.keys) {
            var table = TableChanges()
            if let new = newKeys[number] { table.insertions = KeySet(new) }
            if number < tables.count { tables[number].add(to: &table) }
            changes.set(table, ofTable: number)
        }
        return changes.size > maximumSize ? nil : changes
    }
}

extension ChangeRecorder.TableRecord {
    /// Returns the number of parts added.
    mutating func modify(_ key: ObjectKey, _ column: UInt16) -> Int {
        let keys = key.rawValue..<key.rawValue + 1
        let count = modifications.count
        if let last = modifications.last, last.keys == keys {
            modifications[count - 1].columns.insert(column)
            return 0
        }
        joinLastRuns()
        modifications.append(Modifications.Run(keys: keys, columns: ColumnSet(column)))
        return modifications.count - count
    }

    /// Merges the last two runs if they are adjacent and have the same columns. The columns of the
    /// last object are complete only when another object follows, so this is called then. A pass
    /// over adjacent objects therefore remains a single run.
    private mutating func joinLastRuns() {
        let count = modifications.count
        guard count >= 2 else { return }
        let (left, right) = (modifications[count - 2], modifications[count - 1])
        guard left.keys.upperBound == right.keys.lowerBound, left.columns == right.columns else {
            return
        }
        modifications.removeLast()
        modifications[count - 2].keys = left.keys.lowerBound..<right.keys.upperBound
    }

    mutating func delete(_ key: ObjectKey) -> Int {
        let (key, next) = (key.rawValue, key.rawValue + 1)
        if let last = deletions.last {
            if last.lowerBound == next {
                deletions[deletions.count - 1] = key..<last.upperBound
                return 0
            }
            if last.upperBound == key {
                deletions[deletions.count - 1] = last.lowerBound..<next
                return 0
            }
        }
        deletions.append(key..<next)
        return 1
    }

    mutating func change(
        _ place: CollectionPlace, _ count: Int, _ change: (inout CollectionChange) -> Void
    ) -> Int {
        let before = collections[place]?.segments.count ?? 0
        change(&collections[place, default: CollectionChange(count: count)])
        return collections[place]!.segments.count - before
    }

    /// Returns the number of parts that remain.
    mutating func condense() -> Int {
        modifications = Modifications(unsorted: modifications).runs
        deletions = KeySet(unsorted: deletions).ranges
        return modifications.count + deletions.count
            + collections.values.reduce(0) { $0 + $1.segments.count }
    }

    func add(to changes: inout TableChanges) {
        changes.modifications = Modifications(unsorted: modifications)
        changes.collections = collections
        changes.remove(KeySet(unsorted: deletions))
    }
}
