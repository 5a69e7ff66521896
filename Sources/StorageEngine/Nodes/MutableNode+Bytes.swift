extension MutableNode {
    /// Sets the bytes of a row, or its overflow reference (24 bytes: page, birth, length). The row
    /// is not null afterwards.
    ///
    /// `bytes` must not lie in this node, because the node may be laid out again.
    func setBytes(
        _ c: Int, _ row: Int, to bytes: UnsafeRawBufferPointer, isOverflow: Bool
    ) -> Bool {
        var e = entry(c)
        let (start, end) = reading.span(e, row)
        let used = e.heapUsed
        let distance = bytes.count - (end - start)
        let needed = used + distance
        let width =
            isOverflow
            ? PackedEnds.offsetWidth : max(e.width, PackedEnds.width(longest: bytes.count))
        if width > e.width || needed > min(e.heapCapacity, MutableNode.heapLimit) {
            guard layOut(c, endWidth: width, heap: max(needed, used)) else { return false }
            e = entry(c)
        }
        let heap = base + e.heapOffset
        if distance != 0 {
            if end < used {
                (heap + start + bytes.count).copyMemory(from: heap + end, byteCount: used - end)
            }
            e.heapUsed = needed
            if e.hasPackedEnds {
                PackedEnds(e, in: base).move(from: row, count: rowCount, by: distance)
            } else {
                moveOffsets(e, from: row + 1, count: rowCount, by: distance)
            }
        }
        if let source = bytes.baseAddress {
            (heap + start).copyMemory(from: source, byteCount: bytes.count)
        }
        clearNull(e, row)
        if e.hasPackedEnds { return true }
        let offset = UInt16(start + bytes.count) | (isOverflow ? 0x8000 : 0)
        base.storeBytes(of: offset, toByteOffset: e.dataOffset + row * 2, as: UInt16.self)
        return true
    }

    /// Lays the node out with end offsets of this width and `heap` bytes in a column.
    private func layOut(_ c: Int, endWidth: Int, heap: Int) -> Bool {
        let draft = NodeDraft(revising: self)
        draft.entry(c).width = endWidth
        draft.entry(c).heapCapacity = heap
        guard draft.assignOffsets(rows: rowCount) else { return false }
        draft.copyRows(from: reading, 0..<rowCount, at: 0)
        draft.install(in: self)
        return true
    }

    /// Stores an overflow reference in place of the bytes.
    func setOverflow(
        _ c: Int, _ row: Int, to reference: PageReference, length: Int
    ) -> Bool {
        let words = (reference.page, reference.birth, UInt64(length))
        return withUnsafeBytes(of: words) { setBytes(c, row, to: $0, isOverflow: true) }
    }

    /// Sets sixteen bytes, which must not lie in this node. The row is not null afterwards.
    func setFixed16(_ c: Int, _ row: Int, to p: UnsafeRawPointer) -> Bool {
        let e = entry(c)
        (base + e.dataOffset + row * 16).copyMemory(from: p, byteCount: 16)
        clearNull(e, row)
        return true
    }

    /// Sets twelve bytes, which must not lie in this node. The row is not null afterwards.
    func setFixed12(_ c: Int, _ row: Int, to p: UnsafeRawPointer) -> Bool {
        let e = entry(c)
        (base + e.dataOffset + row * 12).copyMemory(from: p, byteCount: 12)
        clearNull(e, row)
        return true
    }
}
