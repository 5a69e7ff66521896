/// Making room for a change: columns move to nodes of their own, leaves grow, and leaves are split.
extension ClusterTree {
    func makeRoom(
        _ writer: TreeWriter, _ root: inout TreeRoot, after outcome: Outcome
    ) throws(StorageError) {
        if outcome == .leafFull, try makeRoomInLeaf(writer, &root) { return }
        let rows = writer.leaf.reading.rowCount
        guard rows > 1 else {
            throw writer.pager.damaged(root.reference.page, "a row fills more than a leaf")
        }
        try split(writer, &root, at: rows / 2)
    }

    /// Gives the leaf at the end of the path more room. Returns false if it has its largest size.
    func makeRoomInLeaf(_ writer: TreeWriter, _ root: inout TreeRoot) throws(StorageError) -> Bool {
        let leaf = writer.leaf.reading
        let pages = leafPages(writer.pager.pageSize)
        // A leaf older than some columns of its table may be too short for the directory of all
        // columns.
        if leaf.pageCount < pages {
            try resizeLeaf(writer, &root, to: pages)
            return true
        }
        if leaf.rowCount < Self.minimumRows * leaf.pageCount / pages,
            !keepsRowsTogether(writer.leaf),
            try spillLargestColumn(writer)
        {
            return true
        }
        let most = pages + Self.maximumGrowth
        guard leaf.pageCount < most else { return false }
        try resizeLeaf(writer, &root, to: min(leaf.pageCount * 2, most))
        return true
    }

    private func keepsRowsTogether(_ leaf: MutableNode) -> Bool {
        var width = RowWidth()
        for column in 0..<leaf.reading.columnCount {
            if leaf.reading.isSpilled(column) { return false }
            width.add(leaf.bytesOfColumn(column), of: leaf.reading.kind(column))
        }
        let pageSize = leaf.byteCount / leaf.reading.pageCount
        return width.keepsRowsTogether(
            rows: leaf.reading.rowCount, pageSize: pageSize,
            leafPages: leafPages(pageSize) + Self.maximumGrowth)
    }

    func resizeLeaf(_ writer: TreeWriter, _ root: inout TreeRoot, to pages: Int)
        throws(StorageError)
    {
        let old = writer.steps[writer.depth - 1].reference
        let (reference, moved) = try writer.resize(writer.leaf, old, to: pages)
        try writer.replaceNode(&root, at: writer.depth - 1, reference: reference, node: moved)
    }

    /// Spills the column with the largest value, for a first row that is wider than a leaf.
    func spillLargest(
        of values: UnsafeBufferPointer<StoredValue>, _ writer: TreeWriter
    ) throws(StorageError) {
        let leaf = writer.leaf.reading
        var largest = -1
        var size = -1
        for column in 0..<min(columns.count, leaf.columnCount) where !leaf.isSpilled(column) {
            var bytes = 16
            if column < values.count, case .bytes(let value) = values[column].scalar {
                bytes += value.count
            }
            if bytes > size {
                largest = column
                size = bytes
            }
        }
        guard largest >= 0 else {
            throw writer.pager.damaged(
                writer.steps[writer.depth - 1].reference.page,
                "a leaf of spilled columns has no room for one row")
        }
        _ = try spill(writer, largest)
    }

    /// Moves the largest column of the leaf at the end of the path into a node of its own. Returns
    /// false if no column is worth spilling.
    func spillLargestColumn(_ writer: TreeWriter) throws(StorageError) -> Bool {
        let leaf = writer.leaf
        var largest = -1
        var bytes = 0
        for column in 0..<leaf.reading.columnCount where !leaf.reading.isSpilled(column) {
            let size = leaf.bytesOfColumn(column)
            if size > bytes, column != leaf.reading.keyColumn {
                largest = column
                bytes = size
            }
        }
        guard largest >= 0,
            Self.isWorthSpilling(
                bytes: bytes, rows: leaf.reading.rowCount, pageSize: writer.pager.pageSize)
        else { return false }
        return try spill(writer, largest)
    }

    /// Moves a column of the leaf at the end of the path into a node of its own. Returns false if
    /// it does not fit one.
    func spill(_ writer: TreeWriter, _ column: Int) throws(StorageError) -> Bool {
        let leaf = writer.leaf
        let view = leaf.reading
        let bytes = leaf.bytesOfColumn(column)
        let format = ColumnFormat(
            id: view.format(column).id, kind: view.kind(column))
        let pages = (bytes + 256 + writer.pager.pageSize) / writer.pager.pageSize
        let (reference, node) = try writer.makeNode(
            level: 0, treeID: treeID, columns: [format], lowKey: view.lowKey, pages: pages)
        guard leaf.copyColumn(column, to: node) else {
            try writer.pager.free(reference)
            return false
        }
        leaf.markSpilled(column, reference)
        leaf.updateSpillZone(column, from: node.reading)
        writer.rowsMoved()
        return true
    }

    /// Splits the leaf at the end of the path before row `cut`. The path is invalid afterwards.
    func split(_ writer: TreeWriter, _ root: inout TreeRoot, at cut: Int) throws(StorageError) {
        let left = writer.leaf
        let rows = left.reading.rowCount
        let key = left.reading.objectKey(cut)
        let isDense = left.reading.keyColumn < 0
        let (reference, right) = try writer.duplicate(left)
        for column in 0..<left.reading.columnCount where left.reading.isSpilled(column) {
            let (leftReference, leftNode) = try writableSpill(writer, column, rows: rows)
            left.setSpillReference(column, leftReference)
            let (rightReference, rightNode) = try writer.duplicate(leftNode)
            leftNode.removeRows(cut..<rows)
            rightNode.removeRows(0..<cut)
            right.setSpillReference(column, rightReference)
        }
        right.removeRows(0..<cut)
        if isDense { right.setLowKey(key.rawValue) }
        try writer.insertSibling(
            &root, .cluster, after: writer.depth - 1, reference: reference, sibling: right,
            separator: .key(key))
        // After `insertSibling`, which counts the left leaf's rows with those that have moved.
        left.removeRows(cut..<rows)
        writer.dropPath()
    }
}
