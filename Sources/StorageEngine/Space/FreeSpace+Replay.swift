extension FreeSpace {
    /// Goes from the state of the record before to that of `step`. False where that is not
    /// possible: then the two do not belong together.
    ///
    /// Whether allocated pages were still waiting here is of no matter: who allocated them had
    /// looked at the readers.
    mutating func replay(_ step: FreeSpaceStep) -> Bool {
        precondition(isTransactionEmpty)
        settleCurrent()
        guard settlePending() else { return false }
        if step.pageCount < pageCount {
            // Free for whoever gave it back, who had looked at the readers, and perhaps still
            // waiting here.
            guard
                removeUnused(Extent(start: step.pageCount, count: pageCount - step.pageCount))
            else { return false }
            pageCount = step.pageCount
        } else {
            grow(to: step.pageCount)
        }
        noteFinishedPageCount(version: step.version)
        for extent in step.log.allocated where !removeUnused(extent) { return false }
        for freed in step.log.freed {
            guard freed.extent.end <= pageCount, !free.overlaps(freed.extent) else { return false }
        }
        guard waiting.insert(step.log.freed, freedBy: step.version) else { return false }
        livePages = step.livePages
        beginGroup(firstVersion: step.version + 1)
        return livePages + freePages + waitingPages == pageCount - firstPage
    }

    /// Files what is pending with what waits, for whoever looks at all of it. False where a page is
    /// in two places.
    mutating func settlePending() -> Bool {
        var start = 0
        while start < pending.count {
            let version = pending[start].version
            let end = pending[start...].firstIndex { $0.version != version } ?? pending.count
            guard waiting.insert(pending[start..<end].map(\.freed), freedBy: version)
            else { return false }
            start = end
        }
        pending.removeAll()
        pendingPages = 0
        return true
    }

    /// Takes pages that are free or waiting. False where some are neither.
    private mutating func removeUnused(_ extent: Extent) -> Bool {
        var rest = extent
        while !rest.isEmpty {
            var removed = free.removeHead(of: rest)
            if removed == 0 { removed = waiting.removeHead(of: rest) }
            guard removed > 0 else { return false }
            rest = Extent(start: rest.start + removed, count: rest.count - removed)
        }
        return true
    }
}
