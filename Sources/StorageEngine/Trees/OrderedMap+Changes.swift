/// Adding and removing many entries leaf by leaf, with one descent per leaf.
extension OrderedMap {
    /// The least number of consecutive removals that one pass over a leaf makes faster than single
    /// removals.
    private static let manyRemovals = 8

    /// Applies changes to a map without values. Entries to be removed must exist, and entries to be
    /// added must not. The changes are sorted, and otherwise left as they are. With
    /// `limitingMemory`, the caller holds no pointers into pages, so memory may be released between
    /// leaves (``Pager/limitMemory()``).
    func make(
        _ changes: inout MapChanges, _ writer: TreeWriter, in root: inout TreeRoot, treeID: UInt32,
        limitingMemory: Bool = false
    ) throws(StorageError) {
        precondition(valueCount == 0, "changes have no values")
        try changes.withSorted(
            integers: { changes throws(StorageError) in
                try make(changes, writer, in: &root, treeID: treeID, limitingMemory: limitingMemory)
            },
            strings: { changes throws(StorageError) in
                try make(changes, writer, in: &root, treeID: treeID, limitingMemory: limitingMemory)
            })
    }

    private func make<Change: MapChange>(
        _ changes: UnsafeBufferPointer<Change>, _ writer: TreeWriter, in root: inout TreeRoot,
        treeID: UInt32, limitingMemory limitsMemory: Bool
    ) throws(StorageError) {
        var selection = RowSelection()
        var next = 0
        while next < changes.count {
            if limitsMemory { try writer.pager.limitMemory() }
            if root.reference.isNone { root.reference = try makeLeaf(writer, treeID).0 }
            let change = changes[next]
            let leaf = try writer.descend(&root, format) {
                childRow($0, change.first, second: change.second)
            }
            let end = endOfLeaf(writer, changes, from: next)
            let before = leaf.rowCount
            var row = 0
            while next < end {
                if changes[next].isRemoval {
                    guard
                        try remove(
                            leaf, changes, from: &next, upTo: end, at: &row, selection: &selection,
                            by: writer, in: root)
                    else { break }
                } else if try add(leaf, changes[next], at: &row, by: writer, in: root) {
                    next += 1
                } else {
                    break
                }
            }
            try writer.addToCounts(&root, leaf.rowCount - before)
            let rows = leaf.rowCount
            // The leaf has no room for the next change: make room and descend again.
            if next < end {
                if isLongRun(changes[next..<end], before: row, of: leaf.reading) {
                    // The run then goes on at the end of the left part and fills it.
                    try split(writer, &root, at: row)
                } else {
                    try makeRoom(writer, &root, for: changes[next].first, at: row)
                }
            } else if rows == 0 {
                try writer.removeLeaf(&root, format)
            } else if rows < before, ClusterTree.isDueForMerging(rows: rows, before: before) {
                try mergeLeaf(writer, &root)
            }
        }
    }

    /// Returns the index of the first change that belongs behind the leaf at the end of the path.
    /// The path leads to the change at `next`.
    private func endOfLeaf<Change: MapChange>(
        _ writer: TreeWriter, _ changes: UnsafeBufferPointer<Change>, from next: Int
    ) -> Int {
        // The nearest separator on the right is in the lowest branch that has a further child.
        for level in stride(from: writer.depth - 2, through: 0, by: -1) {
            let branch = writer.steps[level].node.reading
            let separator = writer.steps[level].index + 1
            guard separator < branch.rowCount else { continue }
            var end = next + 1
            while end < changes.count,
                isBefore(changes[end], branch, column: BranchColumn.key, row: separator)
            { end += 1 }
            return end
        }
        return changes.count
    }

    /// Whether a change's key comes before that of a row.
    @inline(__always)
    private func isBefore(_ change: some MapChange, _ node: Node, column: Int, row: Int) -> Bool {
        switch change.first {
        case .integer(let key):
            let other = node.integer(column, row)
            return key != other ? key < other : change.second < node.integer(column + 1, row)
        case .bytes(let key):
            let order = node.order(column, row, toKey: key)
            return order != 0 ? order > 0 : change.second < node.integer(column + 1, row)
        }
    }

    /// Adds an entry at or after `row`, and sets `row` to its position. Returns false if the leaf
    /// has no room.
    @inline(__always)
    private func add(
        _ leaf: MutableNode, _ change: some MapChange, at row: inout Int, by writer: TreeWriter,
        in root: TreeRoot
    ) throws(StorageError) -> Bool {
        let (first, second) = (change.first, change.second)
        row = lowerBound(leaf.reading, 0, of: first, second: second, from: row)
        if row < leaf.rowCount, isEqual(leaf.reading, 0, at: row, to: first, second: second) {
            throw writer.pager.damaged(root.reference.page, "a map has an entry already")
        }
        guard leaf.insertPlaceholderRow(at: row) else { return false }
        if setKey(leaf, row, to: first, second: second) { return true }
        leaf.removeRow(at: row)
        return false
    }

    /// Removes the entries of the changes from `next` on, up to one that adds. Returns false if the
    /// leaf has no room to write its ramps out; `row` is then that of an entry still to be removed.
    private func remove<Change: MapChange>(
        _ leaf: MutableNode, _ changes: UnsafeBufferPointer<Change>, from next: inout Int,
        upTo end: Int, at row: inout Int, selection: inout RowSelection, by writer: TreeWriter,
        in root: TreeRoot
    ) throws(StorageError) -> Bool {
        var stop = next
        while stop < end, changes[stop].isRemoval { stop += 1 }
        func find(_ change: Change, from start: Int) throws(StorageError) -> Int {
            guard let row = self.row(leaf.reading, change.first, second: change.second, from: start)
            else {
                throw writer.pager.damaged(
                    root.reference.page, "a map lacks an entry that belongs in it")
            }
            return row
        }
        if stop - next < Self.manyRemovals {
            while next < stop {
                row = try find(changes[next], from: row)
                guard leaf.prepareRemoval(ofRow: row) else { return false }
                leaf.removeRow(at: row)
                next += 1
            }
            return true
        }
        // This estimate avoids searching for thousands of rows in a leaf that must be split anyway.
        guard leaf.mayHaveRoom(toKeep: leaf.rowCount - (stop - next)) else {
            row = try find(changes[next], from: row)
            return false
        }
        selection.begin()
        for change in changes[next..<stop] {
            try selection.remove(find(change, from: max(row, selection.end)))
        }
        selection.finish(rowCount: leaf.rowCount)
        row = Int(selection.removed[0])
        guard leaf.hasRoom(toKeep: selection, andColumn: false) else { return false }
        leaf.keepRows(of: selection)
        next = stop
        return true
    }

    /// Returns the row of an entry in a leaf, at or after `start`. Cheapest for rows near `start`.
    @inline(__always)
    private func row(_ leaf: Node, _ first: FirstKey, second: Int64, from start: Int) -> Int? {
        let rows = leaf.rowCount
        for row in start..<max(start, min(start + 4, rows))
        where isEqual(leaf, 0, at: row, to: first, second: second) { return row }
        let row = lowerBound(leaf, 0, of: first, second: second, from: start)
        return row < rows && isEqual(leaf, 0, at: row, to: first, second: second) ? row : nil
    }

    /// Whether many entries all go before one row of a leaf, and other rows are before it.
    private func isLongRun<Change: MapChange>(
        _ changes: Slice<UnsafeBufferPointer<Change>>, before row: Int, of leaf: Node
    ) -> Bool {
        row > 0 && row < leaf.rowCount && changes.count >= leaf.rowCount / 8
            && isBefore(changes[changes.endIndex - 1], leaf, column: 0, row: row)
    }
}
