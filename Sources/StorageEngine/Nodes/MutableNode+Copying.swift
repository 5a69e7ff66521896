extension MutableNode {
    /// Appends rows of another node with the same columns in the same order: all or nothing.
    ///
    /// Columns spilled in this node are left to the caller; others must not be spilled in the
    /// source.
    public func appendRows(from source: Node, _ rows: Range<Int>) -> Bool {
        insertRows(from: source, rows, at: rowCount)
    }

    /// Inserts rows of another node with the same columns in the same order: all or nothing.
    ///
    /// Columns get the narrowest encoding that holds what is there afterwards.
    public func insertRows(from source: Node, _ rows: Range<Int>, at row: Int) -> Bool {
        if rows.isEmpty { return true }
        precondition(source.columnCount == columnCount, "The nodes have other columns.")
        let draft = NodeDraft(revising: self)
        for c in 0..<columnCount where !entry(c).isSpilled {
            precondition(
                source.format(c) == reading.format(c) && !source.isSpilled(c),
                "The nodes have other columns.")
            draft.adopt(column: c, of: reading, 0..<rowCount, and: source, c, rows)
        }
        let count = rowCount
        guard draft.assignOffsets(rows: count + rows.count) else { return false }
        draft.copyRows(from: reading, 0..<row, at: 0)
        draft.copyRows(from: source, rows, at: row)
        draft.copyRows(from: reading, row..<count, at: row + rows.count)
        draft.install(in: self)
        header.rowCount = count + rows.count
        return true
    }
}

extension NodeDraft {
    /// Wishes for column `c` an encoding that holds rows of two nodes.
    func adopt(
        column c: Int, of first: Node, _ firstRows: Range<Int>, and second: Node, _ sc: Int,
        _ secondRows: Range<Int>
    ) {
        let e = entry(c)
        let anyNull =
            first.hasNull(c, firstRows) || second.hasNull(sc, secondRows)
        e.nullOffset = anyNull ? 1 : 0
        if !anyNull { e.flags &= ~ColumnEntry.hasNulls }
        switch e.kind {
        case .integer, .float, .double:
            let whole =
                (firstRows.isEmpty || first.isWhole(c))
                && (secondRows.isEmpty || second.isWhole(sc))
            var bounds = first.packedBounds(
                c, firstRows, toImage: first.isWhole(c) && !whole)
            bounds.formUnion(
                second.packedBounds(sc, secondRows, toImage: second.isWhole(sc) && !whole))
            let empty = bounds.isEmpty
            e.width = empty ? 0 : PackedNumbers.width(low: bounds.low, high: bounds.high)
            e.base = empty || e.width == 64 ? 0 : bounds.low
            if e.kind != .integer { e.isWhole = whole }
        case .bytes:
            e.heapCapacity = first.heapBytes(c, firstRows) + second.heapBytes(sc, secondRows)
        case .fixed16, .fixed12: break
        }
    }
}

extension Node {
    func hasNull(_ c: Int, _ rows: Range<Int>) -> Bool {
        guard hasNulls(c) else { return false }
        for row in rows where isNull(c, row) { return true }
        return false
    }

    /// Heap bytes of some rows.
    func heapBytes(_ c: Int, _ rows: Range<Int>) -> Int {
        let e = entry(c)
        return startOffset(e, rows.upperBound) - startOffset(e, rows.lowerBound)
    }
}
