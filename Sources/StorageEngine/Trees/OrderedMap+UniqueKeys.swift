/// Entries whose first key no other entry has: primary keys.
///
/// An insertion takes two steps, with other work between them, and at most one descent. The path of
/// the entry before is tried first, so that keys that come in order, or near each other, cost none;
/// and text behind the text before is not searched either.
extension OrderedMap {
    /// The row of the leaf at the end of the path where an entry with this first key belongs; nil
    /// if there is one already. The second key must be above those of all entries that ever were.
    ///
    /// Nothing is changed, but the path is made writable.
    func placeForUnique(
        _ writer: TreeWriter, _ root: inout TreeRoot, treeID: UInt32, _ first: FirstKey
    ) throws -> Int? {
        if writer.hasPath(to: treeID) {
            let leaf = writer.leaf.reading
            let rows = leaf.rowCount
            switch first {
            case .integer(let key):
                if rows > 0, leaf.integer(0, rows - 1) < key, writer.isAtLastLeaf { return rows }
            case .bytes(let key):
                let row = writer.rowBehindInsertion
                if belongs(key, at: row, of: leaf), row < rows || writer.isAtLastLeaf {
                    return row
                }
            }
            let row = lowerBound(leaf, 0, first, Int64.min)
            if row < rows, isFirstEqual(leaf, 0, row, first) { return nil }
            // A key before the first row may belong to the leaf before.
            if row > 0, row < rows || writer.isAtLastLeaf { return row }
        }
        if root.reference.isNone { root.reference = try makeLeaf(writer, treeID).0 }
        // The last leaf that may hold the key: it holds all entries of this key if there are any.
        let leaf = try writer.descend(&root, format) { childRow($0, first, Int64.max) }.reading
        writer.keepPath(to: treeID)
        let row = lowerBound(leaf, 0, first, Int64.min)
        return row < leaf.rowCount && isFirstEqual(leaf, 0, row, first) ? nil : row
    }

    /// Whether a key is between those of the row before this one and of this one, as far as there are
    /// any.
    private func belongs(_ key: UnsafeRawBufferPointer, at row: Int, of leaf: Node) -> Bool {
        row > 0 && row <= leaf.rowCount && compare(leaf.bytes(0, row - 1), key) < 0
            && (row == leaf.rowCount || compare(key, leaf.bytes(0, row)) < 0)
    }

    /// Inserts the entry for which ``placeForUnique(_:_:treeID:_:)`` found the row; no entry has come
    /// or gone since. Where the path has become void meanwhile, the row is searched again.
    func insertUnique(
        _ writer: TreeWriter, _ root: inout TreeRoot, treeID: UInt32, at row: Int,
        _ first: FirstKey, _ second: Int64
    ) throws {
        if writer.hasPath(to: treeID) {
            let leaf = writer.leaf
            if case .integer(let key) = first, row == leaf.rowCount, leaf.appendRow(key, second) {
                return try writer.addToCounts(&root, 1)
            }
            writer.rowBehindInsertion = row + 1
            if leaf.insertPlaceholderRow(at: row) {
                if setKey(leaf, row, first, second) { return try writer.addToCounts(&root, 1) }
                leaf.removeRow(at: row)
            }
        }
        try set(writer, &root, treeID: treeID, first, second)
    }
}
