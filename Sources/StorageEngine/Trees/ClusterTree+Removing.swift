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
        try removeRows(writer, row..<row + 1)
    }

    /// Removes rows that the leaf was prepared to lose (``prepareRemoval(_:of:)``).
    private func removeRows(_ writer: TreeWriter, _ rows: Range<Int>) throws(StorageError) {
        let leaf = writer.leaf
        for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
            _ = try changeSpill(writer, column, rows: leaf.reading.rowCount) {
                $0.removeRows(rows)
                return true
            }
        }
        leaf.removeRows(rows)
        writer.rowsMovedInLeaf()
    }

    // MARK: Deleted objects

    /// The rows of a leaf for each row that is removed from it, from which on gaps are closed one
    /// by one. Closing a gap moves the bytes behind it at once, a pass over a column each value by
    /// itself.
    private static let rowsForGap = 48

    /// Removes the rows of objects that a transaction has deleted one by one, given in ascending
    /// order of their keys. What their values own must already be freed.
    ///
    /// Rows that follow each other are removed at once, and so are many of one leaf. The leaf at
    /// the end of the path is looked at first, because freeing what the last object's values own
    /// often led there just before.
    ///
    /// `limitingMemory`: no pointers into pages are held (``Pager/limitMemory()``).
    func removeTogether(
        _ writer: TreeWriter, _ root: inout TreeRoot, keys: UnsafeBufferPointer<ObjectKey>,
        limitingMemory: Bool
    ) throws(StorageError) {
        var next = 0
        while next < keys.count {
            if limitingMemory { try writer.pager.limitMemory() }
            if root.reference.isNone { throw writer.pager.noSuchObject(keys[next]) }
            let isThere = writer.hasPath(to: treeID) && writer.row(of: keys[next]) != nil
            if !isThere {
                _ = try writer.descend(&root, .cluster) { Self.childRow($0, keys[next]) }
            }
            let (rows, count) = try nextRows(writer, keys, from: next)
            let leaf = writer.leaf
            let before = leaf.rowCount
            if rows.count == before, count == before {
                try removeWholeLeaf(writer, &root)
            } else if count == rows.count {
                guard prepareRemoval(leaf, of: rows) else {
                    // Only a fresh path has the headroom that a split needs.
                    if isThere {
                        writer.dropPath()
                    } else {
                        try makeRoom(writer, &root, after: .leafFull)
                    }
                    continue
                }
                try removeRows(writer, rows)
                try writer.addToCounts(&root, -count)
                if Self.isDueForMerging(rows: before - count, before: before) {
                    try mergeOrShrinkLeaf(writer, &root, covering: keys[next])
                } else {
                    writer.keepPath(to: treeID)
                }
            } else {
                let scattered = UnsafeBufferPointer(rebasing: keys[next..<next + count])
                try remove(writer, &root, keys: scattered, limitingMemory: limitingMemory)
            }
            next += count
        }
    }

    /// The rows of the next objects in the leaf at the end of the path, and the number of these
    /// objects: a run of rows, or, if many of the leaf are removed, the range from the first of
    /// them to the last.
    private func nextRows(
        _ writer: TreeWriter, _ keys: UnsafeBufferPointer<ObjectKey>, from next: Int
    ) throws(StorageError) -> (rows: Range<Int>, count: Int) {
        let leaf = writer.leaf.reading
        guard let first = writer.row(of: keys[next]) else {
            throw writer.pager.noSuchObject(keys[next])
        }
        let last = leaf.objectKey(leaf.rowCount - 1)
        // Doubling steps, then halving, because often all keys are in one leaf or few are.
        var (inside, step) = (next, 1)
        while inside + step < keys.count, keys[inside + step].rawValue <= last.rawValue {
            inside += step
            step *= 2
        }
        var end = min(inside + step, keys.count)
        while inside + 1 < end {
            let middle = (inside + end) / 2
            if keys[middle].rawValue <= last.rawValue { inside = middle } else { end = middle }
        }
        let count = inside + 1 - next
        guard let lastRow = leaf.row(of: keys[inside]), lastRow - first + 1 >= count else {
            throw writer.pager.noSuchObject(keys[inside])
        }
        let isRun = lastRow - first + 1 == count
        if isRun, leaf.keyColumn >= 0 {
            // A key without a row would have another object's removed.
            for offset in 0..<count where leaf.objectKey(first + offset) != keys[next + offset] {
                throw writer.pager.noSuchObject(keys[next + offset])
            }
        }
        if isRun || count * Self.rowsForGap >= leaf.rowCount { return (first..<lastRow + 1, count) }
        return (first..<first + 1, 1)
    }

    /// Prepares a leaf for the removal of rows. Returns false if it has no room for what its
    /// columns become.
    private func prepareRemoval(_ leaf: MutableNode, of rows: Range<Int>) -> Bool {
        leaf.prepareRemoval(of: rows) && keepKeys(leaf, whenRemoving: rows)
    }

    /// Prepares a leaf's keys for the removal of some rows. A dense leaf stays dense if it loses
    /// its first or last rows; otherwise it gets a key column.
    private func keepKeys(_ leaf: MutableNode, whenRemoving rows: Range<Int>) -> Bool {
        let view = leaf.reading
        if view.keyColumn >= 0 || rows.upperBound == view.rowCount { return true }
        if rows.lowerBound == 0 {
            leaf.setLowKey(view.lowKey + Int64(rows.count))
            return true
        }
        return addKeyColumn(leaf)
    }
}
