/// Giving back the end of the file.
///
/// Three steps, each later than the one before:
/// 1. Between two transactions, free pages at the end leave the map (``shrink(to:)``).
/// 2. The next version's record has fewer pages than the one before. Readers of it, and of later
///    versions, never look behind its end.
/// 3. Once that version is as durable as recovery needs, and nobody reads an older one, the file
///    itself is cut (``WriterState``).
extension FreeSpace {
    /// Gives up the pages from `newCount` on, which are free.
    mutating func shrink(to newCount: UInt64) {
        precondition(isTransactionEmpty)
        settleCurrent()
        let isRemoved = free.remove(Extent(start: newCount, count: pageCount - newCount))
        precondition(isRemoved, "the end of the file was given back while it was in use")
        pageCount = newCount
    }

    /// Gives up all but so many free pages at the end, as a part of a transaction that has just
    /// become `version`.
    mutating func shrinkToUse(keeping kept: UInt64, version: UInt64) {
        guard freePagesAtEnd > kept else { return }
        shrink(to: pageCount - freePagesAtEnd + kept)
        noteFinishedPageCount(version: version)
    }

    /// A transaction of `version` has finished, here or in another process.
    mutating func noteFinishedPageCount(version: UInt64) {
        if pageCount < finishedPageCount { uncutSince = version }
        finishedPageCount = pageCount
    }

    /// Pages from `page` on that the newest version uses. Asked between two transactions.
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
