/// Nodes of one column whose rows all hold its default. They stand in for a column that a leaf
/// lacks because it is older.
final class DefaultColumns {
    private let columns: [ClusterTree.Column]
    private let pageSize: Int
    /// The largest node made so far for each column.
    private var nodes: [MutableNode?]
    /// Smaller nodes that were handed out before and may still be read.
    private var outgrown: [MutableNode] = []

    init(_ columns: [ClusterTree.Column], pageSize: Int) {
        self.columns = columns
        self.pageSize = pageSize
        nodes = Array(repeating: nil, count: columns.count)
    }

    deinit {
        for node in outgrown + nodes.compactMap({ $0 }) { node.base.deallocate() }
    }

    /// Returns a column of at least `rows` rows, valid as long as this object.
    func source(_ column: Int, rows: Int) -> LeafPacker.Source {
        var needed = rows
        if let smaller = nodes[column] {
            if smaller.rowCount >= rows { return (smaller.reading, 0) }
            outgrown.append(smaller)
            needed = max(rows, 2 * smaller.rowCount)
        }
        let node = makeNode(columns[column], rows: needed)
        nodes[column] = node
        return (node.reading, 0)
    }

    private func makeNode(_ column: ClusterTree.Column, rows: Int) -> MutableNode {
        // No default value is wider than 16 bytes, and a null takes one more bit per row.
        let bytes = NodeDraft.bytes(directoryOf: 1) + rows * 17 + 64
        let pages = (bytes + pageSize - 1) / pageSize
        let node = MutableNode.format(
            .allocate(byteCount: pages * pageSize, alignment: 16), byteCount: pages * pageSize,
            level: 0, treeID: 0, columns: [column.format], lowKey: 0, pageCount: pages)
        for row in 0..<rows {
            let fits =
                node.insertPlaceholderRow(at: row) && node.set(0, row, to: column.defaultScalar)
            precondition(fits, "the room was reckoned for all rows")
        }
        return node
    }
}
