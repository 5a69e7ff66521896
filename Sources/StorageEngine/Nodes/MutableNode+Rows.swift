extension MutableNode {
    /// Inserts a row whose columns are about to be set.
    ///
    /// Byte columns are empty, raw bytes are zero, and nothing is null. Numbers read as the
    /// column's base until they are set, so that the column's bounds need not include zero in the
    /// meantime. A row appended at the end continues ramps until it is set; a row inserted between
    /// others ends all ramps. The caller handles spilled columns.
    func insertPlaceholderRow(at row: Int) -> Bool {
        let count = rowCount
        if row < count, !writeOutRamps(rows: count + 1) { return false }
        if count == reading.rowCapacity {
            guard layOut(rows: count + 1) else { return false }
        }
        for c in 0..<columnCount { openRow(entry(c), at: row, count: count) }
        header.rowCount = count + 1
        return true
    }

    /// Inserts a row of zeros and empty values, none of them null. The caller handles spilled
    /// columns.
    ///
    /// If all columns are set right afterwards, `insertPlaceholderRow` packs better.
    func insertRow(at row: Int) -> Bool {
        guard insertPlaceholderRow(at: row) else { return false }
        for c in 0..<columnCount where !entry(c).isSpilled {
            let fits =
                switch entry(c).kind {
                case .integer: setInteger(c, row, to: 0)
                case .float: setFloat(c, row, to: 0)
                case .double: setDouble(c, row, to: 0)
                case .bytes, .fixed16, .fixed12: true
                }
            if !fits {
                removeRow(at: row)
                return false
            }
        }
        return true
    }

    private func openRow(_ e: ColumnEntry, at row: Int, count: Int) {
        if e.isSpilled { return }
        let nulls = e.nullOffset
        if nulls != 0 { openRow(base + nulls, width: 1, at: row, count: count) }
        let data = base + e.dataOffset
        guard e.kind == .bytes else {
            openRow(data, width: e.width, at: row, count: count)
            return
        }
        if e.hasPackedEnds { return PackedEnds(e, in: base).insert(at: row, count: count) }
        let start = UInt16(truncatingIfNeeded: reading.startOffset(e, row))
        openRow(data, width: 16, at: row, count: count)
        data.storeBytes(of: start, toByteOffset: row * 2, as: UInt16.self)
    }

    /// Opens a gap of one zero value in an array of packed values.
    @inline(__always)
    func openRow(
        _ data: UnsafeMutableRawPointer, width: Int, at row: Int, count: Int
    ) {
        if width >= 8 {
            let size = width / 8
            let place = data + row * size
            if row < count {
                (place + size).copyMemory(from: place, byteCount: (count - row) * size)
            }
            place.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        } else if width > 0 {
            if row < count {
                PackedBits.insert(data, at: row * width, count: width, total: count * width)
            } else {
                PackedNumbers.store(data, row, width: width, delta: 0)
            }
        }
    }

    /// Prepares the node for the removal of a row, as `prepareRemoval(of:)`.
    func prepareRemoval(ofRow row: Int) -> Bool { prepareRemoval(of: row..<row + 1) }

    /// Prepares the node for the removal of rows. Removing rows between others ends all ramps.
    /// Returns false, with nothing changed, if there is no room to write the ramps out.
    func prepareRemoval(of rows: Range<Int>) -> Bool {
        rows.lowerBound == 0 || rows.upperBound == rowCount || writeOutRamps(rows: rowCount)
    }

    func removeRow(at row: Int) { removeRows(row..<row + 1) }

    /// Removes rows of every column that is not spilled. Does not change any width.
    ///
    /// - Precondition: Rows between others are only removed from a node without ramps; see
    ///   ``prepareRemoval(of:)``.
    func removeRows(_ rows: Range<Int>) {
        if rows.isEmpty { return }
        let count = rowCount
        for c in 0..<columnCount { closeRows(entry(c), rows, count: count) }
        header.rowCount = count - rows.count
    }

    private func closeRows(_ e: ColumnEntry, _ rows: Range<Int>, count: Int) {
        if e.isSpilled { return }
        if e.isRamp { return shorten(e, rows, count: count) }
        if e.kind == .bytes { closeHeap(e, rows, count: count) }
        if e.kind != .bytes || !e.hasPackedEnds {
            closeRows(base + e.dataOffset, width: e.width, rows: rows, count: count)
        }
        if e.nullOffset != 0 { closeRows(base + e.nullOffset, width: 1, rows: rows, count: count) }
    }

    private func shorten(_ ramp: ColumnEntry, _ rows: Range<Int>, count: Int) {
        precondition(
            rows.lowerBound == 0 || rows.upperBound == count, "A ramp is only cut at its ends.")
        if rows.count == count {
            ramp.isRamp = false
        } else if rows.lowerBound == 0 {
            ramp.base += Int64(rows.count)
        }
    }

    private func closeRows(
        _ data: UnsafeMutableRawPointer, width: Int, rows: Range<Int>, count: Int
    ) {
        let tail = count - rows.upperBound
        if width == 0 || tail == 0 { return }
        if width >= 8 {
            let size = width / 8
            (data + rows.lowerBound * size).copyMemory(
                from: data + rows.upperBound * size, byteCount: tail * size)
        } else if rows.count == 1 {
            PackedBits.remove(
                data, at: rows.lowerBound * width, count: width, total: count * width)
        } else {
            for i in 0..<tail {
                let value = PackedNumbers.load(data, rows.upperBound + i, width: width)
                PackedNumbers.store(data, rows.lowerBound + i, width: width, delta: value)
            }
        }
    }

    /// Removes the bytes of the rows from the heap and moves later offsets. The rows' own offsets
    /// remain, unless they are packed.
    private func closeHeap(_ e: ColumnEntry, _ rows: Range<Int>, count: Int) {
        let start = reading.startOffset(e, rows.lowerBound)
        let end = reading.startOffset(e, rows.upperBound)
        let heap = base + e.heapOffset
        (heap + start).copyMemory(from: heap + end, byteCount: e.heapUsed - end)
        e.heapUsed -= end - start
        if e.hasPackedEnds { return closePackedEnds(e, rows, count: count, by: end - start) }
        moveOffsets(e, from: rows.upperBound, count: count, by: start - end)
    }

    private func closePackedEnds(
        _ e: ColumnEntry, _ rows: Range<Int>, count: Int, by removed: Int
    ) {
        let ends = PackedEnds(e, in: base)
        if rows.upperBound == count { return }
        if rows.count == 1 {
            ends.move(from: rows.lowerBound, count: count, by: -removed)
            return ends.remove(at: rows.lowerBound, count: count)
        }
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count - rows.upperBound) { later in
            for i in 0..<later.count {
                later[i] = UInt16(truncatingIfNeeded: ends.end(rows.upperBound &+ i) &- removed)
            }
            ends.replace(from: rows.lowerBound, by: UnsafeBufferPointer(later))
        }
    }

    /// Adds `distance` to the end offsets of rows from `row` on. The flag in bit 15 is carried over
    /// separately, because the sum of the low 15 bits does not reach it.
    @inline(__always)
    func moveOffsets(_ e: ColumnEntry, from row: Int, count: Int, by distance: Int) {
        let data = base + e.dataOffset
        let shift = UInt16(truncatingIfNeeded: distance)
        var i = row
        while i < count {
            let offset = data.loadUnaligned(fromByteOffset: i &* 2, as: UInt16.self)
            let moved = ((offset & 0x7FFF) &+ shift) | (offset & 0x8000)
            data.storeBytes(of: moved, toByteOffset: i &* 2, as: UInt16.self)
            i &+= 1
        }
    }
}
