/// Merging leaves that have lost rows with a neighbour, so that the remaining rows take fewer
/// pages.
extension ClusterTree {
    /// Whether a leaf that has just lost rows is considered for merging: when its row count has
    /// dropped below a power of two. Each removed row thus costs a constant share of a merge.
    @inline(__always)
    static func isDueForMerging(rows: Int, before: Int) -> Bool {
        rows.leadingZeroBitCount != before.leadingZeroBitCount
    }

    /// Merges the leaf that covers `key` with the smaller of its neighbours below the same branch,
    /// if one leaf has room for both and takes fewer pages. The path is invalid afterwards.
    ///
    /// The last leaf of the tree is never merged: it fills up with new objects.
    func mergeLeaf(
        _ writer: TreeWriter, _ root: inout TreeRoot, covering key: ObjectKey
    ) throws(StorageError) {
        guard root.level > 0 else { return }
        // Only a fresh path has the headroom that its branch may need.
        _ = try writer.descend(&root, .cluster) { Self.childRow($0, key) }
        defer { writer.dropPath() }
        if writer.isAtLastLeaf { return }
        let branch = writer.steps[writer.depth - 2].node
        let index = writer.steps[writer.depth - 2].index
        guard let other = smallerNeighbour(of: index, in: branch.reading, by: writer) else {
            return
        }
        let total = branch.reading.childCount(index) + branch.reading.childCount(other)
        guard mayHold(total, writer.leaf) else { return }
        let rows = min(index, other)..<max(index, other) + 1
        guard let merged = try pack(rows, of: branch.reading, under: root, in: writer.pager) else {
            return
        }
        branch.removeRow(at: rows.upperBound - 1)
        try writer.setChild(branch, rows.lowerBound, to: merged.reference)
        try writer.require(
            branch.setInteger(BranchColumn.count, rows.lowerBound, to: Int64(merged.rowCount)))
        writer.rowsMoved()
        try writer.shorten(&root, .cluster)
    }

    /// Whether a leaf as long as this one may have room for `rows` rows as wide as its own. The
    /// estimate costs far less than packing. It ignores spilled columns.
    private func mayHold(_ rows: Int, _ leaf: MutableNode) -> Bool {
        let directory = NodeDraft.bytes(directoryOf: leaf.columnCount)
        let bytes = (leaf.usedBytes - directory) * rows / leaf.rowCount
        return directory + bytes <= leaf.byteCount
    }

    /// Returns the child with fewer rows of the two beside child `index` of the last branch of the
    /// path.
    private func smallerNeighbour(
        of index: Int, in branch: Node, by writer: TreeWriter
    ) -> Int? {
        // The last leaf of the tree is below the last child of each branch on the right edge.
        let end = branch.rowCount - (writer.isOnRightEdge(writer.depth - 2) ? 1 : 0)
        let rowsBefore = index > 0 ? branch.childCount(index - 1) : .max
        let rowsBehind = index + 1 < end ? branch.childCount(index + 1) : .max
        if min(rowsBefore, rowsBehind) == .max { return nil }
        return rowsBefore < rowsBehind ? index - 1 : index + 1
    }

    /// Packs two children of a branch into one leaf, and frees them. Returns nil, with nothing
    /// changed, if one leaf has no room for both or would take as many pages.
    private func pack(
        _ children: Range<Int>, of branch: Node, under root: TreeRoot, in pager: Pager
    ) throws(StorageError) -> (reference: PageReference, rowCount: Int)? {
        let shape = LeafPacker.Shape(
            treeID: treeID, columns: columns.map(\.format), pages: leafPages(pager.pageSize),
            maximumRows: Self.maximumRows, isCluster: true)
        let packer = LeafPacker(shape, pageSize: pager.pageSize)
        let defaults = DefaultColumns(Array(columns), pageSize: pager.pageSize)
        var old: [PageReference] = []
        var oldPages = 0
        var lastKey: Int64?
        for child in children {
            let leaf = try pager.child(of: branch, child, shape: ClusterShape())
            guard leaf.rowCount > 0, leaf.rowCount == branch.childCount(child) else {
                throw pager.countsDisagree(branch.child(child))
            }
            if let lastKey, leaf.objectKey(0).rawValue <= lastKey {
                throw pager.damaged(
                    branch.child(child).page, "its object keys do not follow its neighbour's")
            }
            lastKey = leaf.objectKey(leaf.rowCount - 1).rawValue
            var sources: [LeafPacker.Source] = []
            var known = leaf.keyColumn < 0 ? 0 : 1
            for column in columns.indices {
                if let source = try place(of: column, in: leaf, pager: pager, under: root) {
                    sources.append(source)
                    known += 1
                } else {
                    sources.append(defaults.source(column, rows: leaf.rowCount))
                }
            }
            // A leaf that still has a column which the table dropped is not packed, because the
            // packer would lose the column.
            guard known == leaf.columnCount,
                packer.gather(leaf, sources, from: 0) == leaf.rowCount
            else { return nil }
            let references =
                [branch.child(child)]
                + (0..<leaf.columnCount).filter(leaf.isSpilled).map(leaf.spillReference)
            old += references
            for reference in references { oldPages += try pager.node(reference).pageCount }
        }
        _ = packer.layOut()
        guard packer.laidOutPages < oldPages else { return nil }
        let rowCount = packer.rowCount
        let reference = try packer.store(in: pager)
        for reference in old { try pager.free(reference) }
        return (reference, rowCount)
    }
}
