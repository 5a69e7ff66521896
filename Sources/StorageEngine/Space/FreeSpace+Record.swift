/// Commit records among the pages: a record lies behind what its commit writes.
extension FreeSpace {
    /// A transaction of more pages than this has its record in a slot. A sync of so much takes longer
    /// anyway, and what it frees should become long free extents again: a record stays between them for some
    /// dozens of commits.
    private static let largestTransaction: UInt64 = 6
    /// Fewer free pages in one piece than this have no room for some commits and their records.
    private static let shortestPiece: UInt64 = 8
    /// Where more than this and as much as is in use is free, the file can become shorter, and records
    /// would keep its end in use.
    private static let mostFree = 2 * TailRelease.reserve

    /// The page behind those that this transaction allocated, if that is a place for its commit record.
    /// What is allocated next is this page.
    var pageForRecord: UInt64? {
        guard allocatedPages <= Self.largestTransaction, !allocatedTail.isEmpty,
            !current.isEmpty, allocatedTail.end == current.start, !isCurrentTooHigh(for: 1),
            freePages <= usedPages + Self.mostFree
        else { return nil }
        return current.start
    }

    /// The free pages that the next transaction would take first, if they are enough for some. Asked
    /// between two transactions.
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

    /// The record of the open group is to be in its slot after all.
    mutating func dropRecordPage(_ page: UInt64) {
        let extent = Extent(start: page, count: 1)
        let isMoved = groupAllocated.remove(extent) && free.insert(extent)
        precondition(isMoved, "the page for a record was not the group's")
        livePages -= 1
    }
}
