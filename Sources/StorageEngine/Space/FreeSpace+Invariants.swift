extension FreeSpace {
    /// The number of extents above which the checks would make debug builds too slow to use.
    private static let largestCheckedMap = 2000

    /// Checks invariant I2 as far as this map can: no page is both free and waiting, and the page
    /// counts add up. Only in debug builds, and only for maps of moderate size.
    func checkInvariants() {
        assert(
            free.extentCount + waiting.extentCount + pending.count > Self.largestCheckedMap
                || invariantsHold(),
            "the free-space map contradicts itself")
    }

    /// Whether every page is in at most one state, and the page counts add up.
    func invariantsHold() -> Bool {
        var known = free
        if !current.isEmpty, !known.insert(current) { return false }
        var waitingCount: UInt64 = 0
        var own = allocated
        if !allocatedTail.isEmpty, !own.insert(allocatedTail) { return false }
        for extent in own where !known.insert(extent) { return false }
        for extent in freed where !known.insert(extent) { return false }
        for extent in waitingExtents {
            guard known.insert(extent) else { return false }
            waitingCount += extent.count
        }
        let used = livePages + own.pageCount
        return waitingCount == waitingPages && known.pageCount <= pageCount - firstPage
            && used + freePages + waitingPages == pageCount - firstPage
    }

    /// Whether a page of `extent` is already waiting. If it is freed again, the file is damaged.
    ///
    /// Only debug builds look, because there `checkInvariants` would stop the program. In release
    /// builds `reclaim` detects the damage.
    func isKnownToWait(_ extent: Extent) -> Bool {
        #if DEBUG
        if waiting.extentCount + pending.count > Self.largestCheckedMap { return false }
        return waiting.batches.contains { $0.extents.overlaps(extent) }
            || pending.contains {
                $0.freed.extent.start < extent.end && extent.start < $0.freed.extent.end
            }
        #else
        return false
        #endif
    }

    /// Whether none of these pages is free or waiting.
    func isInUse(_ extent: Extent) -> Bool {
        extent.isEmpty
            || !free.overlaps(extent)
                && !waitingExtents.contains { $0.start < extent.end && extent.start < $0.end }
    }

    /// All waiting extents, in no particular order.
    var waitingExtents: [Extent] {
        waiting.batches.flatMap { Array($0.extents) } + pending.map(\.freed.extent)
    }
}
