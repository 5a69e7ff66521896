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
        var needs = ColumnNeeds(kind: entry(c).kind)
        needs.include(first, c, firstRows)
        needs.include(second, sc, secondRows)
        needs.wish(in: entry(c))
    }
}
