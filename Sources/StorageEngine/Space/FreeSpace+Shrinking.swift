/// Freeing the end of the file.
///
/// The file becomes shorter in three steps:
/// 1. Between two transactions, free pages at the end leave the map (``shrink(to:)``).
/// 2. The record of the next version has fewer pages than the one before. Readers of that version,
///    and of later ones, never access pages beyond its end.
/// 3. Once that version is durable enough for recovery, and no older version is pinned, the file
///    itself is truncated (``FreeMap``).
extension FreeSpace {
    /// The number of free pages that the end of a file keeps at least: 1 MiB, one step of growth.
    static let tailReserve: UInt64 = 256

    /// Removes the pages from `newCount` on, which must be free, from the map.
    mutating func shrink(to newCount: UInt64) {
        precondition(isTransactionEmpty)
        settleCurrent()
        let isRemoved = free.remove(Extent(start: newCount, count: pageCount - newCount))
        precondition(isRemoved, "the end of the file was given back while it was in use")
        pageCount = newCount
    }

    /// Removes all free pages at the end except `kept` of them, as a part of the transaction that
    /// has just become `version`.
    mutating func shrinkToUse(keeping kept: UInt64, version: UInt64) {
        guard freePagesAtEnd > kept else { return }
        shrink(to: pageCount - freePagesAtEnd + kept)
        noteFinishedPageCount(version: version)
    }

    /// Records that a transaction, of this process or another one, has finished as `version`.
    mutating func noteFinishedPageCount(version: UInt64) {
        if pageCount < finishedPageCount { uncutSince = version }
        finishedPageCount = pageCount
    }

    /// Returns the number of pages from `page` on that the newest version uses. Must be called
    /// between two transactions.
    func livePages(from page: UInt64) -> UInt64 {
        precondition(isTransactionEmpty)
        func behind(_ extent: Extent) -> UInt64 {
            extent.end - min(max(extent.start, page), extent.end)
        }
        guard page < pageCount else { return 0 }
        var others = behind(current)
        for chunk in free.chunks.reversed() {
            guard chunk.extents[chunk.extents.count - 1].end > page else { break }
            for extent in chunk.extents { others += behind(extent) }
        }
        for extent in waitingExtents { others += behind(extent) }
        return pageCount - page - others
    }
}
