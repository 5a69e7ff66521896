/// Setting values, in the leaf or in the node of a spilled column.
extension ClusterTree {
    /// Sets one value of an existing object.
    func set(
        _ writer: TreeWriter, _ root: inout TreeRoot, key: ObjectKey, column: Int,
        to value: StoredValue
    ) throws(StorageError) {
        if writer.hasPath(to: treeID), let row = writer.row(of: key) {
            if writer.leaf.reading.hasInline(column, columns[column].tag) {
                if writer.leaf.set(column, row, to: value) { return }
            } else if try setThroughSpill(writer, column, at: row, to: value) == .done {
                return writer.keepPath(to: treeID)
            }
        }
        if root.reference.isNone { throw writer.pager.noSuchObject(key) }
        while true {
            _ = try writer.descend(&root, .cluster) { Self.childRow($0, key) }
            guard let row = writer.row(of: key) else { throw writer.pager.noSuchObject(key) }
            let outcome = try setThroughSpill(writer, column, at: row, to: value)
            if outcome == .done {
                writer.keepPath(to: treeID)
                return
            }
            try makeRoom(writer, &root, after: outcome)
        }
    }

    /// Makes the path lead to the leaf of an object that is about to be read and changed, so that
    /// one descent serves both.
    func makeWritable(_ writer: TreeWriter, _ root: inout TreeRoot, key: ObjectKey)
        throws(StorageError)
    {
        if writer.hasPath(to: treeID), writer.row(of: key) != nil { return }
        if root.reference.isNone { throw writer.pager.noSuchObject(key) }
        _ = try writer.descend(&root, .cluster) { Self.childRow($0, key) }
        writer.keepPath(to: treeID)
    }

    /// Sets a value wherever its column is: in the leaf, spilled, or not yet in the leaf.
    func setThroughSpill(
        _ writer: TreeWriter, _ column: Int, at row: Int, to value: StoredValue
    ) throws(StorageError) -> Outcome {
        let leaf = writer.leaf
        guard let position = addColumnIfMissing(leaf, column) else { return .leafFull }
        guard leaf.reading.kind(position) == columns[column].format.kind else {
            throw writer.pager.misplaced(writer.steps[writer.depth - 1].reference)
        }
        if !leaf.reading.isSpilled(position) {
            return leaf.set(position, row, to: value) ? .done : .leafFull
        }
        let isSet = try changeSpill(writer, position, rows: leaf.rowCount) {
            $0.set(0, row, to: value)
        }
        return isSet ? .done : .columnFull
    }

    /// Returns the index of a stored column in the leaf. A leaf older than the column first gets
    /// it, with default values. Returns nil if the column does not fit.
    func addColumnIfMissing(_ leaf: MutableNode, _ column: Int) -> Int? {
        let definition = columns[column]
        let position = leaf.reading.columnIndex(ofID: definition.id, expected: column)
        if position >= 0 { return position }
        let end = leaf.reading.keyColumn < 0 ? leaf.reading.columnCount : leaf.reading.keyColumn
        guard leaf.addColumn(definition.format, at: end) else {
            return nil
        }
        if definition.defaultScalar.isNull {
            for row in 0..<leaf.reading.rowCount where !leaf.setNull(end, row, to: true) {
                leaf.removeColumn(end)
                return nil
            }
        }
        return end
    }

    /// Returns the private copy of a spilled column's node, which must have `rows` rows.
    func writableSpill(
        _ writer: TreeWriter, _ position: Int, rows: Int
    ) throws(StorageError) -> (PageReference, MutableNode) {
        let leaf = writer.leaf.reading
        let old = leaf.spillReference(position)
        let copy = try writer.writable(old)
        guard copy.1.reading.isSpill(of: leaf.format(position), rows: rows) else {
            throw writer.pager.misplaced(old)
        }
        return copy
    }

    /// Changes the node of a spilled column, which grows for it. Returns false if it may not grow
    /// further. `rows` is the row count before the change. Does not record that rows have
    /// moved, so callers that remove rows do.
    func changeSpill(
        _ writer: TreeWriter, _ position: Int, rows: Int, _ change: (MutableNode) -> Bool
    ) throws(StorageError) -> Bool {
        let leaf = writer.leaf
        var (reference, node) = try writableSpill(writer, position, rows: rows)
        leaf.setSpillReference(position, reference)
        while !change(node) {
            let pages = node.reading.pageCount
            // A single value may need more pages than the limit; several rows may not exceed it.
            let most = Self.maximumSpillPages(leaf.reading.kind(position))
            guard pages < most || node.reading.rowCount <= 1 else { return false }
            let larger = pages < most ? min(pages + max(1, pages / 2), most) : pages + 1
            (reference, node) = try writer.resize(node, reference, to: larger)
            leaf.setSpillReference(position, reference)
        }
        leaf.updateSpillZone(position, from: node.reading)
        return true
    }
}
