/// Removal of many rows at once: every column is compacted in one pass.
extension MutableNode {
    /// Keeps these rows, which ascend, and removes the others of every column that is not spilled.
    /// Widths do not change, except those of ramps if the kept rows are not consecutive.
    ///
    /// - Precondition: The node has room for what its ramps become
    ///   (`hasRoom(toKeep:andColumn:)`).
    func keepRows(_ kept: UnsafeBufferPointer<Int32>) {
        let count = rowCount
        var first = 0
        while first < kept.count, kept[first] == first { first += 1 }
        guard first < kept.count else { return removeRows(kept.count..<count) }
        for c in 0..<columnCount {
            let e = entry(c)
            if e.isSpilled || e.isRamp { continue }
            if e.kind == .bytes, e.hasPackedEnds {
                keepPackedHeap(e, kept, from: first)
            } else if e.kind == .bytes {
                keepHeap(e, kept, from: first)
            } else {
                keepValues(base + e.dataOffset, width: e.width, keeping: kept, from: first)
            }
            if e.nullOffset != 0 {
                keepValues(base + e.nullOffset, width: 1, keeping: kept, from: first)
            }
        }
        header.rowCount = kept.count
        keepRamps(kept)
    }

    /// Gives ramps the values of the kept rows. Runs last, because laying out again copies the
    /// other columns, which must already be compacted.
    private func keepRamps(_ kept: UnsafeBufferPointer<Int32>) {
        guard (0..<columnCount).contains(where: { entry($0).isRamp }) else { return }
        let (first, last) = (Int64(kept[0]), Int64(kept[kept.count - 1]))
        if last - first == Int64(kept.count - 1) {
            for c in 0..<columnCount where entry(c).isRamp { entry(c).base += first }
            return
        }
        let draft = NodeDraft(revising: self)
        for c in 0..<columnCount where entry(c).isRamp {
            let d = draft.entry(c)
            d.base += first
            d.isRamp = false
            d.width = PackedNumbers.width(low: first, high: last)
        }
        let fits = draft.assignOffsets(rows: kept.count)
        precondition(fits, "Room for the ramps was looked for before.")
        for c in 0..<columnCount where !entry(c).isSpilled {
            let d = draft.entry(c)
            guard entry(c).isRamp else {
                draft.copyRows(from: reading, column: c, rows: 0..<kept.count, to: c, at: 0)
                continue
            }
            for row in kept.indices {
                PackedNumbers.store(
                    draft.target + d.dataOffset, row, width: d.width,
                    delta: UInt64(Int64(kept[row]) - first))
            }
        }
        draft.install(in: self)
    }

    /// Whether ramps may still fit once they keep only `rows` of their rows, which need not be
    /// known individually. False spares the caller from determining which rows. A leaf of ramps may
    /// have tens of thousands of rows and be split several times before it has room.
    func mayHaveRoom(toKeep rows: Int) -> Bool {
        let ramps = (0..<columnCount).count { entry($0).isRamp }
        if ramps == 0 || rows < 2 { return true }
        let width = PackedNumbers.width(low: 0, high: Int64(rows - 1))
        return NodeDraft.bytes(directoryOf: columnCount) + ramps * (rows * width / 8) <= byteCount
    }

    /// Whether the contents would fit with only these rows and, if `addsColumn`, with one more
    /// integer column of their row numbers. Rows that are not consecutive end all ramps.
    ///
    /// Byte columns count all their bytes, so the estimate is an upper bound.
    func hasRoom(toKeep kept: UnsafeBufferPointer<Int32>, andColumn addsColumn: Bool) -> Bool {
        guard let first = kept.first, let last = kept.last else { return true }
        let rows = kept.count
        let areNeighbours = Int(last - first) == rows - 1
        let ramps = areNeighbours ? 0 : (0..<columnCount).count { entry($0).isRamp }
        let columns = ramps + (addsColumn ? 1 : 0)
        if columns == 0 { return true }
        let width = PackedNumbers.width(low: Int64(first), high: Int64(last))
        var total = NodeDraft.bytes(directoryOf: columnCount + (addsColumn ? 1 : 0))
        total += columns * ((rows * width + 63) / 64 * 8)
        for c in 0..<columnCount {
            total += NodeDraft.packedBytes(reading, column: c, rows: rows)
        }
        return total <= byteCount
    }

    @inline(__always)
    private func keepValues(
        _ data: UnsafeMutableRawPointer, width: Int, keeping kept: UnsafeBufferPointer<Int32>,
        from first: Int
    ) {
        switch width {
        case 0: return
        case 8: keep(data, as: UInt8.self, only: kept, from: first)
        case 16: keep(data, as: UInt16.self, only: kept, from: first)
        case 32: keep(data, as: UInt32.self, only: kept, from: first)
        case 64: keep(data, as: UInt64.self, only: kept, from: first)
        case 96, 128:
            let size = width / 8
            for row in first..<kept.count {
                (data + row &* size).copyMemory(
                    from: data + Int(kept[row]) &* size, byteCount: size)
            }
        default:
            for row in first..<kept.count {
                let value = PackedNumbers.load(data, Int(kept[row]), width: width)
                PackedNumbers.store(data, row, width: width, delta: value)
            }
        }
    }

    @inline(__always)
    private func keep<T: BitwiseCopyable>(
        _ data: UnsafeMutableRawPointer, as type: T.Type, only kept: UnsafeBufferPointer<Int32>,
        from first: Int
    ) {
        let size = MemoryLayout<T>.size
        for row in first..<kept.count {
            let value = data.loadUnaligned(fromByteOffset: Int(kept[row]) &* size, as: T.self)
            data.storeBytes(of: value, toByteOffset: row &* size, as: T.self)
        }
    }

    /// Compacts a heap in place. A row only moves down, so the end offsets of rows still to come
    /// are intact.
    private func keepHeap(_ e: ColumnEntry, _ kept: UnsafeBufferPointer<Int32>, from first: Int) {
        let view = reading
        let heap = base + e.heapOffset
        var used = view.startOffset(e, first)
        for row in first..<kept.count {
            let source = Int(kept[row])
            let start = view.startOffset(e, source)
            let end = view.endOffset(e, source)
            let length = Int(end & 0x7FFF) &- start
            (heap + used).copyMemory(from: heap + start, byteCount: length)
            used &+= length
            let offset = UInt16(truncatingIfNeeded: used) | (end & 0x8000)
            base.storeBytes(of: offset, toByteOffset: e.dataOffset &+ row &* 2, as: UInt16.self)
        }
        e.heapUsed = used
    }

    /// Compacts a heap whose end offsets are packed. They are copied first, because a block that
    /// begins elsewhere has other ends for rows that are still to come.
    private func keepPackedHeap(
        _ e: ColumnEntry, _ kept: UnsafeBufferPointer<Int32>, from first: Int
    ) {
        let heap = base + e.heapOffset
        let ends = PackedEnds(e, in: base)
        var used = reading.startOffset(e, first)
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: kept.count - first) { packed in
            for i in 0..<packed.count {
                let row = Int(kept[first &+ i])
                let start = reading.startOffset(e, row)
                let length = ends.end(row) &- start
                (heap + used).copyMemory(from: heap + start, byteCount: length)
                used &+= length
                packed[i] = UInt16(truncatingIfNeeded: used)
            }
            ends.replace(from: first, by: UnsafeBufferPointer(packed))
        }
        e.heapUsed = used
    }
}
