extension Node {
    /// Checks the structure of untrusted bytes completely. Returns `nil` when every accessor is
    /// memory safe for every row of every column that is not spilled, otherwise a sentence that
    /// says what is wrong.
    ///
    /// Regions must lie in directory order without overlap, so the node is also safe to change.
    /// Values are not checked: whether a child page exists is for the owner of the tree to decide.
    static func problem(in page: UnsafeRawBufferPointer) -> String? {
        guard let start = page.baseAddress, page.count >= ColumnEntry.directoryOffset else {
            return "The run is too short for a node."
        }
        let node = Node(start)
        guard node.header.kind == .node else { return "The page is not a node." }
        let pages = node.pageCount
        guard pages > 0, page.count % pages == 0, page.count < 1 << 31 else {
            return "The run has \(page.count) bytes, its header says \(pages) pages."
        }
        let columns = node.columnCount
        let directoryEnd = ColumnEntry.directoryOffset + columns * ColumnEntry.size
        guard directoryEnd <= page.count else {
            return "The directory of \(columns) columns does not fit in the run."
        }
        let capacity = node.rowCapacity
        guard capacity <= MutableNode.rowLimit(byteCount: page.count) else {
            return "A capacity of \(capacity) rows is impossible."
        }
        guard node.rowCount <= capacity else {
            return "There are \(node.rowCount) rows in room for \(capacity)."
        }
        if let duplicate = node.duplicateColumnID() {
            return "The column id \(duplicate) occurs twice."
        }
        var end = directoryEnd
        for c in 0..<columns {
            if let problem = node.problem(column: c, from: &end, limit: page.count) {
                return "Column \(c): \(problem)"
            }
        }
        return nil
    }

    private func duplicateColumnID() -> UInt16? {
        let columns = columnCount
        if columns <= 64 {
            for c in 0..<columns {
                for d in 0..<c where entry(c).id == entry(d).id { return entry(c).id }
            }
            return nil
        }
        var seen = [Bool](repeating: false, count: 1 << 16)
        for c in 0..<columns {
            let id = entry(c).id
            if seen[Int(id)] { return id }
            seen[Int(id)] = true
        }
        return nil
    }

    /// Checks one column, whose regions must start at `end` or later, and advances `end` past them.
    private func problem(column c: Int, from end: inout Int, limit: Int) -> String? {
        let e = entry(c)
        guard let kind = ColumnKind(rawValue: e.kindCode) else {
            return "there is no kind \(e.kindCode)."
        }
        let width = e.width
        switch kind {
        case .integer, .float, .double:
            guard width <= 64, width & (width - 1) == 0 else {
                return "no number has \(width) bits."
            }
            guard width < 64 || e.base == 0 else { return "64-bit values have no base." }
        case .bytes:
            guard width == PackedEnds.width || width == PackedEnds.offsetWidth else {
                return "offsets have 8 or 16 bits, not \(width)."
            }
        case .fixed16:
            guard width == 128 else { return "a value has 128 bits, not \(width)." }
        case .fixed12:
            guard width == 96 else { return "a value has 96 bits, not \(width)." }
        }
        let known =
            ColumnEntry.hasNulls | ColumnEntry.whole | ColumnEntry.spilled | ColumnEntry.ramp
            | ColumnEntry.prefixed
        guard e.flags & ~known == 0 else { return "flags \(e.flags) are unknown." }
        if e.isWhole, kind != .float, kind != .double {
            return "only floating point can be marked whole."
        }
        guard (e.flags & ColumnEntry.hasNulls != 0) == (e.nullOffset != 0) else {
            return "flag and offset of the null bitmap disagree."
        }
        if e.isRamp, let problem = problem(ofRamp: e, kind) { return problem }
        let isPrefixed = e.flags & ColumnEntry.prefixed != 0
        guard isPrefixed ? mayHavePrefix(c) : kind != .bytes || e.base == 0 else {
            return "its strings cannot have \(e.base) bytes in common."
        }
        if e.isSpilled {
            guard e.spillReference.page != 0 else { return "it is spilled to nowhere." }
            guard e.nullOffset == 0, e.dataOffset == 0 else {
                return "it is spilled, but has a region."
            }
            return nil
        }
        let capacity = rowCapacity
        func take(_ offset: Int, _ count: Int) -> Bool {
            guard offset >= end, offset % 8 == 0, count <= limit, offset <= limit - count else {
                return false
            }
            end = offset + count
            return true
        }
        guard take(e.dataOffset, e.dataBytes(rows: capacity)) else {
            return "its values at \(e.dataOffset) are out of place."
        }
        if e.nullOffset != 0,
            !take(e.nullOffset, ColumnEntry.nullBytes(rows: capacity))
        {
            return "its null bitmap at \(e.nullOffset) is out of place."
        }
        guard kind == .bytes else { return nil }
        guard take(e.prefixOffset, SharedPrefix.bytes(e.prefixLength) + e.heapCapacity) else {
            return "its heap at \(e.heapOffset) is out of place."
        }
        return problemOfOffsets(e)
    }

    /// Whether a column that says that it has a prefix may have one of that length.
    private func mayHavePrefix(_ c: Int) -> Bool {
        let e = entry(c)
        return level == 0 && c == 0 && columnCount > 1 && e.kind == .bytes && !e.isSpilled
            && e.nullOffset == 0 && (1...Int64(SharedPrefix.longest)).contains(e.base)
    }

    private func problem(ofRamp e: ColumnEntry, _ kind: ColumnKind) -> String? {
        guard kind == .integer, e.width == 0, e.nullOffset == 0, !e.isSpilled, mayHoldRamps else {
            return "it cannot be a ramp."
        }
        guard !e.base.addingReportingOverflow(Int64(max(rowCount - 1, 0))).overflow else {
            return "\(rowCount) rows of a ramp from \(e.base) overflow."
        }
        return nil
    }

    private func problemOfOffsets(_ e: ColumnEntry) -> String? {
        let used = e.heapUsed
        guard used <= e.heapCapacity, used <= MutableNode.heapLimit, e.load(36, UInt32.self) == 0
        else {
            return "\(used) bytes in a heap of \(e.heapCapacity)."
        }
        if e.hasPackedEnds {
            return PackedEnds(e, in: base).areSound(rows: rowCount, used: used)
                ? nil : "its packed end offsets are out of order."
        }
        let all = offsetsAtOnce(e)
        if all.ascend, !all.markOverflow, all.last == used { return nil }
        // The fast pass has failed: either an offset is wrong, or there are overflow references to
        // check.
        var previous = 0
        for row in 0..<rowCount {
            let offset = endOffset(e, row)
            let next = Int(offset & 0x7FFF)
            guard next >= previous, next <= used else {
                return "the end offset of row \(row) is out of order."
            }
            if offset & 0x8000 != 0 {
                guard next - previous == 24 else {
                    return "the overflow reference of row \(row) has not 24 bytes."
                }
                let reference = base + e.heapOffset + previous
                let length = reference.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
                guard reference.loadUnaligned(as: UInt64.self) != 0, length < 1 << 32 else {
                    return "the overflow reference of row \(row) leads nowhere."
                }
            }
            previous = next
        }
        guard previous == used else { return "its heap has bytes of no row." }
        return nil
    }

    /// Summarizes all end offsets of a column in one pass without branches, which is all that most
    /// pages need: whether no offset is below the previous one, whether any marks an overflow
    /// value, and the last offset.
    ///
    /// - Precondition: The offsets are not packed.
    func offsetsAtOnce(_ e: ColumnEntry) -> (ascend: Bool, markOverflow: Bool, last: Int) {
        var previous: UInt16 = 0
        var anyBits: UInt16 = 0
        // Negative once any difference has been negative, because the sign bit accumulates.
        var differences: Int32 = 0
        for row in 0..<rowCount {
            let offset = endOffset(e, row)
            anyBits |= offset
            differences |= Int32(offset) &- Int32(previous)
            previous = offset
        }
        return (differences >= 0, anyBits & 0x8000 != 0, Int(previous))
    }

    /// Whether a column of bytes has values that are stored in runs of their own.
    func mayHaveOverflow(_ c: Int) -> Bool {
        !entry(c).hasPackedEnds && offsetsAtOnce(entry(c)).markOverflow
    }
}
