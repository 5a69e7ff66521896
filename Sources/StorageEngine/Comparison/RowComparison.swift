/// Compares objects of two leaves, column by column.
struct RowComparison {
    private struct Column {
        let position: Int
        let id: UInt16
        let kind: ColumnKind
        /// The format of the values; in a collection, that of the elements.
        let format: RowFormat
        /// The place of the column in each leaf; nil in a leaf that is older than the column, whose
        /// objects have the default value.
        let old: (node: Node, column: Int)?
        let new: (node: Node, column: Int)?
    }

    private let oldTable: Table
    private let newTable: Table
    private let oldLeaf: Node
    private let newLeaf: Node
    private var columns: [Column] = []

    /// Looks up the properties that may differ in both leaves.
    init(_ oldTable: Table, _ oldLeaf: Node, newTable: Table, newLeaf: Node)
        throws(StorageError)
    {
        self.oldTable = oldTable
        self.newTable = newTable
        self.oldLeaf = oldLeaf
        self.newLeaf = newLeaf
        for position in 0..<newTable.visibleCount {
            let stored = newTable.stored.columns[position]
            if Self.isSameSpill(stored.id, oldLeaf, as: newLeaf) { continue }
            columns.append(
                Column(
                    position: position, id: stored.id, kind: stored.kind,
                    format: newTable.checks[position].format,
                    old: position < oldTable.visibleCount
                        ? try oldTable.column(position, of: oldLeaf) : nil,
                    new: try newTable.column(position, of: newLeaf)))
        }
    }

    func isOf(_ oldLeaf: Node, _ newLeaf: Node) -> Bool {
        self.oldLeaf.base == oldLeaf.base && self.newLeaf.base == newLeaf.base
    }

    /// Whether both leaves have the column on the same page. Then both have the same rows as well.
    private static func isSameSpill(_ id: UInt16, _ old: Node, as new: Node) -> Bool {
        let left = old.columnIndex(ofID: id, expected: Int(id))
        let right = new.columnIndex(ofID: id, expected: Int(id))
        return left >= 0 && right >= 0 && old.isSpilled(left) && new.isSpilled(right)
            && old.spillReference(left) == new.spillReference(right)
    }

    // MARK: Rows

    /// Returns the columns in which an object's rows differ, and the changes of the collections
    /// among them.
    func differences(
        _ oldRow: Int, _ newRow: Int
    ) throws(StorageError) -> (
        columns: ColumnSet, collections: [(column: UInt16, change: CollectionChange)]
    ) {
        var modified = ColumnSet()
        var collections: [(column: UInt16, change: CollectionChange)] = []
        for column in columns where !isSameOverflow(column, oldRow, as: newRow) {
            let old = try value(column, column.old, row: oldRow, in: oldTable.pager)
            let new = try value(column, column.new, row: newRow, in: newTable.pager)
            if old.isIdentical(to: new) { continue }
            if column.format.collection != .none {
                let change = try CollectionComparison.change(
                    from: collection(old, column, in: oldTable.pager),
                    to: collection(new, column, in: newTable.pager))
                if change.isEmpty { continue }
                collections.append((column.id, change))
            } else if column.format.type == .mixed, try isSameMixed(old, new) {
                continue
            }
            modified.insert(column.id)
        }
        return (modified, collections)
    }

    /// Whether the value is on the same pages in both rows.
    private func isSameOverflow(_ column: Column, _ oldRow: Int, as newRow: Int) -> Bool {
        guard column.kind == .bytes, let (left, leftColumn) = column.old,
            let (right, rightColumn) = column.new, left.isOverflow(leftColumn, oldRow),
            right.isOverflow(rightColumn, newRow)
        else { return false }
        return left.overflowReference(leftColumn, oldRow).0
            == right.overflowReference(rightColumn, newRow).0
    }

    private func isSameMixed(_ old: Scalar, _ new: Scalar) throws(StorageError) -> Bool {
        var oldBudget = RowBudget(oldTable.pager)
        var newBudget = RowBudget(newTable.pager)
        return try ComparedValue(old, of: .mixed, in: oldTable.pager, depth: 0, within: &oldBudget)
            == ComparedValue(new, of: .mixed, in: newTable.pager, depth: 0, within: &newBudget)
    }

    private func collection(
        _ value: Scalar, _ column: Column, in pager: Pager
    ) throws(StorageError) -> StoredCollection {
        guard case .bytes(let bytes) = value else {
            throw pager.damaged(0, "a collection that is not stored as one")
        }
        return StoredCollection(pager: pager, bytes: bytes, format: column.format)
    }

    private func value(
        _ column: Column, _ place: (node: Node, column: Int)?, row: Int, in pager: Pager
    ) throws(StorageError) -> Scalar {
        guard let (node, index) = place else {
            return newTable.cluster.columns[column.position].defaultScalar
        }
        return try node.scalar(pager, column.kind, in: index, at: row)
    }
}
