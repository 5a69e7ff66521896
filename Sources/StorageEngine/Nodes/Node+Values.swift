extension Node {
    @inlinable @inline(__always)
    public func isNull(_ c: Int, _ row: Int) -> Bool {
        let offset = entry(c).nullOffset
        guard offset != 0 else { return false }
        let byte = base.load(fromByteOffset: offset &+ (row &>> 3), as: UInt8.self)
        return byte & (1 &<< UInt8(truncatingIfNeeded: row & 7)) != 0
    }

    /// The packed number of a row, not yet decoded as floating point.
    @inlinable @inline(__always)
    func packed(_ c: Int, _ row: Int) -> Int64 {
        let e = entry(c)
        let width = e.width
        if width == 0 { return e.isRamp ? e.base &+ Int64(row) : e.base }
        let delta = PackedNumbers.load(base + e.dataOffset, row, width: width)
        return e.base &+ Int64(bitPattern: delta)
    }

    /// The value of an integer column. Meaningless for a null.
    @inlinable @inline(__always)
    public func integer(_ c: Int, _ row: Int) -> Int64 { packed(c, row) }

    @inlinable @inline(__always)
    public func double(_ c: Int, _ row: Int) -> Double {
        let value = packed(c, row)
        return entry(c).isWhole ? Double(value) : PackedNumbers.double(image: value)
    }

    @inlinable @inline(__always)
    public func float(_ c: Int, _ row: Int) -> Float {
        let value = packed(c, row)
        return entry(c).isWhole ? Float(value) : PackedNumbers.float(image: value)
    }

    /// The offset within the heap at which the row's bytes end. Bit 15 marks an overflow value.
    @inlinable @inline(__always)
    func endOffset(_ e: ColumnEntry, _ row: Int) -> UInt16 {
        if e.hasPackedEnds {
            return UInt16(truncatingIfNeeded: PackedEnds(e, in: base).end(row))
        }
        return base.loadUnaligned(fromByteOffset: e.dataOffset &+ row &* 2, as: UInt16.self)
    }

    /// The offset within the heap at which the row's bytes start.
    @inlinable @inline(__always)
    func startOffset(_ e: ColumnEntry, _ row: Int) -> Int {
        row == 0 ? 0 : Int(endOffset(e, row &- 1) & 0x7FFF)
    }

    /// Where in the heap the bytes of an existing row begin and end.
    @inlinable @inline(__always)
    func span(_ e: ColumnEntry, _ row: Int) -> (start: Int, end: Int) {
        if e.hasPackedEnds { return PackedEnds(e, in: base).span(row) }
        return (startOffset(e, row), Int(endOffset(e, row) & 0x7FFF))
    }

    /// The bytes of a row, in place. For an overflow value these are the 24 bytes of its reference.
    @inlinable @inline(__always)
    public func bytes(_ c: Int, _ row: Int) -> UnsafeRawBufferPointer {
        let e = entry(c)
        let (start, end) = span(e, row)
        return UnsafeRawBufferPointer(start: base + e.heapOffset + start, count: end &- start)
    }

    /// Whether the value is too long for the page and is stored in a run of its own.
    @inlinable @inline(__always)
    public func isOverflow(_ c: Int, _ row: Int) -> Bool {
        endOffset(entry(c), row) & 0x8000 != 0
    }

    /// The location of an overflow value and its length in bytes.
    func overflowReference(_ c: Int, _ row: Int) -> (PageReference, length: Int) {
        let reference = bytes(c, row)
        let page = reference.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        let birth = reference.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        let length = reference.loadUnaligned(fromByteOffset: 16, as: Int64.self)
        return (PageReference(page: page, birth: birth), Int(length))
    }

    /// The sixteen bytes of a row, unaligned.
    @inlinable @inline(__always)
    public func fixed16(_ c: Int, _ row: Int) -> UnsafeRawPointer {
        base + entry(c).dataOffset + row &* 16
    }

    /// The twelve bytes of a row, unaligned.
    @inlinable @inline(__always)
    public func fixed12(_ c: Int, _ row: Int) -> UnsafeRawPointer {
        base + entry(c).dataOffset + row &* 12
    }

    /// The packed values of a column with their width and base, for scans that handle each width
    /// themselves. A ramp has no packed values.
    @inline(__always)
    func packedData(_ c: Int) -> (data: UnsafeRawPointer, width: Int, base: Int64) {
        let e = entry(c)
        return (base + e.dataOffset, e.width, e.base)
    }

    /// Whether a float or double column holds whole numbers as integers.
    func isWhole(_ c: Int) -> Bool { entry(c).isWhole }

    /// The null bitmap of a column, or `nil` when the column has none.
    func nullBitmap(_ c: Int) -> UnsafeRawPointer? {
        let offset = entry(c).nullOffset
        return offset == 0 ? nil : base + offset
    }
}
