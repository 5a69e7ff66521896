/// A read-only view of a page as a small table of packed columns.
///
/// Cluster leaves, list leaves, map leaves and branches are all nodes; `docs/design.md` describes
/// the layout. A node is one pointer to bytes that it does not own. Accessors do not check bounds.
/// They rely on two things: either this process wrote the bytes or `Node.problem(in:)` accepted
/// them, and the caller keeps columns below `columnCount` and rows below `rowCount`. The rows of a
/// spilled column are not in this node, so callers check `isSpilled` first.
@frozen
public struct Node {
    public let base: UnsafeRawPointer

    @inlinable @inline(__always)
    public init(_ base: UnsafeRawPointer) { self.base = base }

    @inlinable @inline(__always)
    var header: PageHeader { PageHeader(base) }

    @inlinable @inline(__always)
    public var rowCount: Int { header.rowCount }

    @inlinable @inline(__always)
    var columnCount: Int { header.columnCount }

    /// The height above the leaves; 0 for a leaf.
    var level: Int { header.level }

    @inline(__always)
    var lowKey: Int64 { header.lowKey }

    package var birth: UInt64 { header.birth }

    var treeID: UInt32 { header.treeID }

    @inlinable
    var pageCount: Int { header.pageCount }

    /// The number of rows that fit before the node must be laid out again.
    var rowCapacity: Int {
        Int(base.loadUnaligned(fromByteOffset: 64, as: UInt32.self))
    }

    @inlinable @inline(__always)
    func entry(_ c: Int) -> ColumnEntry {
        let offset = ColumnEntry.directoryOffset &+ c &* ColumnEntry.size
        return ColumnEntry(UnsafeMutableRawPointer(mutating: base + offset))
    }

    // MARK: Directory

    /// Returns the index of the column with this id, or -1. Checks index `expected` first.
    @inline(__always)
    func columnIndex(ofID id: UInt16, expected: Int) -> Int {
        if UInt(bitPattern: expected) < UInt(bitPattern: columnCount), entry(expected).id == id {
            return expected
        }
        return searchColumn(id)
    }

    @inline(never)
    private func searchColumn(_ id: UInt16) -> Int {
        for c in 0..<columnCount where entry(c).id == id { return c }
        return -1
    }

    /// Whether column `c` exists, has this id and kind, and is stored in this node. If so, the
    /// accessors of its kind are safe to use on it.
    @inlinable @inline(__always)
    public func hasInline(_ c: Int, _ tag: ColumnTag) -> Bool {
        c < columnCount && entry(c).isInline(tag)
    }

    @inline(__always)
    func kind(_ c: Int) -> ColumnKind { entry(c).kind }

    func format(_ c: Int) -> ColumnFormat {
        ColumnFormat(id: entry(c).id, kind: entry(c).kind)
    }

    /// Whether the column's rows are in a node of their own.
    func isSpilled(_ c: Int) -> Bool { entry(c).isSpilled }

    /// The location of a spilled column.
    func spillReference(_ c: Int) -> PageReference { entry(c).spillReference }

    /// Whether any value may be null. If false, `isNull` need not be called.
    @inline(__always)
    func hasNulls(_ c: Int) -> Bool { entry(c).nullOffset != 0 }

    /// Returns bounds of all values of an integer column, which may be wider than the values. Also
    /// valid for a spilled column.
    ///
    /// Returns `nil` when the directory gives no bounds (64-bit values). Nulls may lie outside the
    /// bounds.
    func integerBounds(_ c: Int) -> ClosedRange<Int64>? {
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
