extension FreeSpace {
    /// Advances the map from the state of the previous record to that of `step`. Returns false if
    /// that is not possible, because the two do not belong together.
    ///
    /// The allocated pages may still be waiting in this map. The writer that allocated them had
    /// checked that no reader reached them.
    mutating func replay(_ step: FreeSpaceStep) -> Bool {
        precondition(isTransactionEmpty)
        settleCurrent()
        guard settlePending() else { return false }
        if step.pageCount < pageCount {
            // The writer that shortened the file had checked that no reader reached these pages.
            // They were free for it, but may still be waiting here.
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

    /// Moves the pending extents to the waiting ones, before an operation that needs all of them in
    /// one place. Returns false if a page is in two places.
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

    /// Removes pages that are free or waiting. Returns false if some are neither.
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
