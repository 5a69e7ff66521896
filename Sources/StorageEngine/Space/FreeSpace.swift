/// Which pages of the file are free, and which wait until no reader can reach them.
///
/// Kept in memory by the process that writes. Every page from `firstPage` to `pageCount` is in
/// use, free, or waiting, and in one of them only (invariant I2).
///
/// A write **transaction** allocates and frees. At its end everything is taken back
/// (``rollBack()``), or it joins the open **group** as a version (``finishTransaction(version:)``).
/// A group is the versions that are made durable together: ``groupLog()`` says what a commit record
/// has to say about it, and ``beginGroup(firstVersion:)`` ends it. Before a transaction,
/// ``reclaim(through:pinned:)`` makes free what no reader reaches any more.
struct FreeSpace: Sendable {
    /// What a finished transaction freed, and as which version.
    struct PendingExtent: Sendable {
        var version: UInt64
        var freed: FreedExtent
    }

    /// The first page that can hold a run.
    let firstPage: UInt64
    /// One past the last page of the file.
    var pageCount: UInt64
    /// Pages in use, without waiting ones, as of the last finished transaction.
    var livePages: UInt64 = 0

    /// Free pages, without those of `current`.
    var free = ExtentSet()
    /// The free extent that allocations take pages from, one after the other, so that what one
    /// commit writes lies together. When it is empty, its start says where to search next.
    var current: Extent

    /// Freed pages of which it was looked at who reaches them, or that were read from the file.
    var waiting = WaitingSpace()
    /// Freed pages of which it was not, in ascending order of versions: all that the open group
    /// freed is here.
    var pending: [PendingExtent] = []
    var pendingPages: UInt64 = 0

    /// What this transaction allocated and still has, without `allocatedTail`.
    var allocated = ExtentSet()
    /// The newest allocations as long as they are contiguous.
    var allocatedTail = Extent(start: 0, count: 0)
    /// What this transaction freed of finished ones.
    var freed = ExtentSet()
    /// The same with births, in the order it was freed.
    var freedExtents: [FreedExtent] = []
    /// Where `current` started before this transaction.
    var currentStart: UInt64
    /// What is left of the holes that the file last grew in spite of; see ``takeHole(_:)``.
    var pagesInHoles: UInt64 = 0
    /// Where the last hole was filled.
    private var lastHole: UInt64 = 0
    /// Whether the transaction before this one was a large one.
    var isAmongLargeTransactions = false

    /// Nothing that a version from this one on wrote is in the file yet.
    var groupFirstVersion: UInt64
    /// What the open group allocated and still has.
    var groupAllocated = ExtentSet()
    var livePagesBeforeGroup: UInt64 = 0

    /// Allocations stay below this page as long as there is room, and else as low as they can: what
    /// lies from here on is to become free. Nil if anywhere is good. A wish of this process, no
    /// part of the map.
    var ceiling: UInt64?
    /// Pages of the file as of the last finished transaction.
    var finishedPageCount: UInt64
    /// The version that last made the file shorter than the version before, or an older one whose
    /// file may have been longer; nil once the file itself was cut. Page counts never go down from
    /// this version on.
    var uncutSince: UInt64?

    /// The map of a file without a version.
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
    /// In use, or waiting to be free.
    var usedPages: UInt64 { pageCount - firstPage - freePages }
    var waitingPages: UInt64 { waiting.pageCount + pendingPages }
    /// Pages that this transaction allocated and still has.
    var allocatedPages: UInt64 { allocated.pageCount + allocatedTail.count }
    var isTransactionEmpty: Bool { allocatedPages == 0 && freed.isEmpty }
}

// MARK: Allocating

extension FreeSpace {
    /// Lengths that an extent to allocate from should have, in order of preference: commits of a
    /// few dozen pages then lie in one piece, as long as there is a piece that long.
    private static let preferredLengths: [UInt64] = [64, 16]

    /// The same below the ceiling, where the lowest extents are wanted.
    private static let preferredLowLengths: [UInt64] = [64, 16, 4, 1]

    /// A commit in many small pieces takes longer than one in one piece, so a file rather grows than
    /// fills holes shorter than 16 pages while less than `reserve` is free: 1 MiB.
    private static let reserve: UInt64 = 256
    private static let longestShort: UInt64 = 16
    /// A file of fewer pages than this fills shorter ones: it would grow by as much as it has.
    private static let smallFile: UInt64 = 64
    private var shortestPreferred: UInt64 {
        pageCount > Self.smallFile
            ? Self.longestShort : max(1, (pageCount - firstPage) / Self.longestShort)
    }

    /// Longer runs are never put into holes, and so many pages make a transaction a large one.
    private static let longestInHole: UInt64 = 3
    static let largeTransaction: UInt64 = 8

    /// Takes contiguous pages. Nil where the file has no free extent that long, or, unless
    /// `scattering`, only short ones and little free space: then the file should grow.
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

    /// Pages for a short run, where nothing longer fits, so that a file does not grow again and
    /// again while many pages of it are free. Large transactions only: a commit of a few pages is
    /// one write. Nil where there are few holes, or none so long.
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

    /// The extent was chosen before the ceiling was, or when there was no room below it.
    func isCurrentTooHigh(for count: UInt64) -> Bool {
        ceiling.map { current.start + count > $0 } ?? false
    }

    private mutating func moveToExtent(ofAtLeast count: UInt64, shortest: UInt64) -> Bool {
        settleCurrent()
        guard let found = nextExtent(ofAtLeast: count, shortest: shortest) else { return false }
        take(found)
        return true
    }

    /// What to allocate from next.
    mutating func nextExtent(ofAtLeast count: UInt64, shortest: UInt64) -> Extent? {
        if let found = lowExtent(ofAtLeast: count) { return found }
        for length in Self.preferredLengths where length >= count {
            if let found = free.extent(ofAtLeast: length, near: current.start) { return found }
        }
        // Of what is left the longest: the commit has the fewest pieces, and small holes are left
        // alone until their neighbours are free too.
        return free.longestExtent(ofAtLeast: max(count, shortest))
    }

    private mutating func take(_ extent: Extent) {
        let isRemoved = free.remove(extent)
        precondition(isRemoved)
        current = extent
    }

    /// Where so many pages would be taken next while there is a ceiling; nil if there is no room.
    mutating func lowPlace(for count: UInt64) -> UInt64? {
        if current.count >= count, !isCurrentTooHigh(for: count) { return current.start }
        return lowExtent(ofAtLeast: count)?.start
    }

    /// Of the lowest extent below the ceiling that is long enough, the part below; else the lowest
    /// one that is long enough at all. Nil without a ceiling.
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

    /// The file has grown to `newCount` pages; the new ones are free.
    mutating func grow(to newCount: UInt64) {
        guard newCount > pageCount else { return }
        settleCurrent()
        pagesInHoles = freePages
        let isInserted = free.insert(Extent(start: pageCount, count: newCount - pageCount))
        precondition(isInserted)
        pageCount = newCount
    }

    /// Free pages at the very end of the file.
    var freePagesAtEnd: UInt64 {
        if !current.isEmpty, current.end == pageCount { return current.count }
        guard pageCount > firstPage else { return 0 }
        return free.extent(containing: pageCount - 1)?.count ?? 0
    }
}
