/// Decides when the end of the file is given back, and when what lies there is to move.
///
/// It looks at the map between two transactions, and costs a commit next to nothing:
/// - What was free at the end for ``patience`` versions in a row is given back, but for a reserve.
///   So nothing is given back that the next commits would take again.
/// - When more than half of the file is free, allocations stay below a *ceiling* that leaves half
///   as much room again as is in use, and live pages are moved there a few at a time.
///
/// One of these belongs to the writers of a process; what it knows is lost with the process, and
/// found again.
struct TailRelease: Sendable {
    /// Versions over which the end of the file must have been unused.
    static let patience = 16
    /// Free pages that are kept, and the fewest that are given back: 1 MiB, a step of growth.
    static let reserve: UInt64 = 256
    /// The ceiling leaves room for a few commits at least.
    private static let smallestRoom: UInt64 = 64
    /// At most so many free pages are kept at the end: 16 MiB.
    private static let largestReserve: UInt64 = 4096
    /// No more is given back at once, because the system takes time to do it: 64 MiB.
    private static let largestCut: UInt64 = 16_384
    /// After a walk that moved nothing though something lies above the ceiling (a long value that
    /// fits no gap), the next one waits for this many looks, then twice as many, up to a limit; but
    /// not when much more or less is in use since: what it found is no evidence then.
    private static let shortestRest = 4
    private static let longestRest = 4096

    /// How far live pages were moved away from the end; nil while nothing is to move.
    var walk: TailWalk?

    private var lastVersion: UInt64 = 0
    private var versionsSeen = 0
    /// One past the last page that was in use when these versions were seen.
    private var highestUse: UInt64 = 0
    private var rest = 0
    private var nextRest = shortestRest
    /// Pages in use when the last walk began.
    private var usedBeforeWalk: UInt64 = 0
    private var hasGivenUp = false

    /// Looks at the map as it is after `version`, once every few versions. `record`: that version's.
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
        // What is left of a long end goes with the next versions.
        guard isDone else { return }
        versionsSeen = 0
        highestUse = 0
    }

    /// False if more than one cut takes is to be given back.
    private func giveBack(_ space: inout FreeSpace) -> Bool {
        let kept = highestUse + min(max(Self.reserve, space.usedPages / 16), Self.largestReserve)
        guard space.pageCount >= kept + Self.reserve else { return true }
        let target = max(kept, space.pageCount - min(space.pageCount, Self.largestCut))
        space.shrink(to: target)
        return target == kept
    }

    private mutating func adjustCeiling(_ space: inout FreeSpace, _ record: CommitRecord?) {
        let used = space.usedPages
        // Worth finishing as long as there is room below the ceiling. A map that was read anew has
        // none.
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
            // Records go by themselves.
            walk = TailWalk()
            usedBeforeWalk = used
        }
    }

    /// The walk has come to its end.
    mutating func finish(_ walk: TailWalk) {
        self.walk = nil
        if walk.movedPages > 0 {
            nextRest = Self.shortestRest
        } else {
            rest = nextRest
            nextRest = min(2 * nextRest, Self.longestRest)
        }
    }

    /// Moves nothing any more while this process has the file open: something there is damaged.
    mutating func giveUp() {
        walk = nil
        hasGivenUp = true
    }
}

/// How far a walk over everything that a version reaches has come. What the numbers mean is the
/// business of the layer that walks.
struct TailWalk: Sendable {
    /// Which of its parts the walk is in.
    var part = 0
    /// Where in the part, from the outermost structure inwards.
    var path: [Int] = []
    /// Pages moved so far.
    var movedPages: UInt64 = 0
}
