/// The map of the file's pages: which are free, and which wait until no reader can reach them.
///
/// The process that writes keeps it in memory. Every page from `firstPage` to `pageCount` is in
/// exactly one state: in use, free, or waiting (invariant I2).
///
/// A write **transaction** allocates and frees pages. It ends either by being undone
/// (``rollBack()``), or by joining the open **group** as a version
/// (``finishTransaction(version:)``). A group consists of the versions that are made durable
/// together. ``groupLog()`` returns what the group's commit record stores about the free space, and
/// ``beginGroup(firstVersion:)`` starts the next group. Before a transaction,
/// ``reclaim(through:pinned:)`` makes those pages free that no reader reaches any more.
struct FreeSpace: Sendable {
    /// An extent that a finished transaction freed, with the version that the transaction became.
    struct PendingExtent: Sendable {
        var version: UInt64
        var freed: FreedExtent
    }

    /// The first page that can hold a run.
    let firstPage: UInt64
    /// One past the last page of the file.
    var pageCount: UInt64
    /// The number of pages in use, without waiting ones, as of the last finished transaction.
    var livePages: UInt64 = 0

    /// The free extents, without `current`.
    var free = ExtentSet()
    /// The free extent from which allocations take consecutive pages, so that the pages of one
    /// commit are contiguous. When it is empty, its start is the place near which the next search
    /// begins.
    var current: Extent

    /// Freed pages that were already compared with the readers' pins, or that were read from the
    /// file.
    var waiting = WaitingSpace()
    /// Freed pages that were not compared with the readers' pins yet, in ascending order of
    /// versions. It includes everything that the open group freed.
    var pending: [PendingExtent] = []
    var pendingPages: UInt64 = 0

    /// Pages that this transaction allocated and has not freed, without `allocatedTail`.
    var allocated = ExtentSet()
    /// The newest allocations, as far as they are contiguous.
    var allocatedTail = Extent(start: 0, count: 0)
    /// Pages of finished transactions that this transaction freed.
    var freed = ExtentSet()
    /// The pages of `freed` with their births, in the order in which they were freed.
    var freedExtents: [FreedExtent] = []
    /// The start of `current` before this transaction.
    var currentStart: UInt64
    /// The number of pages that were free when the file last grew, less those that ``takeHole(_:)``
    /// has used since.
    var pagesInHoles: UInt64 = 0
    /// The start of the hole that was last allocated from.
    private var lastHole: UInt64 = 0
    /// Whether the previous transaction was a large one.
    var isAmongLargeTransactions = false

    /// The first version of the open group. No page written by this version or a later one is in
    /// the file yet.
    var groupFirstVersion: UInt64
    /// Pages that the open group allocated and has not freed.
    var groupAllocated = ExtentSet()
    var livePagesBeforeGroup: UInt64 = 0

    /// The page below which allocations stay while there is room; beyond that, they take the lowest
    /// place available. The pages from here on are to become free. Nil if every place is equally
    /// good. It is a preference of this process and not a part of the map.
    var ceiling: UInt64?
    /// The number of pages of the file as of the last finished transaction.
    var finishedPageCount: UInt64
    /// The version that last made the file shorter than the version before, or an older version
    /// whose file may have been longer; nil after the file itself was truncated. From this version
    /// on, page counts never decrease.
    var uncutSince: UInt64?

    /// Creates the map of a file that has no version yet.
    init(firstPage: UInt64, pageCount: UInt64) {
        self.firstPage = firstPage
        self.pageCount = max(firstPage, pageCount)
        current = Extent(start: firstPage, count: 0)
        currentStart = firstPage
        groupFirstVersion = 1
        finishedPageCount = self.pageCount
        if pageCount > firstPage {
            _ = free.insert(Extent(start: firstPage, count: pageCount - firstPage))
        }
    }

    var freePages: UInt64 { free.pageCount + current.count }
    var isHalfFree: Bool { freePages >= pageCount / 2 }
    /// The number of pages that are in use or waiting.
    var usedPages: UInt64 { pageCount - firstPage - freePages }
    var waitingPages: UInt64 { waiting.pageCount + pendingPages }
    /// The number of pages that this transaction allocated and has not freed.
    var allocatedPages: UInt64 { allocated.pageCount + allocatedTail.count }
    var isTransactionEmpty: Bool { allocatedPages == 0 && freed.isEmpty }
}

// MARK: Allocating

extension FreeSpace {
    /// Preferred lengths of the extent to allocate from, in order of preference. A commit of a few
    /// dozen pages is then contiguous if a free extent is that long.
    private static let preferredLengths: [UInt64] = [64, 16]

    /// Preferred lengths below the ceiling, where low extents matter more than long ones.
    private static let preferredLowLengths: [UInt64] = [64, 16, 4, 1]

    /// The number of free pages (1 MiB) below which the file grows rather than fills holes shorter
    /// than 16 pages. A commit in many small pieces takes longer than one in one piece.
    private static let reserve: UInt64 = 256
    private static let longestShort: UInt64 = 16
    /// The number of pages up to which a file fills shorter holes as well, because growing would
    /// add a large part of its size.
    private static let smallFile: UInt64 = 64
    private var shortestPreferred: UInt64 {
        pageCount > Self.smallFile
            ? Self.longestShort : max(1, (pageCount - firstPage) / Self.longestShort)
    }

    /// The longest run that is put into a hole.
    private static let longestInHole: UInt64 = 3
    /// The number of pages from which on a transaction is a large one.
    static let largeTransaction: UInt64 = 8

    /// Takes contiguous pages.
    ///
    /// Returns nil if no free extent is long enough. Unless `scattering`, also returns nil if there
    /// are only short extents and little free space. In both cases the file should grow.
    mutating func allocate(_ count: UInt64, scattering: Bool = true) -> UInt64? {
        precondition(count > 0)
        guard
            let start = takeHole(count)
                ?? takeFromCurrent(count, scattering: scattering)
        else { return nil }
        if allocatedTail.end == start, !allocatedTail.isEmpty {
            allocatedTail.count += count
        } else {
            settleAllocatedTail()
            allocatedTail = Extent(start: start, count: count)
        }
        return start
    }

    private mutating func takeFromCurrent(_ count: UInt64, scattering: Bool) -> UInt64? {
        if current.count < count || isCurrentTooHigh(for: count) {
            let shortest: UInt64 =
                scattering || freePages >= Self.reserve ? 1 : shortestPreferred
            guard moveToExtent(ofAtLeast: count, shortest: shortest) else { return nil }
        }
        defer { current = Extent(start: current.start + count, count: current.count - count) }
        return current.start
    }

    /// Takes pages for a short run from a hole in which nothing longer fits, so that a file with
    /// many free pages does not grow again and again.
    ///
    /// Only large transactions use holes: a commit of a few pages should remain a single write.
    /// Returns nil if there are few holes, or none that is long enough.
    private mutating func takeHole(_ count: UInt64) -> UInt64? {
        guard count <= Self.longestInHole, pagesInHoles >= Self.reserve, ceiling == nil,
            isAmongLargeTransactions || allocatedPages >= Self.largeTransaction
        else { return nil }
        guard
            let hole = free.extent(
                ofAtLeast: count, below: Self.longestShort, near: lastHole)
        else {
            pagesInHoles = 0
            return nil
        }
        let isRemoved = free.remove(Extent(start: hole.start, count: count))
        precondition(isRemoved)
        lastHole = hole.start
        pagesInHoles -= count
        return hole.start
    }

    /// Whether the next `count` pages of `current` would exceed the ceiling. That happens if
    /// `current` was chosen before the ceiling was set, or when there was no room below it.
    func isCurrentTooHigh(for count: UInt64) -> Bool {
        ceiling.map { current.start + count > $0 } ?? false
    }

    private mutating func moveToExtent(ofAtLeast count: UInt64, shortest: UInt64) -> Bool {
        settleCurrent()
        guard let found = nextExtent(ofAtLeast: count, shortest: shortest) else { return false }
        take(found)
        return true
    }

    /// Returns the extent to allocate from next.
    mutating func nextExtent(ofAtLeast count: UInt64, shortest: UInt64) -> Extent? {
        if let found = lowExtent(ofAtLeast: count) { return found }
        for length in Self.preferredLengths where length >= count {
            if let found = free.extent(ofAtLeast: length, near: current.start) { return found }
        }
        // The longest remaining extent splits the commit into the fewest pieces. Small holes are
        // left alone until their neighbours are free too.
        return free.longestExtent(ofAtLeast: max(count, shortest))
    }

    private mutating func take(_ extent: Extent) {
        let isRemoved = free.remove(extent)
        precondition(isRemoved)
        current = extent
    }

    /// Returns the page at which a run of `count` pages would be allocated next under the ceiling;
    /// nil if there is no room.
    mutating func lowPlace(for count: UInt64) -> UInt64? {
        if current.count >= count, !isCurrentTooHigh(for: count) { return current.start }
        return lowExtent(ofAtLeast: count)?.start
    }

    /// Returns a low extent that is long enough and begins below the ceiling, cut off at the
    /// ceiling. If there is none, returns the lowest extent that is long enough. Nil without a
    /// ceiling.
    private mutating func lowExtent(ofAtLeast count: UInt64) -> Extent? {
        guard let ceiling else { return nil }
        for length in Self.preferredLowLengths where length >= count || length == 1 {
            guard
                let found = free.extent(ofAtLeast: max(length, count), near: firstPage),
                found.start + count <= ceiling
            else { continue }
            return Extent(start: found.start, count: min(found.end, ceiling) - found.start)
        }
        return free.extent(ofAtLeast: count, near: firstPage)
    }

    /// Returns the rest of `current` to the free extents, so that `free` is complete.
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

    /// Extends the map after the file has grown to `newCount` pages. The new pages are free.
    mutating func grow(to newCount: UInt64) {
        guard newCount > pageCount else { return }
        settleCurrent()
        pagesInHoles = freePages
        let isInserted = free.insert(Extent(start: pageCount, count: newCount - pageCount))
        precondition(isInserted)
        pageCount = newCount
    }

    /// The number of free pages at the very end of the file.
    var freePagesAtEnd: UInt64 {
        if !current.isEmpty, current.end == pageCount { return current.count }
        guard pageCount > firstPage else { return 0 }
        return free.extent(containing: pageCount - 1)?.count ?? 0
    }
}
