import CColumnKernels

extension Node {
    /// Asks for what a reader of the row's next columns would wait for, who has come to this column
    /// of values of varying length. In leaves of several pages such values are wide
    /// (`ClusterTree.RowWidth`): each has cache lines of its own, and so has the offset that tells
    /// where it is. In other leaves this costs a comparison.
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
        // Was asked for one column ago, so nobody waits for it here.
        let value = base + e.heapOffset + startOffset(e, row)
        realm_prefetch(value)
        realm_prefetch(value + 64)
        guard next &+ 1 < columnCount else { return }
        realm_prefetch(base + entry(next &+ 1).dataOffset + row &* 2)
    }
}
