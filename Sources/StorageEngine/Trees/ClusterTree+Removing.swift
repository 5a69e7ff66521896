/// Inserting and removing rows in a leaf together with its spilled columns.
extension ClusterTree {
    /// Inserts an empty row into the leaf at the end of the path and into its spilled columns.
    func insertRow(_ writer: TreeWriter, at row: Int) throws(StorageError) -> Outcome {
        let leaf = writer.leaf
        let rows = leaf.reading.rowCount
        guard leaf.insertPlaceholderRow(at: row) else { return .leafFull }
        for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
            let isInserted = try changeSpill(writer, column, rows: rows) {
                $0.insertPlaceholderRow(at: row)
            }
            if isInserted { continue }
            for undone in 0..<column where leaf.reading.isSpilled(undone) {
                _ = try changeSpill(writer, undone, rows: rows + 1) {
                    $0.removeRow(at: row)
                    return true
                }
            }
            leaf.removeRow(at: row)
            return .columnFull
        }
        return .done
    }

    func removeRow(_ writer: TreeWriter, at row: Int) throws(StorageError) {
        let leaf = writer.leaf
        for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
            _ = try changeSpill(writer, column, rows: leaf.reading.rowCount) {
                $0.removeRow(at: row)
                return true
            }
        }
        leaf.removeRow(at: row)
        writer.rowsMovedInLeaf()
    }

    /// Removes an object's row. What its values own (overflow pages, lists) must already be freed.
    func remove(_ writer: TreeWriter, _ root: inout TreeRoot, key: ObjectKey) throws(StorageError) {
        while true {
            // Freeing what the object's values own often led to its leaf just before.
            let isThere = writer.hasPath(to: treeID) && writer.row(of: key) != nil
            let leaf =
                isThere
                ? writer.leaf : try writer.descend(&root, .cluster) { Self.childRow($0, key) }
            guard let row = writer.row(of: key) else { throw writer.pager.noSuchObject(key) }
            guard leaf.prepareRemoval(ofRow: row), keepKeys(leaf, whenRemoving: row) else {
                // Only a fresh path has the headroom that a split needs.
                if isThere {
                    writer.dropPath()
                } else {
                    try makeRoom(writer, &root, after: .leafFull)
                }
                continue
            }
            try removeRow(writer, at: row)
            try writer.addToCounts(&root, -1)
            if leaf.reading.rowCount == 0 {
                for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
                    try writer.pager.free(leaf.reading.spillReference(column))
                }
                try writer.removeLeaf(&root, .cluster)
            } else if Self.isDueForMerging(rows: leaf.rowCount, before: leaf.rowCount + 1) {
                try mergeOrShrinkLeaf(writer, &root, covering: key)
            } else {
                writer.keepPath(to: treeID)
            }
            return
        }
    }

    /// Prepares a leaf's keys for the removal of a row. A dense leaf stays dense if it loses its
    /// first or last row; otherwise it gets a key column.
    func keepKeys(_ leaf: MutableNode, whenRemoving row: Int) -> Bool {
        let view = leaf.reading
        if view.keyColumn >= 0 || row == view.rowCount - 1 { return true }
        if row == 0 {
            leaf.setLowKey(view.lowKey + 1)
            return true
        }
        return addKeyColumn(leaf)
    }
}
