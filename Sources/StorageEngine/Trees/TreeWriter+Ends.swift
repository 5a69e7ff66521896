/// The ends of a collection, where most of its changes are.
extension TreeWriter {
    /// Returns the row of the leaf at the end of the path that holds a position of a collection.
    /// Nil unless the path is still one of this collection and its leaf the first or the last one,
    /// whose positions follow from the number of its rows. The position after the last row is in
    /// the last leaf, behind its rows.
    ///
    /// A table's collections have one tree id, so the path is known by the root: a private copy,
    /// whose page belongs to no other tree until it is freed, which invalidates paths.
    @inline(__always)
    func knownRow(at position: Int, in root: TreeRoot, of tree: CollectionTree) -> Int? {
        guard hasPath(to: tree.treeID),
            steps[0].reference == root.reference || planted(.trustsAnyEnd),
            tree.format.describes(leaf.reading.header, level: 0)
        else { return nil }
        let rows = leaf.reading.rowCount
        if position < rows, isAtFirstLeaf { return position }
        let row = rows &- (root.count &- position)
        return row >= 0 && row <= rows && isAtLastLeaf ? row : nil
    }

    /// Whether the leaf at the end of the path is the first one of the tree.
    private var isAtFirstLeaf: Bool {
        for level in 0..<depth - 1 where steps[level].index != 0 { return false }
        return true
    }
}
