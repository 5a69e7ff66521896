/// Places the values of a new last row without laying the node out again: no column changes its
/// base, its width or its regions.
///
/// The row is written beyond the last one and exists once `rowCount` includes it. If one of its
/// values does not fit, ``takeBackRow(_:before:)`` undoes what was added to heaps. The node has at
/// least one row, and room for one more.
extension MutableNode {
    /// Places a number in a column without changing base or width. Returns false, with nothing
    /// changed, if the number needs another encoding. A value that continues a ramp takes no room.
    @inline(__always)
    func place(packed value: Int64, _ e: ColumnEntry, at row: Int) -> Bool {
        let width = e.width
        let delta = UInt64(bitPattern: value &- e.base)
        if width == 0 {
            guard value >= e.base, delta == (e.isRamp ? UInt64(row) : 0) else { return false }
        } else {
            // The masking shift is safe because the width is below 64 here.
            guard
                width == 64
                    || (value >= e.base && delta &>> UInt64(truncatingIfNeeded: width) == 0)
            else { return false }
            PackedNumbers.store(base + e.dataOffset, row, width: width, delta: delta)
        }
        clearNull(e, row)
        return true
    }

    /// Places a floating-point number in the encoding that the column has.
    @inline(__always)
    func place(whole: Int64?, image: Int64, in e: ColumnEntry, at row: Int) -> Bool {
        if !e.isWhole { return place(packed: image, e, at: row) }
        guard let whole else { return false }
        return place(packed: whole, e, at: row)
    }

    /// Places bytes, which may lie in this node because the heap does not move.
    func place(_ bytes: UnsafeRawBufferPointer, _ e: ColumnEntry, at row: Int) -> Bool {
        let start = e.heapUsed
        let end = start + bytes.count
        guard end <= min(e.heapCapacity, MutableNode.heapLimit),
            placeEnd(end, e, at: row)
        else { return false }
        if let source = bytes.baseAddress {
            (base + e.heapOffset + start).copyMemory(from: source, byteCount: bytes.count)
        }
        e.heapUsed = end
        clearNull(e, row)
        return true
    }

    /// Places the end of what is about to be added to the heap. Returns false if it needs another
    /// width.
    @inline(__always)
    private func placeEnd(_ end: Int, _ e: ColumnEntry, at row: Int) -> Bool {
        guard e.hasPackedEnds else {
            base.storeBytes(of: UInt16(end), toByteOffset: e.dataOffset + row * 2, as: UInt16.self)
            return true
        }
        let start = e.heapUsed
        guard end - start <= PackedEnds.longest else { return false }
        PackedEnds(e, in: base).place(row, from: start, to: end)
        return true
    }

    /// Places the raw bytes of two numbers.
    func placeFixed(
        _ first: UInt64, _ second: some FixedWidthInteger & BitwiseCopyable, in e: ColumnEntry,
        at row: Int
    ) -> Bool {
        let place = base + (e.dataOffset + row * (8 + second.bitWidth / 8))
        place.storeBytes(of: first.littleEndian, as: UInt64.self)
        place.storeBytes(of: second.littleEndian, toByteOffset: 8, as: type(of: second))
        clearNull(e, row)
        return true
    }

    /// Places a null. Returns false if the column has no null bitmap.
    func placeNull(_ e: ColumnEntry, _ row: Int) -> Bool {
        guard e.nullOffset != 0 else { return false }
        let data = base + e.dataOffset
        switch e.kind {
        case .integer, .float, .double: PackedNumbers.store(data, row, width: e.width, delta: 0)
        case .bytes: _ = placeEnd(e.heapUsed, e, at: row)
        case .fixed16, .fixed12:
            let size = e.width / 8
            (data + row * size).initializeMemory(as: UInt8.self, repeating: 0, count: size)
        }
        PackedNumbers.store(base + e.nullOffset, row, width: 1, delta: 1)
        return true
    }

    /// Undoes what the heaps of columns before `column` received for a row that is not counted yet.
    func takeBackRow(_ row: Int, before column: Int) {
        for c in 0..<column where entry(c).kind == .bytes && !entry(c).isSpilled {
            entry(c).heapUsed = reading.startOffset(entry(c), row)
        }
    }

    /// Inserts a row into a node with one column of bytes and one of integers. The bytes must not
    /// lie in the node. Returns false, with nothing changed, if a column has nulls or the row needs
    /// another layout.
    func insertRow(at row: Int, _ bytes: UnsafeRawBufferPointer, number: Int64) -> Bool {
        let count = rowCount
        guard columnCount == 2, count < reading.rowCapacity else { return false }
        let (texts, numbers) = (entry(0), entry(1))
        let used = texts.heapUsed
        let width = numbers.width
        let delta = UInt64(bitPattern: number &- numbers.base)
        guard width >= 8, number >= numbers.base || width == 64,
            texts.nullOffset | numbers.nullOffset == 0,
            PackedNumbers.fits(delta, width: width),
            PackedEnds.width(longest: bytes.count) <= texts.width,
            used + bytes.count <= min(texts.heapCapacity, MutableNode.heapLimit)
        else { return false }

        let start = reading.startOffset(texts, row)
        let heap = base + (texts.heapOffset + start)
        if let source = bytes.baseAddress {
            (heap + bytes.count).copyMemory(from: heap, byteCount: used - start)
            heap.copyMemory(from: source, byteCount: bytes.count)
        }
        texts.heapUsed = used + bytes.count
        if texts.hasPackedEnds {
            PackedEnds(texts, in: base).insert(bytes.count, at: row, count: count)
        } else {
            openRow(base + texts.dataOffset, width: texts.width, at: row, count: count)
            base.storeBytes(
                of: UInt16(start + bytes.count), toByteOffset: texts.dataOffset + row * 2,
                as: UInt16.self)
            moveOffsets(texts, from: row + 1, count: count + 1, by: bytes.count)
        }
        openRow(base + numbers.dataOffset, width: width, at: row, count: count)
        PackedNumbers.store(base + numbers.dataOffset, row, width: width, delta: delta)
        header.rowCount = count + 1
        return true
    }

    /// Appends a row to a node of two integer columns. Returns false, with nothing changed, if that
    /// needs another layout.
    @inline(__always)
    func appendRow(_ first: Int64, _ second: Int64) -> Bool {
        let row = rowCount
        guard row > 0, row < reading.rowCapacity, columnCount == 2,
            place(packed: first, entry(0), at: row), place(packed: second, entry(1), at: row)
        else { return false }
        header.rowCount = row + 1
        return true
    }
}
