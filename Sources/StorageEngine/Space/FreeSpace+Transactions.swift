/// What a transaction gives back, and how transactions become versions in groups.
extension FreeSpace {
    // MARK: A transaction

    /// Gives back pages that this transaction allocated; they can be allocated again at once.
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

    /// Frees pages that an earlier version, `birth`, allocated. They wait.
    /// False where they cannot be in use: free, freed before, or outside. Then the file is damaged.
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

    /// Takes everything back that the transaction allocated, and forgets what it freed.
    mutating func rollBack() {
        settleAllocatedTail()
        settleCurrent()
        if !planted(.leaksRolledBackPages) { giveBack(allocated) }
        endTransaction()
        current.start = currentStart
    }

    /// The transaction has become `version`, a member of the open group; the next one goes on from
    /// there.
    ///
    /// Pages that the group itself wrote and that this transaction freed are free at once, because
    /// they are in no file: their numbers are used again for what the group writes.
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

    /// What the open group did, without the transaction that has not finished.
    func groupLog() -> FreeSpaceLog {
        let first = pending.firstIndex { $0.version >= groupFirstVersion } ?? pending.count
        var freed = pending[first...].map(\.freed)
        freed.coalesce()
        return FreeSpaceLog(allocated: Array(groupAllocated), freed: freed)
    }

    /// The open group was handed to the disk. Transactions from now on are of the next one, whose
    /// versions are `firstVersion` and later ones.
    mutating func beginGroup(firstVersion: UInt64) {
        precondition(firstVersion >= groupFirstVersion)
        groupFirstVersion = firstVersion
        groupAllocated.removeAll()
        livePagesBeforeGroup = livePages
    }

    /// Takes back all transactions of the open group, and the one that has not finished.
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
    /// Makes free what was freed by version `limit` or before, and what no pinned version reaches.
    /// False where a page is in two places: the file is damaged, and this map must not be used any
    /// more.
    ///
    /// `limit` must be durable, so that no crash leads back to a version that reaches those pages,
    /// and visible. `pinned` must have been collected after `limit` was known to be visible. A
    /// reader whose pin is missing there stored it later; then it looked at the visible version
    /// once more (`ReaderSlot.pinLatest`), found `limit` or a newer one, and pinned that. So no pin
    /// that was missed is on a version before `limit`, and no later one ever will be, except as a
    /// copy of a pin that was seen.
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
        // In a file made to harm a page may be freed twice, and have been allocated since.
        for extent in groupAllocated where free.overlaps(extent) { return false }
        return true
    }
}
