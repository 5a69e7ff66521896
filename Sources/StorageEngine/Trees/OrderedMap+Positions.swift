/// Entries addressed by position in the map's order. The counts in branches make all of this O(log
/// n).
extension OrderedMap {
    /// Returns the number of entries before a key.
    func position(_ pager: Pager, _ root: TreeRoot, of first: FirstKey, second: Int64)
        throws(StorageError)
        -> Int
    {
        if root.reference.isNone { return 0 }
        let format = format
        var node = try pager.root(of: root, format)
        var position = 0
        while node.level > 0 {
            let child = childRow(node, first, second: second)
            for row in 0..<child { position &+= node.childCount(row) }
            node = try pager.child(of: node, child, shape: format)
        }
        position &+= lowerBound(node, 0, of: first, second: second)
        guard position >= 0, position <= root.count else {
            throw pager.countsDisagree(root.reference)
        }
        return position
    }

    /// Returns the leaf and row of the entry at a position, which must be in range.
    func entry(_ pager: Pager, _ root: TreeRoot, at position: Int) throws(StorageError)
        -> RowLocation
    {
        try ClusterTree.location(pager, root, at: position, format: format)
    }

    /// Visits entries in order, from position `start` on, until `body` returns false.
    func forEach(
        _ pager: Pager, _ root: TreeRoot, fromPosition start: Int,
        _ body: (Node, Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try ClusterTree.forEachLeaf(pager, root, from: start, as: format) {
            leaf, first throws(StorageError) in
            for row in max(0, start - first)..<leaf.rowCount where try !body(leaf, row) {
                return false
            }
            return true
        }
    }
}
