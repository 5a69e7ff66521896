import CColumnKernels

extension Node {
    /// Prefetches the values that the reader of column `c` needs next, if it reads a row's columns
    /// of values of varying length in order. In leaves of several pages such values are wide
    /// (`ClusterTree.RowWidth`), so each value, and each offset that locates one, is in a cache
    /// line of its own. In other leaves this call costs one comparison.
    @inlinable @inline(__always)
    public func prefetchBytes(behind c: Int, _ row: Int) {
        if pageCount > 1 { prefetchBytesOfLongLeaf(behind: c, row) }
    }

    @usableFromInline
    func prefetchBytesOfLongLeaf(behind c: Int, _ row: Int) {
        let next = c &+ 1
        guard next < columnCount else { return }
        let e = entry(next)
        guard e.kindCode == ColumnKind.bytes.rawValue, !e.isSpilled else { return }
        // The offset was prefetched by the call for the previous column, so reading it does not
        // stall.
        let value = base + e.heapOffset + startOffset(e, row)
        realm_prefetch(value)
        realm_prefetch(value + 64)
        guard next &+ 1 < columnCount else { return }
        let behind = entry(next &+ 1)
        realm_prefetch(base + behind.dataOffset + (row &* behind.bitsPerRow) &>> 3)
    }
}
