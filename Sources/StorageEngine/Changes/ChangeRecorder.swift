/// Collects what one write transaction does.
///
/// Insertions are not reported to it: object keys ascend, so the keys given out since the
/// transaction began tell them at its end. Used by the transaction's thread.
final class ChangeRecorder {
    /// A transaction whose record would have more parts is not recorded: whoever wants to know
    /// compares the versions instead. A part takes some 50 bytes.
    private let maximumSize: Int

    fileprivate struct TableRecord {
        /// In the order in which it happened; the same object may occur several times.
        var modifications: [Modifications.Run] = []
        var deletions: [Range<Int64>] = []
        var collections: [CollectionPlace: CollectionChange] = [:]
    }

    private var tables: [TableRecord] = []
    private var size = 0
    /// Whether the transaction did too much to be recorded.
    private(set) var isTooLarge = false

    init(maximumSize: Int = ChangeLog.maximumSize / 2) { self.maximumSize = maximumSize }

    // MARK: Recording

    /// A property of an object that is not new was set, perhaps to the value that it had.
    func modify(_ key: ObjectKey, _ column: UInt16, inTable number: Int) {
        guard prepare(number) else { return }
        size += tables[number].modify(key, column)
    }

    func delete(_ key: ObjectKey, inTable number: Int) {
        guard prepare(number) else { return }
        size += tables[number].delete(key)
    }

    /// A collection of an object that is not new was changed. `count`: its elements before.
    func change(
        _ place: CollectionPlace, inTable number: Int, count: Int,
        _ change: (inout CollectionChange) -> Void
    ) {
        guard prepare(number) else { return }
        size += tables[number].modify(place.owner, place.column)
        size += tables[number].change(place, count, change)
    }

    /// Makes room for the table; false if nothing is recorded any more.
    private func prepare(_ number: Int) -> Bool {
        if size > maximumSize { condense() }
        if isTooLarge { return false }
        while tables.count <= number { tables.append(TableRecord()) }
        return true
    }

    /// Makes one of several records of the same object; gives up if that does not help much.
    private func condense() {
        size = 0
        for number in tables.indices { size += tables[number].condense() }
        guard size > maximumSize / 2 else { return }
        isTooLarge = true
        tables = []
        size = 0
    }

    // MARK: The record

    /// What the transaction did; nil if that was too much. `newKeys`: for each table, the keys of
    /// the objects that were inserted, those deleted again included.
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
    /// Returns how many parts have been added.
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

    /// The last object is complete once another one follows. So a pass over neighbouring objects
    /// stays one run.
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

    /// Returns how many parts there are afterwards.
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
