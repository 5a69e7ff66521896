/// Removal of many objects leaf by leaf: each leaf takes one descent, and one pass over each
/// column.
extension ClusterTree {
    /// Removes the rows of existing objects, given in ascending order of their keys. What their
    /// values own must already be freed.
    ///
    /// `limitingMemory`: the caller holds no pointers into pages, because memory may be released
    /// between leaves.
    func remove(
        _ writer: TreeWriter, _ root: inout TreeRoot, keys: UnsafeBufferPointer<ObjectKey>,
        limitingMemory: Bool = true
    ) throws(StorageError) {
        var selection = RowSelection()
        var relativeKeys = ContiguousArray<Int64>()
        var next = 0
        while next < keys.count {
            if limitingMemory { try writer.pager.limitMemory() }
            if root.reference.isNone { throw writer.pager.noSuchObject(keys[next]) }
            let leaf = try writer.descend(&root, .cluster) { Self.childRow($0, keys[next]) }
            let after = leaf.reading.select(keys, from: next, into: &selection)
            guard after > next else { throw writer.pager.noSuchObject(keys[next]) }
            if selection.kept.isEmpty {
                try removeWholeLeaf(writer, &root)
            } else if hasRoom(leaf, toKeep: selection) {
                try keepRows(writer, selection, relativeKeys: &relativeKeys)
                try writer.addToCounts(&root, -selection.removed.count)
                let (rows, removed) = (selection.kept.count, selection.removed.count)
                if Self.isDueForMerging(rows: rows, before: rows + removed) {
                    try mergeOrShrinkLeaf(writer, &root, covering: keys[next])
                }
            } else {
                try makeRoom(writer, &root, after: .leafFull)
                continue
            }
            next = after
        }
    }

    func removeWholeLeaf(_ writer: TreeWriter, _ root: inout TreeRoot) throws(StorageError) {
        let leaf = writer.leaf
        for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
            try writer.pager.free(leaf.reading.spillReference(column))
        }
        try writer.addToCounts(&root, -leaf.reading.rowCount)
        try writer.removeLeaf(&root, .cluster)
    }

    /// Whether a dense leaf needs a key column because its keys get gaps.
    private func needsKeyColumn(_ leaf: Node, toKeep selection: RowSelection) -> Bool {
        leaf.keyColumn < 0 && !selection.keepsNeighbours
    }

    private func hasRoom(_ leaf: MutableNode, toKeep selection: RowSelection) -> Bool {
        leaf.hasRoom(
            toKeep: selection, andColumn: needsKeyColumn(leaf.reading, toKeep: selection))
    }

    private func keepRows(
        _ writer: TreeWriter, _ selection: RowSelection,
        relativeKeys: inout ContiguousArray<Int64>
    ) throws(StorageError) {
        let leaf = writer.leaf
        for column in 0..<leaf.reading.columnCount where leaf.reading.isSpilled(column) {
            _ = try changeSpill(writer, column, rows: leaf.reading.rowCount) {
                $0.keepRows(of: selection)
                return true
            }
        }
        leaf.keepRows(of: selection)
        writer.rowsMoved()
        if needsKeyColumn(leaf.reading, toKeep: selection) {
            relativeKeys.removeAll(keepingCapacity: true)
            relativeKeys.append(contentsOf: selection.kept.lazy.map(Int64.init))
            let fits = relativeKeys.withUnsafeBufferPointer { addKeyColumn(leaf, $0) }
            precondition(fits, "room for the key column was looked for before")
        } else if leaf.reading.keyColumn < 0 {
            leaf.setLowKey(leaf.reading.lowKey + Int64(selection.kept[0]))
        }
    }
}

extension Node {
    /// Selects the rows of a cluster leaf that hold the keys from `next` on, which ascend, as far
    /// as the leaf reaches. Returns the position of the first key that is not in the leaf.
    func select(
        _ keys: UnsafeBufferPointer<ObjectKey>, from next: Int, into selection: inout RowSelection
    ) -> Int {
        selection.begin()
        var next = next
        while next < keys.count, let row = row(of: keys[next], from: selection.end) {
            selection.remove(row)
            next += 1
        }
        selection.finish(rowCount: rowCount)
        return next
    }

    /// Returns the row of an object in a cluster leaf, at or after row `start`. Cheapest for rows
    /// near `start`.
    @inline(__always)
    func row(of key: ObjectKey, from start: Int) -> Int? {
        let relative = key.rawValue &- lowKey
        let column = keyColumn
        let rows = rowCount
        if column < 0 { return relative >= 0 && relative < rows ? Int(relative) : nil }
        var row = start
        let near = min(start &+ 8, rows)
        while row < near, integer(column, row) < relative { row &+= 1 }
        if row == near { row = lowerBound(column, relative, in: near..<rows) }
        return row < rows && integer(column, row) == relative ? row : nil
    }
}
