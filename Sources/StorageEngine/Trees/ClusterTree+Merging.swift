/// Merging leaves that have lost rows with a neighbour, or shrinking them, so that the remaining
/// rows take fewer pages.
extension ClusterTree {
    /// Whether a leaf that has just lost rows is considered for merging and shrinking: when its row
    /// count has dropped below a power of two. Each removed row thus costs a constant share of it.
    @inline(__always)
    static func isDueForMerging(rows: Int, before: Int) -> Bool {
        rows.leadingZeroBitCount != before.leadingZeroBitCount
    }

    /// Merges the leaf that covers `key` with the smaller of its neighbours below the same branch,
    /// if one leaf has room for both and takes fewer pages; else moves it to fewer pages, if it
    /// needs no more than half of its own. The path is invalid afterwards.
    ///
    /// The last leaf of the tree is never merged: it fills up with new objects.
    func mergeOrShrinkLeaf(
        _ writer: TreeWriter, _ root: inout TreeRoot, covering key: ObjectKey
    ) throws(StorageError) {
        // Only a fresh path has the headroom that its branch may need.
        _ = try writer.descend(&root, .cluster) { Self.childRow($0, key) }
        if try !mergeLeaf(writer, &root) {
            try shrinkLeaf(writer, &root)
        }
        writer.dropPath()
    }

    /// Merges the leaf at the end of the path. Returns false, with nothing changed, if there is no
    /// neighbour to merge it with.
    private func mergeLeaf(_ writer: TreeWriter, _ root: inout TreeRoot) throws(StorageError)
        -> Bool
    {
        if root.level == 0 || writer.isAtLastLeaf { return false }
        let branch = writer.steps[writer.depth - 2].node
        let index = writer.steps[writer.depth - 2].index
        guard let other = smallerNeighbour(of: index, in: branch.reading, by: writer) else {
            return false
        }
        let total = branch.reading.childCount(index) + branch.reading.childCount(other)
        guard mayHold(total, writer.leaf) else { return false }
        let rows = min(index, other)..<max(index, other) + 1
        guard let merged = try pack(rows, of: branch.reading, under: root, in: writer.pager) else {
            return false
        }
        branch.removeRow(at: rows.upperBound - 1)
        try writer.setChild(branch, rows.lowerBound, to: merged.reference)
        try writer.require(
            branch.setInteger(BranchColumn.count, rows.lowerBound, to: Int64(merged.rowCount)))
        writer.rowsMoved()
        try writer.shorten(&root, .cluster)
        return true
    }

    /// Moves the leaf at the end of the path, and its spilled columns, to fewer pages.
    private func shrinkLeaf(_ writer: TreeWriter, _ root: inout TreeRoot) throws(StorageError) {
        let leaf = writer.leaf.reading
        for column in 0..<leaf.columnCount where leaf.isSpilled(column) {
            let node = try writer.pager.node(leaf.spillReference(column))
            guard let pages = fewerPages(for: node, atLeast: 1, in: writer.pager) else { continue }
            let (old, copy) = try writableSpill(writer, column, rows: leaf.rowCount)
            let (reference, _) = try writer.resize(copy, old, to: pages)
            writer.leaf.setSpillReference(column, reference)
        }
        let least = leafPages(writer.pager.pageSize)
        if let pages = fewerPages(for: writer.leaf.reading, atLeast: least, in: writer.pager) {
            try resizeLeaf(writer, &root, to: pages)
        }
    }

    /// Returns the pages to which a node shrinks, with a third of its contents to spare; nil if
    /// that is more than half of what it has.
    private func fewerPages(for node: Node, atLeast least: Int, in pager: Pager) -> Int? {
        let bytes = NodeDraft.packedBytes(node) * 4 / 3
        let pages = max(least, (bytes + pager.pageSize - 1) / pager.pageSize)
        return pages * 2 <= node.pageCount ? pages : nil
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
