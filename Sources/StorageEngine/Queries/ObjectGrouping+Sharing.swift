/// Groups that two threads find.
extension ObjectGrouping {
    /// Adds the objects that satisfy a condition. Returns false, with nothing added, if it is not
    /// worth a second thread.
    ///
    /// Each thread has a table of groups; both are merged into this one in the end. They come to an
    /// end early where sums of floating point would depend on the order of adding: before a leaf
    /// with fractions, and before a sum can reach 2^53. The first thread goes on alone, as it does
    /// when there are so many groups that merging them takes longer than two threads save.
    ///
    /// - Parameter match: removes the rows that do not satisfy the condition from all rows of a
    ///   leaf, on this thread.
    /// - Throws: `.damaged`, and what `match` throws.
    mutating func addShared(
        where condition: LeafCondition,
        matching match: (inout RowMask, borrowing LeafScan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        guard table.checks[column].kind.isPacked,
            table.pager.worthSharing.isWorth(.groups, rows: try table.count())
        else { return false }
        let parts = GroupParts(groups.emptied(), groups.emptied(), columnCount: columns.count)
        let scan = SharedScan(
            table, where: condition, of: [column] + columns, task: .groups,
            asking: .function { parts.add($0) })
        var sums = SumBounds(table, columns)
        var rows = RowMask()
        try scan.run(
            accepts: { sums.admit($0) },
            goesOn: {
                sums.setLargestGroup(parts.largestCount + groups.largestCount)
                return parts.groupCount < GroupParts.mostGroups
            }, didShare: { parts.forEach { merge($0) } }
        ) { leaf, answer throws(StorageError) in
            if answer != nil { return }
            rows.fill(true, rows: leaf.rowCount)
            try match(&rows, leaf)
            if !rows.isEmpty { try add(rows, leaf) }
        }
        return true
    }
}

/// The tables of groups of two threads.
// Unchecked because of the pointer: each thread fills its own table, and the first one reads both
// while no part is being done.
private final class GroupParts: @unchecked Sendable {
    /// The table of each worker.
    private let tables: UnsafeMutablePointer<GroupTable>
    private let columnCount: Int

    /// The number of groups of one table from which on the tables take longer to merge than they
    /// save.
    static let mostGroups = 1 << 14

    init(_ first: consuming GroupTable, _ second: consuming GroupTable, columnCount: Int) {
        tables = .allocate(capacity: SharedWork.Worker.allCases.count)
        (tables + SharedWork.Worker.first.rawValue).initialize(to: first)
        (tables + SharedWork.Worker.second.rawValue).initialize(to: second)
        self.columnCount = columnCount
    }

    deinit {
        tables.deinitialize(count: SharedWork.Worker.allCases.count)
        tables.deallocate()
    }

    /// Adds the matching rows of a leaf, by one of two threads.
    func add(_ part: LeafBatch.Part) {
        let table = tables + part.worker.rawValue
        let rows = part.rows
        table.pointee.begin(rows: rows.pointee.rowCount)
        let (node, place) = part.place(0)
        table.pointee.findGroups(of: rows.pointee, by: node, at: place)
        table.pointee.count(rows.pointee)
        for position in 0..<columnCount {
            let (node, place) = part.place(position + 1)
            table.pointee.add(position, of: rows.pointee, in: node, at: place)
        }
    }

    func forEach(_ body: (borrowing GroupTable) -> Void) {
        for worker in SharedWork.Worker.allCases { body(tables[worker.rawValue]) }
    }

    /// A bound on the number of objects of a group.
    var largestCount: Int {
        var count = 0
        forEach { count += $0.largestCount }
        return count
    }

    /// The number of groups of the larger table.
    var groupCount: Int {
        var count = 0
        forEach { count = max(count, $0.count) }
        return count
    }
}

/// Bounds of the sums of floating point in groups. While all values are whole numbers and no sum
/// can reach 2^53, the sums are exact, so the order of adding does not matter.
private struct SumBounds {
    private let columns: [(id: UInt16, column: Int)]
    private var greatestMagnitude = 0.0
    /// A bound on the number of objects of a group.
    private var largestGroup = 0

    init(_ table: Table, _ columns: [Int]) {
        self.columns = columns.filter { table.checks[$0].kind != .integer }.map {
            (table.columnID($0), $0)
        }
    }

    /// Takes a leaf into account. Returns false if the order matters from it on.
    mutating func admit(_ leaf: Node) -> Bool {
        if columns.isEmpty { return true }
        for (id, column) in columns {
            let position = leaf.columnIndex(ofID: id, expected: column)
            // Objects that are older than the column may have a default with a fraction.
            if position < 0 { return false }
            let zone = PackedZone(leaf, position)
            if zone.holdsImages { return false }
            greatestMagnitude = max(greatestMagnitude, zone.greatestMagnitude)
        }
        largestGroup += leaf.rowCount
        return Double(largestGroup) * greatestMagnitude < ColumnSum.exactLimit
    }

    mutating func setLargestGroup(_ count: Int) { largestGroup = count }
}
