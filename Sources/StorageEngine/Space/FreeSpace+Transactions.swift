/// The pages that a transaction frees, and the grouping of transactions into commit records.
extension FreeSpace {
    // MARK: A transaction

    /// Frees pages that this transaction itself allocated. They can be allocated again at once.
    mutating func freeOwn(_ extent: Extent) {
        if allocatedTail.end == extent.end, extent.count <= allocatedTail.count {
            allocatedTail.count -= extent.count
        } else {
            settleAllocatedTail()
            let isRemoved = allocated.remove(extent)
            precondition(isRemoved, "freed a page that this transaction did not allocate")
        }
        if extent.end == current.start, !current.isEmpty {
            current = Extent(start: extent.start, count: current.count + extent.count)
        } else {
            let isInserted = free.insert(extent)
            precondition(isInserted, "freed a page that was free already")
        }
    }

    /// Frees pages that the earlier version `birth` wrote. They wait until no reader can reach
    /// them. Returns false if the pages cannot be in use, because they are free, already freed, or
    /// outside of the file. The file is then damaged.
    mutating func freeOld(_ extent: Extent, birth: UInt64) -> Bool {
        precondition(birth >= 1)
        guard extent.start >= firstPage, extent.end <= pageCount, !free.overlaps(extent),
            !isKnownToWait(extent), freed.pageCount + extent.count <= livePages,
            freed.insert(extent)
        else { return false }
        if let last = freedExtents.last, last.birth == birth, last.extent.end == extent.start {
            freedExtents[freedExtents.count - 1].extent.count += extent.count
        } else {
            freedExtents.append(FreedExtent(extent: extent, birth: birth))
        }
        return true
    }

    /// Frees everything that the transaction allocated, and forgets what it freed.
    mutating func rollBack() {
        settleAllocatedTail()
        settleCurrent()
        if !planted(.leaksRolledBackPages) { giveBack(allocated) }
        endTransaction()
        current.start = currentStart
    }

    /// Ends the transaction, which has become `version`, a member of the open group. The next
    /// transaction starts from there.
    ///
    /// Pages that the group itself wrote and that this transaction freed become free at once: they
    /// have not been written to the file yet, so the group may allocate their numbers again.
    mutating func finishTransaction(version: UInt64) {
        settleAllocatedTail()
        settleCurrent()
        isAmongLargeTransactions = allocatedPages >= Self.largeTransaction
        livePages = livePages + allocated.pageCount - freed.pageCount
        let isUnited = groupAllocated.formUnion(allocated)
        precondition(isUnited, "a page was allocated by two transactions")
        freedExtents.coalesce()
        for entry in freedExtents {
            if entry.birth >= groupFirstVersion {
                let isMoved = groupAllocated.remove(entry.extent) && free.insert(entry.extent)
                precondition(isMoved, "freed a page that the group did not allocate")
            } else {
                pending.append(PendingExtent(version: version, freed: entry))
                pendingPages += entry.extent.count
            }
        }
        endTransaction()
        currentStart = current.start
        noteFinishedPageCount(version: version)
    }

    private mutating func endTransaction() {
        allocated.removeAll()
        freed.removeAll()
        freedExtents.removeAll(keepingCapacity: freedExtents.count <= 4096)
    }

    private mutating func giveBack(_ extents: ExtentSet) {
        let isUnited = free.formUnion(extents)
        precondition(isUnited, "an allocated page was free")
    }

    // MARK: A group

    /// Returns the effect of the open group on the free space, without the unfinished transaction.
    func groupLog() -> FreeSpaceLog {
        let first = pending.firstIndex { $0.version >= groupFirstVersion } ?? pending.count
        var freed = pending[first...].map(\.freed)
        freed.coalesce()
        return FreeSpaceLog(allocated: Array(groupAllocated), freed: freed)
    }

    /// Closes the open group, whose pages were handed to the disk, and opens the next one. Its
    /// versions are `firstVersion` and later ones.
    mutating func beginGroup(firstVersion: UInt64) {
        precondition(firstVersion >= groupFirstVersion)
        groupFirstVersion = firstVersion
        groupAllocated.removeAll()
        livePagesBeforeGroup = livePages
    }

    /// Rolls back all transactions of the open group, and the unfinished transaction.
    mutating func rollBackGroup() {
        rollBack()
        giveBack(groupAllocated)
        groupAllocated.removeAll()
        while let last = pending.last, last.version >= groupFirstVersion {
            pendingPages -= last.freed.extent.count
            pending.removeLast()
        }
        livePages = livePagesBeforeGroup
    }
}

// MARK: Reclaiming

extension FreeSpace {
    /// Makes the pages free that were freed by version `limit` or earlier and that no pinned
    /// version reaches. Returns false if a page is in two places. The file is then damaged, and
    /// this map must not be used any more.
    ///
    /// `limit` must be visible, and durable, so that no crash leads back to a version that reaches
    /// those pages. `pinned` must have been collected after `limit` was known to be visible. A
    /// reader whose pin is missing from `pinned` stored it after the collection. It then read the
    /// visible version once more (`ReaderSlot.pinLatest`), found `limit` or a newer version, and
    /// pinned that. So no missed pin is on a version before `limit`. Later pins are not either,
    /// except for copies of pins that were seen.
    mutating func reclaim(through limit: UInt64, pinned: PinnedVersions) -> Bool {
        precondition(isTransactionEmpty)
        settleCurrent()
        guard waiting.release(before: limit, pinned: pinned, into: &free) else { return false }
        let end = pending.firstIndex { $0.version > limit } ?? pending.count
        for entry in pending[..<end] {
            let (extent, birth) = (entry.freed.extent, entry.freed.birth)
            pendingPages -= extent.count
            let isInserted =
                if let span = pinned.span(in: birth...entry.version - 1) {
                    waiting.insert(extent, versions: span)
                } else {
                    free.insert(extent)
                }
            guard isInserted else { return false }
        }
        pending.removeFirst(end)
        // In a malicious file, a page may be freed twice, and may have been allocated in between.
        for extent in groupAllocated where free.overlaps(extent) { return false }
        return true
    }
}
