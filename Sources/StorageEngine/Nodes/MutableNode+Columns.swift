extension MutableNode {
    /// Adds a column of zeros or empty values, or of `integers`, which ascend and number one per
    /// row. Returns false if it does not fit.
    func addColumn(
        _ format: ColumnFormat, at index: Int, integers: UnsafeBufferPointer<Int64>? = nil
    ) -> Bool {
        let count = columnCount
        guard count < Int(UInt16.max), NodeDraft.bytes(directoryOf: count + 1) <= byteCount else {
            return false
        }
        let draft = NodeDraft(revising: self)
        MutablePageHeader(draft.target).columnCount = count + 1
        for c in index..<count { draft.setEntry(c + 1, like: entry(c)) }
        let new = draft.entry(index)
        new.initialize(format)
        if let low = integers?.first, let high = integers?.last {
            new.width = PackedNumbers.width(low: low, high: high)
            new.base = new.width == 64 ? 0 : low
        }
        guard draft.assignOffsets(rows: rowCount) else { return false }
        for c in 0..<count where !entry(c).isSpilled {
            draft.copyRows(
                from: reading, column: c, rows: 0..<rowCount, to: c < index ? c : c + 1, at: 0)
        }
        if let integers {
            precondition(integers.count == rowCount, "There is one integer for each row.")
            for row in 0..<rowCount {
                let delta = UInt64(bitPattern: integers[row] &- new.base)
                PackedNumbers.store(
                    draft.target + new.dataOffset, row, width: new.width, delta: delta)
            }
        }
        draft.install(in: self)
        return true
    }

    /// Removes a column. Its room is reused when the node is next laid out.
    func removeColumn(_ c: Int) {
        let count = columnCount
        entry(c).p.copyMemory(
            from: entry(c + 1).p, byteCount: (count - c - 1) * ColumnEntry.size)
        header.columnCount = count - 1
    }

    // MARK: Spilling

    /// Copies a column into an empty node of only that column, made by `format`.
    func copyColumn(_ c: Int, to target: MutableNode) -> Bool {
        precondition(
            target.columnCount == 1 && target.rowCount == 0
                && target.reading.format(0) == reading.format(c),
            "The target must be an empty node of this column.")
        let draft = NodeDraft(revising: target)
        var needs = draft.needs(ofColumn: 0)
        needs.include(reading, c, in: 0..<rowCount)
        needs.wish(in: draft.entry(0), rows: rowCount)
        guard draft.assignOffsets(rows: rowCount) else { return false }
        draft.copyRows(from: reading, column: c, rows: 0..<rowCount, to: 0, at: 0)
        draft.install(in: target)
        target.header.rowCount = rowCount
        return true
    }

    /// Marks a column as stored in another node. Width and base stay as zone map. The column's room
    /// is reused when the node is next laid out.
    func markSpilled(_ c: Int, _ reference: PageReference) {
        precondition(!reference.isNone, "A column cannot be spilled to nowhere.")
        let e = entry(c)
        // Only a malicious file has a prefix here.
        if e.kind == .bytes { e.prefixLength = 0 }
        e.flags = e.flags & ~(ColumnEntry.hasNulls | ColumnEntry.ramp) | ColumnEntry.spilled
        e.dataOffset = 0
        e.nullOffset = 0
        e.spillReference = reference
    }

    /// Updates the reference to a spilled column whose node has moved.
    func setSpillReference(_ c: Int, _ reference: PageReference) {
        precondition(
            entry(c).isSpilled && !reference.isNone, "Only a spilled column has a reference.")
        entry(c).spillReference = reference
    }

    /// Updates the zone map of a spilled column from its node.
    func updateSpillZone(_ c: Int, from spilled: Node) {
        let e = entry(c)
        let other = spilled.entry(0)
        e.width = other.width
        e.base = other.base
        e.isWhole = other.isWhole
    }

    /// Moves a spilled column from its node, which has the same rows, into this one.
    func unspill(_ c: Int, from spilled: Node) -> Bool {
        precondition(
            entry(c).isSpilled && spilled.rowCount == rowCount
                && spilled.format(0) == reading.format(c),
            "The node does not hold this column.")
        let draft = NodeDraft(revising: self)
        draft.setEntry(c, like: spilled.entry(0))
        guard draft.assignOffsets(rows: rowCount) else { return false }
        for d in 0..<columnCount where d != c && !entry(d).isSpilled {
            draft.copyRows(from: reading, column: d, rows: 0..<rowCount, to: d, at: 0)
        }
        draft.copyRows(from: spilled, column: 0, rows: 0..<rowCount, to: c, at: 0)
        draft.install(in: self)
        return true
    }
}
