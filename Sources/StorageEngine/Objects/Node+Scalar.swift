extension Node {
    /// One value of a column of this node; a long one is read from its overflow pages.
    @inline(__always)
    func scalar(_ pager: Pager, _ kind: ColumnKind, in column: Int, at row: Int)
        throws(StorageError)
        -> Scalar
    {
        if isNull(column, row) { return .null }
        switch kind {
        case .integer: return .integer(integer(column, row))
        case .double: return .double(double(column, row))
        case .float: return .float(float(column, row))
        case .fixed16:
            let source = fixed16(column, row)
            return .fixed16(
                UInt64(littleEndian: source.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        case .fixed12:
            let source = fixed12(column, row)
            return .fixed12(
                UInt64(littleEndian: source.loadUnaligned(as: UInt64.self)),
                UInt32(littleEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        case .bytes:
            if isOverflow(column, row) {
                return .bytes(try pager.overflowBytes(overflowReference(column, row).0))
            }
            return .bytes(bytes(column, row))
        }
    }
}
