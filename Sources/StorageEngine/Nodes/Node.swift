/// A page as a small table of packed columns, for reading.
///
/// Cluster leaves, list leaves, map leaves and branches are all nodes; the layout is in
/// `docs/design.md`. A node is one pointer to bytes that it does not own. Accessors do not check
/// bounds: the bytes were written by this process, or `Node.problem(in:)` found nothing wrong with
/// them, and the caller keeps columns below `columnCount` and rows below `rowCount`. A spilled
/// column has no rows here; ask `isSpilled` first.
@frozen
public struct Node {
    public let base: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ base: UnsafeRawPointer) { self.base = base }

    @inlinable @inline(__always)
    public var header: PageHeader { PageHeader(base) }

    @inlinable @inline(__always)
    public var rowCount: Int { header.rowCount }

    @inlinable @inline(__always)
    public var columnCount: Int { header.columnCount }

    /// 0 for a leaf.
    @inlinable
    public var level: Int { header.level }

    @inlinable @inline(__always)
    public var lowKey: Int64 { header.lowKey }

    @inlinable
    public var birth: UInt64 { header.birth }

    @inlinable
    public var treeID: UInt32 { header.treeID }

    @inlinable
    public var pageCount: Int { header.pageCount }

    /// Rows that the node has room for before it must be laid out anew.
    @inlinable
    public var rowCapacity: Int {
        Int(base.loadUnaligned(fromByteOffset: 64, as: UInt32.self))
    }

    @inlinable @inline(__always)
    func entry(_ c: Int) -> ColumnEntry {
        let offset = ColumnEntry.directoryOffset &+ c &* ColumnEntry.size
        return ColumnEntry(UnsafeMutableRawPointer(mutating: base + offset))
    }

    // MARK: Directory

    /// The index of the column with this id, or -1. Looks at `expected` first.
    @inlinable @inline(__always)
    public func columnIndex(ofID id: UInt16, expected: Int) -> Int {
        if UInt(bitPattern: expected) < UInt(bitPattern: columnCount), entry(expected).id == id {
            return expected
        }
        return searchColumn(id)
    }

    @inline(never) @usableFromInline
    func searchColumn(_ id: UInt16) -> Int {
        for c in 0..<columnCount where entry(c).id == id { return c }
        return -1
    }

    /// Whether column `c` exists, has this id and kind, and is stored in this node: then the
    /// accessors of its kind may be used on it directly.
    @inlinable @inline(__always)
    public func hasInline(_ c: Int, _ tag: ColumnTag) -> Bool {
        c < columnCount && entry(c).isInline(tag)
    }

    @inlinable @inline(__always)
    public func kind(_ c: Int) -> ColumnKind { entry(c).kind }

    public func format(_ c: Int) -> ColumnFormat {
        ColumnFormat(id: entry(c).id, kind: entry(c).kind)
    }

    /// Whether the column's rows are in a node of their own.
    @inlinable
    public func isSpilled(_ c: Int) -> Bool { entry(c).isSpilled }

    /// Where a spilled column is.
    @inlinable
    public func spillReference(_ c: Int) -> PageReference { entry(c).spillReference }

    /// Whether any value may be null. False: `isNull` needs not be asked.
    @inlinable @inline(__always)
    public func hasNulls(_ c: Int) -> Bool { entry(c).nullOffset != 0 }

    /// Bounds of all values of an integer column, loose but never too narrow; also when spilled.
    ///
    /// `nil` when the directory does not tell (64-bit values). A null may lie outside.
    @inlinable
    public func integerBounds(_ c: Int) -> ClosedRange<Int64>? {
        let e = entry(c)
        let width = e.width
        guard width < 64 else { return nil }
        let span =
            e.isRamp
            ? Int64(max(rowCount &- 1, 0))
            : Int64(truncatingIfNeeded: (UInt64(1) &<< UInt64(width)) &- 1)
        let (high, overflow) = e.base.addingReportingOverflow(span)
        return e.base...(overflow ? Int64.max : high)
    }
}
