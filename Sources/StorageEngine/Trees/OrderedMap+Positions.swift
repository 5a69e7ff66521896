/// Entries by their positions in the map's order. All in O(log n), by the counts of branches.
extension OrderedMap {
    /// How many entries come before a key.
    func position(_ pager: Pager, _ root: TreeRoot, of first: FirstKey, _ second: Int64) throws
        -> Int
    {
        if root.reference.isNone { return 0 }
        var node = try pager.node(root.reference)
        var position = 0
        while node.level > 0 {
            let child = childRow(node, first, second)
            for row in 0..<child { position &+= node.childCount(row) }
            node = try pager.child(of: node, child)
        }
        try check(node, pager, root)
        position &+= lowerBound(node, 0, first, second)
        guard position >= 0, position <= root.count else {
            throw pager.damaged(root.reference.page, "row counts do not add up")
        }
        return position
    }

    /// The leaf and row of the entry at a position, which must be in range.
    func entry(_ pager: Pager, _ root: TreeRoot, at position: Int) throws -> RowLocation {
        let location = try ClusterTree.location(pager, root, at: position)
        try check(location.leaf, pager, root)
        return location
    }

    /// Visits entries from a position on, in order, until `body` returns false.
    func forEach(
        _ pager: Pager, _ root: TreeRoot, fromPosition start: Int,
        _ body: (Node, Int) throws -> Bool
    ) throws {
        try ClusterTree.forEachLeaf(pager, root, from: start) { leaf, first in
            try check(leaf, pager, root)
            for row in max(0, start - first)..<leaf.rowCount where try !body(leaf, row) {
                return false
            }
            return true
        }
    }

    /// A leaf of another tree's shape would be read outside its columns.
    func check(_ leaf: Node, _ pager: Pager, _ root: TreeRoot) throws {
        guard leaf.columnCount == 2 + valueCount, leaf.kind(0) == firstKeyKind,
            leaf.kind(1) == .integer, !leaf.isSpilled(0), !leaf.isSpilled(1)
        else {
            throw pager.damaged(root.reference.page, "a map has leaves of other columns")
        }
    }
}
