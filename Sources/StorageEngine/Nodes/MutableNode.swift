/// A node in a private buffer, for writing.
///
/// The packed page is the working form. A change is made in place. When a column needs wider
/// values, a null bitmap, more rows or more heap, the node is laid out again within its buffer.
/// Changes that may not fit return a Boolean: `false` leaves the contents as they were.
///
/// Like `Node`, this is a view: copies share the buffer, which its owner keeps alive. It is used by
/// one thread at a time. Any change invalidates pointers into the node (`bytes`, `fixed16`,
/// `fixed12`).
struct MutableNode {
    let base: UnsafeMutableRawPointer
    let byteCount: Int

    /// Creates a view of bytes that are a valid node of `byteCount` bytes.
    @inline(__always)
    init(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        self.base = base
        self.byteCount = byteCount
    }

    @inline(__always)
    var reading: Node { Node(UnsafeRawPointer(base)) }

    @inline(__always)
    var header: MutablePageHeader { MutablePageHeader(base) }

    @inline(__always)
    func entry(_ c: Int) -> ColumnEntry {
        ColumnEntry(base + (ColumnEntry.directoryOffset &+ c &* ColumnEntry.size))
    }

    var rowCount: Int { reading.rowCount }

    var columnCount: Int { reading.columnCount }

    // MARK: Limits

    /// The most heap bytes of one column, limited by the 15 bits of an offset.
    static let heapLimit = 32767

    /// Returns the most rows of a node of this size. Columns of one repeated value take no room, so
    /// there has to be a limit: one bit of the node per row.
    static func rowLimit(byteCount: Int) -> Int { byteCount * 8 }

    // MARK: Making

    /// Clears the buffer and makes it a node without rows.
    ///
    /// With `model`, columns that both nodes have start with the model's bases, widths and average
    /// bytes. A leaf that continues another is then laid out once instead of at each first wider
    /// value, and rarely recoded instead of at each new minimum. A column whose values ascend does
    /// not take the model's base: its first value sets the base, so that scans can skip the leaf by
    /// it.
    ///
    /// - Precondition: The directory fits in the buffer.
    @discardableResult
    static func format(
        _ buffer: UnsafeMutableRawPointer, byteCount: Int, level: Int, treeID: UInt32,
        columns: [ColumnFormat], lowKey: Int64, pageCount: Int = 1, birth: UInt64 = 0,
        model: Node? = nil
    ) -> MutableNode {
        precondition(
            NodeDraft.bytes(directoryOf: columns.count) <= byteCount,
            "A node of \(byteCount) bytes has no room for \(columns.count) columns.")
        buffer.fill(byteCount, with: 0)
        PageHeader.write(
            to: buffer, kind: .node, level: level, columnCount: columns.count,
            pageCount: pageCount, birth: birth, treeID: treeID, lowKey: lowKey)
        let node = MutableNode(buffer, byteCount: byteCount)
        var heapPerRow = 8
        for c in 0..<columns.count {
            node.entry(c).initialize(columns[c])
            guard let model else { continue }
            let m = model.columnIndex(ofID: columns[c].id, expected: c)
            guard m >= 0, !model.isSpilled(m), model.kind(m) == columns[c].kind else { continue }
            if !model.endsInRamp(m) {
                node.entry(c).width = model.entry(m).width
                if columns[c].kind.isPacked, !model.ascends(m) {
                    node.entry(c).base = model.entry(m).base
                }
            }
            node.entry(c).isWhole = model.entry(m).isWhole
            if columns[c].kind == .bytes, model.rowCount > 0 {
                heapPerRow = max(heapPerRow, model.entry(m).heapUsed / model.rowCount)
            }
        }
        let draft = NodeDraft(formatting: buffer, byteCount: byteCount)
        let fits = draft.assignOffsets(rows: 0, heapPerRow: heapPerRow)
        precondition(fits, "An empty node always fits.")
        return node
    }

    func setLowKey(_ key: Int64) { header.lowKey = key }
    func setLevel(_ level: Int) { header.level = level }
    func setBirth(_ birth: UInt64) { header.birth = birth }
    func setTreeID(_ id: UInt32) { header.treeID = id }

    // MARK: Laying out

    /// Lays the node out with room for `rows` rows. `nullColumn` gets a null bitmap; -1 stands for
    /// no column.
    func layOut(rows: Int, nullColumn: Int = -1) -> Bool {
        let draft = NodeDraft(revising: self)
        if nullColumn >= 0 { draft.entry(nullColumn).nullOffset = 1 }
        guard draft.assignOffsets(rows: rows) else { return false }
        draft.copyRows(from: reading, 0..<rowCount, at: 0)
        draft.install(in: self)
        return true
    }

    /// Copies all contents into another buffer, laid out for its size; `target` need not be a node
    /// yet. Birth, keys and tree id are copied; the page count follows from the sizes.
    func moveContents(to target: MutableNode) -> Bool {
        let pageSize = byteCount / header.pageCount
        let probe = NodeDraft.packedBytes(reading)
        guard probe <= target.byteCount,
            rowCount <= MutableNode.rowLimit(byteCount: target.byteCount)
        else { return false }
        let draft = NodeDraft(target: target.base, byteCount: target.byteCount, like: reading)
        let fits = draft.assignOffsets(rows: rowCount)
        precondition(fits, "The packed size was compared before.")
        draft.copyRows(from: reading, 0..<rowCount, at: 0)
        target.header.pageCount = max(1, target.byteCount / pageSize)
        return true
    }

    // MARK: Measures

    /// The bytes that the contents need when packed without spare room.
    var usedBytes: Int { NodeDraft.packedBytes(reading) }

    var freeBytes: Int { byteCount - usedBytes }

    /// Returns the bytes that a column needs in the node besides its directory entry; 0 when
    /// spilled.
    func bytesOfColumn(_ c: Int) -> Int { NodeDraft.packedBytes(reading, column: c) }

    /// Traps when the node is malformed. Does nothing in release builds.
    func checkInvariants() {
        #if DEBUG
        let page = UnsafeRawBufferPointer(start: base, count: byteCount)
        if let problem = Node.problem(in: page) { fatalError(problem) }
        for c in 0..<columnCount where reading.hasNulls(c) {
            for row in 0..<rowCount where reading.isNull(c, row) {
                if reading.kind(c).isPacked {
                    precondition(reading.packed(c, row) == entry(c).base, "Null has a delta.")
                } else if reading.kind(c) == .bytes {
                    precondition(reading.bytes(c, row).isEmpty, "Null has bytes.")
                }
            }
        }
        #endif
    }
}
