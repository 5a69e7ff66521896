/// Decides when the end of the file is freed, and when live pages are to be moved away from there.
///
/// It examines the map between two transactions, and costs a commit next to nothing:
/// - Pages at the end that were free for ``patience`` versions in a row are removed from the file,
///   except for a reserve. So the file does not lose pages that the next commits would need again.
/// - When more than half of the file is free, allocations stay below a *ceiling*: the used pages,
///   plus half as many again. Live pages above it are moved below it, a few at a time.
///
/// The writers of a process share one instance. Its state is not persistent: a new process gathers
/// it anew.
struct TailRelease: Sendable {
    /// The number of versions over which the end of the file must have been unused.
    static let patience = 16
    /// The number of free pages that are kept at least, and the fewest that are removed at once: 1
    /// MiB, one step of growth.
    static let reserve = FreeSpace.tailReserve
    /// The least room between the used pages and the ceiling, so that it holds at least a few
    /// commits.
    private static let smallestRoom: UInt64 = 64
    /// The largest number of free pages that are kept at the end: 16 MiB.
    private static let largestReserve: UInt64 = 4096
    /// The largest number of pages that are removed at once, because the operating system takes
    /// time to truncate a file: 64 MiB.
    private static let largestCut: UInt64 = 16_384
    /// The bounds of the pause, in looks, after a walk that moved nothing although live pages lie
    /// above the ceiling (for example a long value that fits no gap). The pause doubles after each
    /// such walk. It ends early when the number of used pages has changed much, because the result
    /// of that walk says nothing about the new state.
    private static let shortestRest = 4
    private static let longestRest = 4096

    /// The progress in moving live pages away from the end; nil while nothing is to be moved.
    var walk: TailWalk?

    private var lastVersion: UInt64 = 0
    private var versionsSeen = 0
    /// One past the last page that was in use during the versions counted in `versionsSeen`.
    private var highestUse: UInt64 = 0
    private var rest = 0
    private var nextRest = shortestRest
    /// The number of used pages when the last walk began.
    private var usedBeforeWalk: UInt64 = 0
    private var hasGivenUp = false

    /// Examines the map as of `version`, whose commit record is `record`. It acts once every
    /// ``patience`` versions.
    mutating func look(
        at space: inout FreeSpace, version: UInt64, record: CommitRecord? = nil
    ) {
        guard version != lastVersion else { return }
        lastVersion = version
        versionsSeen += 1
        highestUse = max(highestUse, space.pageCount - space.freePagesAtEnd)
        guard versionsSeen >= Self.patience else { return }
        let isDone = giveBack(&space)
        adjustCeiling(&space, record)
        // The rest of a long end is removed after the next versions.
        guard isDone else { return }
        versionsSeen = 0
        highestUse = 0
    }

    /// Removes free pages at the end. Returns false if more remain to be removed than one step may.
    private func giveBack(_ space: inout FreeSpace) -> Bool {
        let kept = highestUse + min(max(Self.reserve, space.usedPages / 16), Self.largestReserve)
        guard space.pageCount >= kept + Self.reserve else { return true }
        let target = max(kept, space.pageCount - min(space.pageCount, Self.largestCut))
        space.shrink(to: target)
        return target == kept
    }

    private mutating func adjustCeiling(_ space: inout FreeSpace, _ record: CommitRecord?) {
        let used = space.usedPages
        // A walk is worth finishing while there is room below the ceiling. A map that was reloaded
        // has no ceiling.
        if walk != nil, space.ceiling != nil, space.freePages >= used / 4 { return }
        walk = nil
        let ceiling = space.firstPage + used + used / 2 + Self.smallestRoom
        guard space.freePages > used + Self.reserve, highestUse > ceiling else {
            space.ceiling = nil
            return
        }
        space.ceiling = ceiling
        guard !hasGivenUp else { return }
        let change = max(used, usedBeforeWalk) - min(used, usedBeforeWalk)
        if change > usedBeforeWalk / 4 { (rest, nextRest) = (0, Self.shortestRest) }
        if rest > 0 {
            rest -= 1
        } else if space.livePages(from: ceiling) > record?.recordPages(from: ceiling) ?? 0 {
            // Commit records among the pages need not be moved: newer records replace them.
            walk = TailWalk()
            usedBeforeWalk = used
        }
    }

    /// Ends a walk that has visited everything.
    mutating func finish(_ walk: TailWalk) {
        self.walk = nil
        if walk.movedPages > 0 {
            nextRest = Self.shortestRest
        } else {
            rest = nextRest
            nextRest = min(2 * nextRest, Self.longestRest)
        }
    }

    /// Stops moving pages for as long as this process has the file open, because a page was found
    /// to be damaged.
    mutating func giveUp() {
        walk = nil
        hasGivenUp = true
    }
}

/// The progress of a walk over everything that a version reaches. The layer that walks defines the
/// meaning of the numbers.
struct TailWalk: Sendable {
    /// The part of the version that the walk has reached.
    var part = 0
    /// The place in that part, from the outermost structure inwards.
    var path: [Int] = []
    /// The number of pages moved so far.
    var movedPages: UInt64 = 0
}
