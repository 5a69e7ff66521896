/// The runs that hold the map of free pages: a whole map, and one run for each later checkpoint,
/// with the steps since the one before.
///
/// A map of a million extents takes hundreds of pages. Written as a whole every 24 commits, it
/// would be more than everything else that small commits write. So a checkpoint adds one run with
/// the steps since the one before, until such runs take half as many pages as the whole map; then
/// the whole map is written anew. The cost of the map for a commit is thereby in proportion to what
/// the commit allocated and freed, and reading the chain costs at most half as much again as the
/// map.
struct CheckpointChain {
    struct Link {
        var reference: PageReference
        var pageCount: UInt64
        var checkpoint: FreeSpaceCheckpoint
    }

    /// A map this small is always written as a whole.
    private static let largestWholePageCount: UInt64 = 4

    /// The newest first; the last one is the whole map.
    let links: [Link]

    /// Follows the chain from its newest run, which the record of a version names; empty if that is
    /// none. `page` finds the runs, in the file or in memory.
    ///
    /// - Throws: `.damaged` where a run is not what it should be. Births descend, so it ends.
    init(
        newest: PageReference, in file: PageFile,
        page: (PageReference) throws(StorageError) -> UnsafeRawPointer
    ) throws(StorageError) {
        var links: [Link] = []
        var next = newest
        while !next.isNone {
            let start = try page(next)
            guard let contents = file.contents(at: start, kind: .freeSpaceCheckpoint),
                let checkpoint = FreeSpaceCheckpoint(contents, version: next.birth)
            else { throw file.damage(next.page, "it is not a map of free pages") }
            links.append(
                Link(
                    reference: next, pageCount: UInt64(PageHeader(start).pageCount),
                    checkpoint: checkpoint))
            next = checkpoint.base
        }
        self.links = links
    }

    /// Follows the chain of a version that is in the file.
    init(
        newest: PageReference, of snapshot: SnapshotBounds, in file: PageFile
    ) throws(StorageError) {
        try self.init(newest: newest, in: file) { reference throws(StorageError) in
            try file.page(reference, of: snapshot)
        }
    }

    /// Whether the chain should go on with a run of `pageCount` pages instead of a whole map.
    func isWorthContinuing(with pageCount: UInt64) -> Bool {
        guard let whole = links.last, whole.pageCount > Self.largestWholePageCount else {
            return false
        }
        let added = links.dropLast().reduce(pageCount) { $0 + $1.pageCount }
        return added <= whole.pageCount / 2
    }

    /// The map as of the newest run; nil where the runs contradict each other or the file.
    func map(firstPage: UInt64, maximumPageCount: UInt64) -> FreeSpace? {
        guard
            var map = links.last?.checkpoint.map(
                firstPage: firstPage, maximumPageCount: maximumPageCount)
        else { return nil }
        for link in links.dropLast().reversed() {
            guard
                let steps = link.checkpoint.steps(
                    firstPage: firstPage, maximumPageCount: maximumPageCount)
            else { return nil }
            for step in steps where !map.replay(step) { return nil }
        }
        return map
    }
}
