extension MutableNode {
    /// Appends rows of another node with the same columns in the same order: all or nothing.
    ///
    /// The caller handles columns that are spilled in this node. No other column may be spilled in
    /// the source.
    func appendRows(
        from source: Node, _ rows: Range<Int>, sharingPrefix sharesPrefix: Bool = false
    ) -> Bool {
        insertRows(from: source, rows, at: rowCount, sharingPrefix: sharesPrefix)
    }

    /// Inserts rows of another node with the same columns in the same order: all or nothing.
    ///
    /// Columns get the narrowest encoding that holds the resulting rows. `sharesPrefix`: whether
    /// the first column is one of ascending keys (``SharedPrefix``).
    func insertRows(
        from source: Node, _ rows: Range<Int>, at row: Int,
        sharingPrefix sharesPrefix: Bool = false
    ) -> Bool {
        if rows.isEmpty { return true }
        precondition(source.columnCount == columnCount, "The nodes have other columns.")
        let draft = NodeDraft(revising: self)
        for c in 0..<columnCount where !entry(c).isSpilled {
            precondition(
                source.format(c) == reading.format(c) && !source.isSpilled(c),
                "The nodes have other columns.")
            var needs = draft.needs(ofColumn: c, sharingPrefix: sharesPrefix && c == 0)
            needs.include(reading, c, in: 0..<row)
            needs.include(source, c, in: rows)
            needs.include(reading, c, in: row..<rowCount)
            needs.wish(in: draft.entry(c), rows: rowCount + rows.count)
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

extension Node {
    /// Returns the bytes that the node would take, packed without spare room, with `rows` of
    /// another node inserted at `row`. Both nodes have the same columns, and none is spilled.
    func packedBytes(
        with source: Node, _ rows: Range<Int>, at row: Int, sharingPrefix sharesPrefix: Bool
    ) -> Int {
        var total = NodeDraft.bytes(directoryOf: columnCount)
        for c in 0..<columnCount {
            var needs = ColumnNeeds(
                kind: kind(c), mayBeRamp: mayHoldRamps, sharesPrefix: sharesPrefix && c == 0)
            needs.include(self, c, in: 0..<row)
            needs.include(source, c, in: rows)
            needs.include(self, c, in: row..<rowCount)
            total += needs.bytes(rows: rowCount + rows.count, stringBytes: needs.stringBytes)
        }
        return total
    }
}

extension NodeDraft {
    /// Returns the needs of column `c` before any rows are included.
    func needs(ofColumn c: Int, sharingPrefix sharesPrefix: Bool = false) -> ColumnNeeds {
        ColumnNeeds(
            kind: entry(c).kind, mayBeRamp: reading.mayHoldRamps, sharesPrefix: sharesPrefix)
    }
}
