extension NodeDraft {
    /// Copies rows of every column that is not spilled. Both nodes have the same columns.
    func copyRows(from source: Node, _ rows: Range<Int>, at row: Int) {
        for c in 0..<columnCount where !entry(c).isSpilled {
            copyRows(from: source, column: c, rows: rows, to: c, at: row)
        }
    }

    /// Copies rows of one column, converting between encodings. Bytes are appended to the heap.
    func copyRows(
        from source: Node, column sc: Int, rows: Range<Int>, to c: Int, at row: Int
    ) {
        if rows.isEmpty { return }
        copyNulls(from: source, sc, rows: rows, to: c, at: row)
        switch entry(c).kind {
        case .integer, .float, .double: copyPacked(from: source, sc, rows: rows, to: c, at: row)
        case .bytes: copyBytes(from: source, sc, rows: rows, to: c, at: row)
        case .fixed16:
            (target + entry(c).dataOffset + row * 16).copyMemory(
                from: source.fixed16(sc, rows.lowerBound), byteCount: rows.count * 16)
        case .fixed12:
            (target + entry(c).dataOffset + row * 12).copyMemory(
                from: source.fixed12(sc, rows.lowerBound), byteCount: rows.count * 12)
        }
    }

    private func copyNulls(from source: Node, _ sc: Int, rows: Range<Int>, to c: Int, at row: Int) {
        let nulls = entry(c).nullOffset
        guard nulls != 0, let sourceNulls = source.nullBitmap(sc) else { return }
        for i in 0..<rows.count {
            let bit = PackedNumbers.load(sourceNulls, rows.lowerBound + i, width: 1)
            PackedNumbers.store(target + nulls, row + i, width: 1, delta: bit)
        }
    }

    private func copyPacked(
        from source: Node, _ sc: Int, rows: Range<Int>, to c: Int, at row: Int
    ) {
        let s = source.entry(sc)
        let e = entry(c)
        // A ramp has no packed values: its directory entry defines them all.
        if e.isRamp { return }
        let width = e.width
        let data = target + e.dataOffset
        if s.isRamp {
            for i in 0..<rows.count {
                let value = s.base &+ Int64(rows.lowerBound + i)
                PackedNumbers.store(
                    data, row + i, width: width, delta: UInt64(bitPattern: value &- e.base))
            }
            return
        }
        let sameCode = s.width == width && s.base == e.base && s.isWhole == e.isWhole
        if sameCode, width >= 8 || (row % 8 == 0 && rows.lowerBound % 8 == 0) {
            let from = source.base + s.dataOffset + rows.lowerBound * width / 8
            (data + row * width / 8).copyMemory(
                from: from, byteCount: (rows.count * width + 7) / 8)
            return
        }
        if s.isWhole && !e.isWhole {
            return copyImages(from: source, sc, rows: rows, to: c, at: row)
        }
        PackedNumbers.copy(
            source.base + s.dataOffset, rows, width: s.width, to: data, at: row, width: width,
            adding: UInt64(bitPattern: s.base &- e.base))
        guard source.hasNulls(sc) else { return }
        for i in 0..<rows.count where source.isNull(sc, rows.lowerBound + i) {
            PackedNumbers.store(data, row + i, width: width, delta: 0)
        }
    }

    /// Copies rows of a whole column to a column that also holds fractions, as images.
    private func copyImages(
        from source: Node, _ sc: Int, rows: Range<Int>, to c: Int, at row: Int
    ) {
        let e = entry(c)
        let (data, width, base, kind) = (target + e.dataOffset, e.width, e.base, e.kind)
        for i in 0..<rows.count where !source.isNull(sc, rows.lowerBound + i) {
            let image = PackedNumbers.image(
                whole: source.packed(sc, rows.lowerBound + i), kind: kind)
            let delta = UInt64(bitPattern: image &- base)
            PackedNumbers.store(data, row + i, width: width, delta: delta)
        }
    }

    private func copyBytes(
        from source: Node, _ sc: Int, rows: Range<Int>, to c: Int, at row: Int
    ) {
        let s = source.entry(sc)
        let e = entry(c)
        if s.prefixLength | e.prefixLength != 0 {
            copyPrefix(from: source, sc, row: rows.lowerBound, to: e)
            if s.prefixLength != e.prefixLength {
                return copyTails(from: source, sc, rows: rows, to: e, at: row)
            }
        }
        let start = source.startOffset(s, rows.lowerBound)
        let count = source.startOffset(s, rows.upperBound) - start
        let used = e.heapUsed
        (target + e.heapOffset + used).copyMemory(
            from: source.base + s.heapOffset + start, byteCount: count)
        e.heapUsed = used + count
        if s.hasPackedEnds || e.hasPackedEnds {
            return copyEnds(from: source, s, rows: rows, to: e, at: row, by: used - start)
        }
        let shift = UInt16(truncatingIfNeeded: used - start)
        let from = source.base + s.dataOffset + rows.lowerBound * 2
        let to = target + e.dataOffset + row * 2
        for i in 0..<rows.count {
            let offset = from.loadUnaligned(fromByteOffset: i * 2, as: UInt16.self)
            // The sum of an offset and the shift stays below 2^15, so the flag in bit 15 is carried
            // over separately.
            let moved = ((offset & 0x7FFF) &+ shift) | (offset & 0x8000)
            to.storeBytes(of: moved, toByteOffset: i * 2, as: UInt16.self)
        }
    }

    /// Writes the prefix of a column, with which the string of this row begins.
    private func copyPrefix(from source: Node, _ sc: Int, row: Int, to e: ColumnEntry) {
        let (prefix, tail) = (source.prefix(sc), source.bytes(sc, row))
        let place = target + e.prefixOffset
        let kept = min(prefix.count, e.prefixLength)
        if kept > 0 { place.copyMemory(from: prefix.baseAddress!, byteCount: kept) }
        let added = min(tail.count, e.prefixLength - kept)
        if added > 0 { (place + kept).copyMemory(from: tail.baseAddress!, byteCount: added) }
    }

    /// Copies the strings of rows to a column with another length of its prefix. None of them is
    /// shorter than that, or refers to a value elsewhere.
    private func copyTails(
        from source: Node, _ sc: Int, rows: Range<Int>, to e: ColumnEntry, at row: Int
    ) {
        let prefix = source.prefix(sc)
        let heap = target + e.heapOffset
        let added = max(0, prefix.count - e.prefixLength)
        let dropped = max(0, e.prefixLength - prefix.count)
        var end = e.heapUsed
        for i in 0..<rows.count {
            let start = end
            if added > 0 {
                (heap + end).copyMemory(
                    from: prefix.baseAddress! + e.prefixLength, byteCount: added)
                end += added
            }
            let tail = source.bytes(sc, rows.lowerBound + i)
            let kept = tail.count - dropped
            if kept > 0 {
                (heap + end).copyMemory(from: tail.baseAddress! + dropped, byteCount: kept)
                end += kept
            }
            if e.hasPackedEnds {
                PackedEnds(e, in: target).place(row + i, from: start, to: end)
            } else {
                target.storeBytes(
                    of: UInt16(truncatingIfNeeded: end),
                    toByteOffset: e.dataOffset + (row + i) * 2, as: UInt16.self)
            }
        }
        e.heapUsed = end
    }

    /// Copies end offsets where one of the columns has them packed, and adds `distance` to them.
    private func copyEnds(
        from source: Node, _ s: ColumnEntry, rows: Range<Int>, to e: ColumnEntry, at row: Int,
        by distance: Int
    ) {
        guard e.hasPackedEnds else {
            let ends = target + e.dataOffset + row * 2
            for i in 0..<rows.count {
                let end = Int(source.endOffset(s, rows.lowerBound &+ i)) &+ distance
                ends.storeBytes(
                    of: UInt16(truncatingIfNeeded: end), toByteOffset: i &* 2, as: UInt16.self)
            }
            return
        }
        let ends = PackedEnds(e, in: target)
        var start = source.startOffset(s, rows.lowerBound) + distance
        for i in 0..<rows.count {
            let end = Int(source.endOffset(s, rows.lowerBound &+ i) & 0x7FFF) &+ distance
            ends.place(row &+ i, from: start, to: end)
            start = end
        }
    }
}
