/// Which pages of the file are free, and which wait until no reader can reach them.
///
/// Kept in memory by the process that writes. A write transaction allocates and frees; at its end
/// either everything is taken back (``rollBack()``), or it becomes part of a version
/// (``finishCommit(version:)``). Between the two, ``log`` says what the transaction did.
///
/// Every page from `firstPage` to `pageCount` is in use, free, or waiting, and in one of them only
/// (invariant I2).
struct FreeSpace: Sendable {
    /// What one commit freed: reachable from the versions before it.
    struct WaitingGroup: Sendable, Equatable {
        var version: UInt64
        var extents: [Extent]
        var pageCount: UInt64
    }

    /// The first page that can hold a run.
    let firstPage: UInt64
    /// One past the last page of the file.
    var pageCount: UInt64
    /// Pages in use, without waiting ones, as of the last commit.
    var livePages: UInt64
    /// Everything freed by this version and those before has become free.
    var releasedThrough: UInt64

    /// Free pages, without those of `current`.
    var free = ExtentSet()
    /// In ascending order of versions; those before `firstWaiting` are empty.
    private var waiting: [WaitingGroup] = []
    private var firstWaiting = 0
    private(set) var waitingPages: UInt64 = 0

    /// The free extent that allocations take pages from, one after the other, so that what one
    /// commit writes lies together. When it is empty, its start says where to search next.
    private(set) var current: Extent
    private var currentStartBeforeTransaction: UInt64

    /// What this transaction allocated and still has, without `allocatedTail`.
    private var allocated = ExtentSet()
    /// The newest allocations as long as they are contiguous.
    private var allocatedTail = Extent(start: 0, count: 0)
    /// What this transaction freed of versions before it.
    private(set) var freed = ExtentSet()
    /// What the finished transactions of the open group allocated and still have.
    private var groupAllocated = ExtentSet()
    /// What they freed of versions before the group.
    private var groupFreed = ExtentSet()

    init(firstPage: UInt64, pageCount: UInt64) {
        self.firstPage = firstPage
        self.pageCount = max(firstPage, pageCount)
        livePages = 0
        releasedThrough = 0
        current = Extent(start: firstPage, count: 0)
        currentStartBeforeTransaction = firstPage
        if pageCount > firstPage {
            _ = free.insert(Extent(start: firstPage, count: pageCount - firstPage))
        }
    }

    var freePages: UInt64 { free.pageCount + current.count }
    var waitingGroups: ArraySlice<WaitingGroup> { waiting[firstWaiting...] }
    /// Pages that this transaction allocated and still has.
    var allocatedPages: UInt64 { allocated.pageCount + allocatedTail.count }
    var isTransactionEmpty: Bool { allocatedPages == 0 && freed.isEmpty }
}

// MARK: A transaction

extension FreeSpace {
    /// Lengths that an extent to allocate from should have, in order of preference: commits of a
    /// few dozen pages then lie in one piece, as long as there is a piece that long.
    private static let preferredLengths: [UInt64] = [64, 16, 4, 1]

    /// A commit in many small pieces takes longer than one in one piece, so a file rather grows than
    /// fills holes shorter than `shortestPreferred` while less than `reserve` is free: 1 MiB.
    private static let reserve: UInt64 = 256
    private static let shortestPreferred: UInt64 = 16

    /// Takes contiguous pages. Nil where the file has no free extent that long, or, unless
    /// `scattering`, only short ones and little free space: then the file should grow.
    mutating func allocate(_ count: UInt64, scattering: Bool = true) -> UInt64? {
        precondition(count > 0)
        if current.count < count {
            let shortest: UInt64 =
                scattering || freePages >= Self.reserve ? 1 : Self.shortestPreferred
            guard moveToExtent(ofAtLeast: count, shortest: shortest) else { return nil }
        }
        let start = current.start
        current = Extent(start: start + count, count: current.count - count)
        if allocatedTail.end == start, !allocatedTail.isEmpty {
            allocatedTail.count += count
        } else {
            settleAllocatedTail()
            allocatedTail = Extent(start: start, count: count)
        }
        return start
    }

    private mutating func moveToExtent(ofAtLeast count: UInt64, shortest: UInt64) -> Bool {
        settleCurrent()
        for length in Self.preferredLengths
        where length >= shortest && (length >= count || length == 1) {
            guard let found = free.extent(ofAtLeast: max(length, count), near: current.start)
            else { continue }
            let isRemoved = free.remove(found)
            precondition(isRemoved)
            current = found
            return true
        }
        return false
    }

    mutating func settleCurrent() {
        guard !current.isEmpty else { return }
        let isInserted = free.insert(current)
        precondition(isInserted, "a free page was free already")
        current.count = 0
    }

    mutating func settleAllocatedTail() {
        if !allocatedTail.isEmpty {
            let isInserted = allocated.insert(allocatedTail)
            precondition(isInserted, "a page was allocated twice")
        }
        allocatedTail = Extent(start: 0, count: 0)
    }

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

    /// Frees pages that an earlier version allocated. They wait.
    /// False where they cannot be in use: free, freed before, or outside. Then the file is damaged.
    mutating func freeOld(_ extent: Extent) -> Bool {
        guard extent.start >= firstPage, extent.end <= pageCount, !free.overlaps(extent),
            freed.pageCount + extent.count <= livePages
        else { return false }
        return freed.insert(extent)
    }

    /// The file has grown to `newCount` pages; the new ones are free.
    mutating func grow(to newCount: UInt64) {
        guard newCount > pageCount else { return }
        settleCurrent()
        let isInserted = free.insert(Extent(start: pageCount, count: newCount - pageCount))
        precondition(isInserted)
        pageCount = newCount
    }

    /// Free pages at the very end of the file: growth by less makes room for a long run.
    var freePagesAtEnd: UInt64 {
        if !current.isEmpty, current.end == pageCount { return current.count }
        guard pageCount > firstPage else { return 0 }
        return free.extent(containing: pageCount - 1)?.count ?? 0
    }

    /// Takes everything back that the transaction allocated, and forgets what it freed.
    mutating func rollBack() {
        settleAllocatedTail()
        settleCurrent()
        for extent in allocated {
            let isInserted = free.insert(extent)
            precondition(isInserted, "an allocated page was free")
        }
        allocated = ExtentSet()
        freed = ExtentSet()
        current = Extent(start: currentStartBeforeTransaction, count: 0)
    }

    /// What the open transaction did, for its commit record.
    mutating func log() -> FreeSpaceLog {
        settleAllocatedTail()
        var after = groupAllocated
        for extent in allocated { _ = after.insert(extent) }
        var freedAfter = groupFreed
        for extent in splitFreed() {
            if groupAllocated.overlaps(extent) { _ = after.remove(extent) } else {
                _ = freedAfter.insert(extent)
            }
        }
        return FreeSpaceLog(
            releasedThrough: releasedThrough, allocated: Array(after), freed: Array(freedAfter))
    }

    private func splitFreed() -> [Extent] {
        if groupAllocated.isEmpty { return Array(freed) }
        return freed.flatMap { extent in
            (extent.start..<extent.end).map { Extent(start: $0, count: 1) }
        }
    }

    mutating func beginGroup(firstVersion: UInt64) {
        groupAllocated = ExtentSet()
        groupFreed = ExtentSet()
    }

    /// Live pages once the open transaction has become a version.
    var livePagesAfterCommit: UInt64 { livePages + allocatedPages - freed.pageCount }

    /// The open transaction has become `version`: what it freed waits.
    mutating func finishTransaction(version: UInt64) {
        settleAllocatedTail()
        settleCurrent()
        livePages = livePagesAfterCommit
        var old = ExtentSet()
        for extent in splitFreed() {
            if groupAllocated.overlaps(extent) {
                _ = groupAllocated.remove(extent)
                _ = free.insert(extent)
            } else {
                _ = old.insert(extent)
                _ = groupFreed.insert(extent)
            }
        }
        for extent in allocated { _ = groupAllocated.insert(extent) }
        appendWaiting(Array(old), version: version)
        allocated = ExtentSet()
        freed = ExtentSet()
        currentStartBeforeTransaction = current.start
    }

    mutating func appendWaiting(_ extents: [Extent], version: UInt64) {
        let pages = extents.reduce(0) { $0 + $1.count }
        guard pages > 0 else { return }
        waiting.append(WaitingGroup(version: version, extents: extents, pageCount: pages))
        waitingPages += pages
    }

    /// Makes free what versions up to `version` freed. No reader may be below it. False where a
    /// page was free already: the file is damaged, and this map must not be used any more.
    mutating func release(through version: UInt64) -> Bool {
        settleCurrent()
        releasedThrough = max(releasedThrough, version)
        while firstWaiting < waiting.count, waiting[firstWaiting].version <= version {
            for extent in waiting[firstWaiting].extents where !free.insert(extent) {
                return false
            }
            waitingPages -= waiting[firstWaiting].pageCount
            waiting[firstWaiting].extents = []
            firstWaiting += 1
        }
        if firstWaiting > 64, firstWaiting * 2 > waiting.count {
            waiting.removeFirst(firstWaiting)
            firstWaiting = 0
        }
        return true
    }
}

// MARK: Invariants

extension FreeSpace {
    /// Extents beyond which a check would make debug builds too slow to use.
    private static let largestCheckedMap = 2000

    /// Checks invariant I2 as far as this map can: nothing is free and waiting at once, and the
    /// numbers add up. In debug builds only, and for maps of a moderate size.
    func checkInvariants() {
        assert(
            free.extentCount + waitingGroups.count > Self.largestCheckedMap || invariantsHold(),
            "the free-space map contradicts itself")
    }

    /// Whether no page is two things at once, and the numbers add up.
    func invariantsHold() -> Bool {
        var known = free
        if !current.isEmpty, !known.insert(current) { return false }
        for group in waitingGroups {
            for extent in group.extents where !known.insert(extent) { return false }
        }
        var own = allocated
        if !allocatedTail.isEmpty, !own.insert(allocatedTail) { return false }
        for extent in own where !known.insert(extent) { return false }
        for extent in freed where !known.insert(extent) { return false }
        let used = livePages + allocatedPages
        return known.pageCount <= pageCount - firstPage
            && used + freePages + waitingPages == pageCount - firstPage
    }
}
