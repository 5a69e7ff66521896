/// A node being laid out, in four steps.
///
/// 1. The directory states what is needed: widths, bases, null bitmaps (`nullOffset` 1) and heap
///    bytes (`heapCapacity`).
/// 2. `assignOffsets` places every region, or reports that the node does not fit.
/// 3. `copyRows` fills the columns with row ranges in ascending order.
/// 4. `install` replaces the old node if the draft is in the scratch buffer.
struct NodeDraft {
    let target: UnsafeMutableRawPointer
    let byteCount: Int

    /// Creates a draft in the scratch buffer with the header and directory of `node`.
    init(revising node: MutableNode) {
        self.init(
            target: NodeScratch.buffer(byteCount: node.byteCount), byteCount: node.byteCount,
            like: node.reading)
    }

    /// Creates a draft in any buffer with the header and directory of `node`.
    init(target: UnsafeMutableRawPointer, byteCount: Int, like node: Node) {
        self.target = target
        self.byteCount = byteCount
        target.copyMemory(from: node.base, byteCount: ColumnEntry.directoryOffset)
        for c in 0..<node.columnCount { setEntry(c, like: node.entry(c)) }
    }

    /// Creates a draft over a buffer that already has its header and directory.
    init(formatting target: UnsafeMutableRawPointer, byteCount: Int) {
        self.target = target
        self.byteCount = byteCount
    }

    var reading: Node { Node(UnsafeRawPointer(target)) }
    var columnCount: Int { reading.columnCount }

    func entry(_ c: Int) -> ColumnEntry { reading.entry(c) }

    /// Requests for column `c` the encoding of another column.
    func setEntry(_ c: Int, like other: ColumnEntry) {
        let e = entry(c)
        e.p.copyMemory(from: other.p, byteCount: ColumnEntry.size)
        if !e.isSpilled, e.kind == .bytes { e.heapCapacity = other.heapUsed }
    }

    // MARK: Places

    static func bytes(directoryOf columns: Int) -> Int {
        ColumnEntry.directoryOffset + columns * ColumnEntry.size
    }

    /// Returns the bytes of all regions of a column in a layout for `capacity` rows, of which
    /// `rows` are used.
    private func bytes(_ e: ColumnEntry, capacity: Int, rows: Int, heapPerRow: Int) -> Int {
        if e.isSpilled { return 0 }
        var total = e.dataBytes(rows: capacity)
        if e.nullOffset != 0 { total += ColumnEntry.nullBytes(rows: capacity) }
        if e.kind == .bytes {
            total += SharedPrefix.bytes(e.prefixLength)
            total += heapBytes(e, capacity: capacity, rows: rows, heapPerRow: heapPerRow)
        }
        return total
    }

    private func heapBytes(_ e: ColumnEntry, capacity: Int, rows: Int, heapPerRow: Int) -> Int {
        let needed = e.heapCapacity
        let spare = capacity - rows
        let growth = rows > 0 ? needed * spare / rows : heapPerRow * spare
        return min((needed + growth + 7) & ~7, MutableNode.heapLimit + 1)
    }

    private func bytes(capacity: Int, rows: Int, heapPerRow: Int) -> Int {
        var total = NodeDraft.bytes(directoryOf: columnCount)
        for c in 0..<columnCount {
            total += bytes(entry(c), capacity: capacity, rows: rows, heapPerRow: heapPerRow)
        }
        return total
    }

    /// Returns the bits that one more row takes on average, at least 1.
    private func bitsPerRow(rows: Int, heapPerRow: Int) -> Int {
        var bits = 0
        for c in 0..<columnCount {
            let e = entry(c)
            if e.isSpilled { continue }
            bits += e.bitsPerRow + (e.nullOffset != 0 ? 1 : 0)
            if e.kind == .bytes {
                bits += rows > 0 ? e.heapCapacity * 8 / rows : heapPerRow * 8
            }
        }
        return max(bits, 1)
    }

    /// Divides the buffer among the regions, with room for at least `rows` rows, and zeroes them.
    /// Returns false if the rows do not fit.
    ///
    /// Free space goes to the columns in proportion to their bytes per row. `heapPerRow` is the
    /// estimate for a node without rows.
    func assignOffsets(rows: Int, heapPerRow: Int = 8) -> Bool {
        guard rows <= MutableNode.rowLimit(byteCount: byteCount) else { return false }
        for c in 0..<columnCount where entry(c).kind == .bytes && !entry(c).isSpilled {
            guard entry(c).heapCapacity <= MutableNode.heapLimit else { return false }
        }
        let least = bytes(capacity: rows, rows: rows, heapPerRow: heapPerRow)
        guard least <= byteCount else { return false }
        let rowBits = bitsPerRow(rows: rows, heapPerRow: heapPerRow)
        var capacity = min(
            rows + (byteCount - least) * 8 / rowBits + 1,
            MutableNode.rowLimit(byteCount: byteCount))
        var total = bytes(capacity: capacity, rows: rows, heapPerRow: heapPerRow)
        while total > byteCount {
            capacity -= max(1, (total - byteCount) * 8 / (rowBits + columnCount))
            capacity = max(capacity, rows)
            total = bytes(capacity: capacity, rows: rows, heapPerRow: heapPerRow)
        }
        place(capacity: capacity, rows: rows, heapPerRow: heapPerRow, spare: byteCount - total)
        return true
    }

    private func place(capacity: Int, rows: Int, heapPerRow: Int, spare: Int) {
        target.storeBytes(of: UInt32(capacity), toByteOffset: 64, as: UInt32.self)
        var spare = spare & ~7
        var offset = NodeDraft.bytes(directoryOf: columnCount)
        let start = offset
        for c in 0..<columnCount {
            let e = entry(c)
            if e.isSpilled { continue }
            e.dataOffset = offset
            offset += e.dataBytes(rows: capacity)
            if e.nullOffset != 0 {
                e.nullOffset = offset
                e.flags |= ColumnEntry.hasNulls
                offset += ColumnEntry.nullBytes(rows: capacity)
            }
            guard e.kind == .bytes else { continue }
            offset += SharedPrefix.bytes(e.prefixLength)
            let heap = heapBytes(e, capacity: capacity, rows: rows, heapPerRow: heapPerRow)
            let extra = min(spare, MutableNode.heapLimit + 1 - heap)
            spare -= extra
            e.heapOffset = offset
            e.heapCapacity = heap + extra
            e.heapUsed = 0
            offset += heap + extra
        }
        (target + start).initializeMemory(
            as: UInt8.self, repeating: 0, count: byteCount - start)
    }

    /// Replaces the node with this draft. The scratch buffer is then free for the next layout.
    func install(in node: MutableNode) {
        node.base.copyMemory(from: target, byteCount: byteCount)
    }

    // MARK: Measures of a layout

    /// Returns the bytes that `node` takes when every region is as small as its rows allow.
    static func packedBytes(_ node: Node) -> Int {
        var total = bytes(directoryOf: node.columnCount)
        for c in 0..<node.columnCount { total += packedBytes(node, column: c) }
        return total
    }

    static func packedBytes(_ node: Node, column c: Int) -> Int {
        packedBytes(node, column: c, rows: node.rowCount)
    }

    /// Returns the same for only `rows` of its rows, counting heap bytes as if all rows stayed.
    static func packedBytes(_ node: Node, column c: Int, rows: Int) -> Int {
        let e = node.entry(c)
        if e.isSpilled { return 0 }
        var total = e.dataBytes(rows: rows)
        if e.nullOffset != 0 { total += ColumnEntry.nullBytes(rows: rows) }
        if e.kind == .bytes {
            total += SharedPrefix.bytes(e.prefixLength) + (e.heapUsed + 7) & ~7
        }
        return total
    }
}
