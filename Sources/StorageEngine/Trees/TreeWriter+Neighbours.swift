/// The siblings of the leaf at the end of the path: leaves below the same branch.
extension TreeWriter {
    /// The branch above the leaf, and the leaf's row in it. The path must have one.
    var parent: (branch: MutableNode, index: Int) {
        (steps[depth - 2].node, steps[depth - 2].index)
    }

    /// Returns a child of the branch above the leaf, after checking its row count against the
    /// branch.
    func sibling(at index: Int, _ format: TreeFormat) throws(StorageError) -> Node {
        let branch = parent.branch.reading
        let node = try pager.child(of: branch, index, shape: format)
        guard node.rowCount == branch.childCount(index) else {
            throw pager.countsDisagree(branch.child(index))
        }
        return node
    }

    /// Moves rows at one end of the leaf to the sibling on that side. Returns false, with no row
    /// moved, if the sibling has no room. The path is invalid afterwards.
    func moveRows(_ rows: Range<Int>, toSibling index: Int, format: TreeFormat)
        throws(StorageError) -> Bool
    {
        let (branch, ownIndex) = parent
        let old = branch.reading.child(index)
        let (reference, sibling) = try enter(
            old, level: 0, rows: branch.reading.childCount(index), format: format)
        if reference != old { try setChild(branch, index, to: reference) }
        let isLeft = index < ownIndex
        let row = isLeft ? sibling.rowCount : 0
        guard
            sibling.insertRows(
                from: leaf.reading, rows, at: row, sharingPrefix: format.sharesPrefix)
        else { return false }
        leaf.removeRows(rows)
        for (child, node) in [(index, sibling), (ownIndex, leaf)] {
            try require(branch.setInteger(BranchColumn.count, child, to: Int64(node.rowCount)))
        }
        let right = isLeft ? leaf : sibling
        try setSeparator(branch, max(index, ownIndex), format: format, to: .row(right.reading, 0))
        rowsMoved()
        return true
    }

    /// Moves all rows of a sibling into the leaf and frees the sibling. Does nothing if the leaf
    /// has no room. The path is invalid after a move.
    func absorbSibling(_ index: Int, _ root: inout TreeRoot, format: TreeFormat)
        throws(StorageError)
    {
        let (branch, ownIndex) = parent
        let sibling = try self.sibling(at: index, format)
        let row = index < ownIndex ? 0 : leaf.rowCount
        guard
            leaf.insertRows(
                from: sibling, 0..<sibling.rowCount, at: row, sharingPrefix: format.sharesPrefix)
        else { return }
        // Only now, because the rows were copied from this node.
        try pager.free(branch.reading.child(index))
        // The left node's row remains in the branch, because its separator also bounds the merged
        // node.
        let left = min(index, ownIndex)
        branch.removeRow(at: left + 1)
        try setChild(branch, left, to: steps[depth - 1].reference)
        try require(branch.setInteger(BranchColumn.count, left, to: Int64(leaf.rowCount)))
        dropPath()
        rowsMoved()
        try shorten(&root, format)
    }
}
