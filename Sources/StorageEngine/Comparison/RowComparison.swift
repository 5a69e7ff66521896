/// Compares objects of two leaves, column by column.
struct RowComparison {
    private struct Column {
        let position: Int
        let id: UInt16
        let kind: ColumnKind
        let isList: Bool
        /// Nil in a leaf that is older than the column: its objects have the default.
        let old: (node: Node, column: Int)?
        let new: (node: Node, column: Int)?
    }

    private let oldTable: Table
    private let newTable: Table
    private let oldLeaf: Node
    private let newLeaf: Node
    private var columns: [Column] = []

    /// Looks up where the leaves have the properties that may differ.
    init(_ oldTable: Table, _ oldLeaf: Node, _ newTable: Table, _ newLeaf: Node) throws {
        self.oldTable = oldTable
        self.newTable = newTable
        self.oldLeaf = oldLeaf
        self.newLeaf = newLeaf
        for position in 0..<newTable.propertyCount {
            let stored = newTable.stored.columns[position]
            if Self.isSameSpill(stored.id, oldLeaf, newLeaf) { continue }
            columns.append(
                Column(
                    position: position, id: stored.id, kind: stored.kind, isList: stored.isList,
                    old: position < oldTable.propertyCount
                        ? try oldTable.column(position, of: oldLeaf) : nil,
                    new: try newTable.column(position, of: newLeaf)))
        }
    }

    func isOf(_ oldLeaf: Node, _ newLeaf: Node) -> Bool {
        self.oldLeaf.base == oldLeaf.base && self.newLeaf.base == newLeaf.base
    }

    /// Whether both leaves have the column on the same page. Their rows are the same then, too.
    private static func isSameSpill(_ id: UInt16, _ old: Node, _ new: Node) -> Bool {
        let left = old.columnIndex(ofID: id, expected: Int(id))
        let right = new.columnIndex(ofID: id, expected: Int(id))
        return left >= 0 && right >= 0 && old.isSpilled(left) && new.isSpilled(right)
            && old.spillReference(left) == new.spillReference(right)
    }

    // MARK: Rows

    /// The columns in which an object's rows differ, and how the lists among them changed.
    func differences(
        _ oldRow: Int, _ newRow: Int
    ) throws -> (columns: ColumnSet, lists: [(column: UInt16, change: ListChange)]) {
        var modified = ColumnSet()
        var lists: [(column: UInt16, change: ListChange)] = []
        for column in columns where try differs(column, oldRow, newRow) {
            if column.isList {
                let key = newLeaf.objectKey(newRow)
                let change = try ListComparison.change(
                    from: oldTable.list(column.position, of: key),
                    to: newTable.list(column.position, of: key))
                if change.isEmpty { continue }
                lists.append((column.id, change))
            }
            modified.insert(column.id)
        }
        return (modified, lists)
    }

    private func differs(_ column: Column, _ oldRow: Int, _ newRow: Int) throws -> Bool {
        if let (left, leftColumn) = column.old, let (right, rightColumn) = column.new,
            column.kind == .bytes, left.isOverflow(leftColumn, oldRow),
            right.isOverflow(rightColumn, newRow),
            left.overflowReference(leftColumn, oldRow).0
                == right.overflowReference(rightColumn, newRow).0
        {
            return false
        }
        let old = try value(column, column.old, oldRow, oldTable.pager)
        return try !old.isIdentical(to: value(column, column.new, newRow, newTable.pager))
    }

    private func value(
        _ column: Column, _ place: (node: Node, column: Int)?, _ row: Int, _ pager: Pager
    ) throws -> Scalar {
        guard let (node, index) = place else {
            return newTable.cluster.columns[column.position].defaultScalar
        }
        return try node.scalar(pager, column.kind, index, row)
    }
}
