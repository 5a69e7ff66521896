/// Commit records among the pages: a record follows directly after the pages that its commit
/// writes.
extension FreeSpace {
    /// The largest number of pages that a transaction may allocate for its record to be among the
    /// pages; the record of a larger one goes into a slot. Such a sync takes longer anyway, and the
    /// space that a large transaction frees should become long free extents again, whereas a record
    /// would split it for some dozens of commits.
    private static let largestTransaction: UInt64 = 6
    /// The length below which a free extent has no room for several commits and their records.
    private static let shortestPiece: UInt64 = 8
    /// If the number of free pages exceeds this number plus the number of used pages, the file can
    /// become shorter, and records would keep its end in use.
    private static let mostFree = 2 * tailReserve

    /// The page directly after those that this transaction allocated, if it is suitable for the
    /// commit record.
    var pageForRecord: UInt64? {
        guard allocatedPages <= Self.largestTransaction, !allocatedTail.isEmpty,
            !current.isEmpty, allocatedTail.end == current.start, !isCurrentTooHigh(for: 1),
            freePages <= usedPages + Self.mostFree
        else { return nil }
        return current.start
    }

    /// Takes `pageForRecord`. An allocation would prefer a hole after a large transaction.
    mutating func takePageForRecord() -> UInt64? {
        guard let page = pageForRecord else { return nil }
        current = Extent(start: current.start + 1, count: current.count - 1)
        allocatedTail.count += 1
        return page
    }

    /// Returns the free extent from which the next transaction would allocate first, if it has room
    /// for several commits. Must be called between two transactions.
    mutating func pieceForNextRecord() -> Extent? {
        settleCurrent()
        if ceiling == nil, let here = free.extent(containing: current.start),
            here.end - current.start >= Self.shortestPiece
        {
            return Extent(start: current.start, count: here.end - current.start)
        }
        guard let found = nextExtent(ofAtLeast: 1, shortest: Self.shortestPiece),
            found.count >= Self.shortestPiece
        else { return nil }
        return found
    }

    /// Frees the page that was reserved for the record of the open group, because the record goes
    /// into its slot instead.
    mutating func dropRecordPage(_ page: UInt64) {
        let extent = Extent(start: page, count: 1)
        let isMoved = groupAllocated.remove(extent) && free.insert(extent)
        precondition(isMoved, "the page for a record was not the group's")
        livePages -= 1
    }
}
