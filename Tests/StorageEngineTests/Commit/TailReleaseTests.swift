import Testing

@testable import StorageEngine

/// The conditions for freeing the end of a file.
@Suite struct TailReleaseTests {
    private static let firstPage: UInt64 = 66

    /// Returns a map whose first pages are in use.
    private func map(used: UInt64, free: UInt64) -> FreeSpace {
        var space = FreeSpace(firstPage: Self.firstPage, pageCount: Self.firstPage + used + free)
        _ = space.allocate(used)
        space.finishTransaction(version: 1)
        space.beginGroup(firstVersion: 2)
        return space
    }

    /// Returns a map of 9,000 pages whose last thousand is in use, after a gap of 6,000.
    private func mapWithGap() -> FreeSpace {
        var space = FreeSpace(firstPage: Self.firstPage, pageCount: Self.firstPage + 9000)
        _ = space.allocate(9000)
        space.freeOwn(Extent(start: Self.firstPage + 2000, count: 6000))
        space.finishTransaction(version: 1)
        space.beginGroup(firstVersion: 2)
        return space
    }

    @Test func anEndThatStaysUnusedIsGivenBackButForAReserve() {
        var space = map(used: 1000, free: 3000)
        var release = TailRelease()
        for version in 1..<UInt64(TailRelease.patience) {
            release.look(at: &space, version: version)
            #expect(space.pageCount == Self.firstPage + 4000)
            // Looking at the same version again adds no evidence.
            release.look(at: &space, version: version)
        }
        release.look(at: &space, version: UInt64(TailRelease.patience))
        #expect(space.pageCount == Self.firstPage + 1000 + TailRelease.reserve)
        #expect(space.invariantsHold())
    }

    @Test func anEndThatIsUsedNowAndThenIsKept() {
        var space = map(used: 1000, free: 3000)
        var release = TailRelease()
        for version in 2...200 as ClosedRange<UInt64> {
            let isLarge = version % 10 == 0
            if isLarge {
                let start = space.allocate(2500)!
                space.finishTransaction(version: version)
                space.beginGroup(firstVersion: version + 1)
                release.look(at: &space, version: version)
                let isFreed = space.freeOld(Extent(start: start, count: 2500), birth: version)
                #expect(isFreed)
                space.finishTransaction(version: version + 1)
                space.beginGroup(firstVersion: version + 2)
                let isReclaimed = space.reclaim(
                    through: version + 1, pinned: PinnedVersions())
                #expect(isReclaimed)
            }
            release.look(at: &space, version: version + (isLarge ? 1 : 0))
        }
        #expect(space.pageCount == Self.firstPage + 4000)
    }

    @Test func aLongEndGoesInPieces() {
        var space = map(used: 1000, free: 100_000)
        var release = TailRelease()
        var version: UInt64 = 0
        var counts: [UInt64] = []
        while counts.last != Self.firstPage + 1000 + TailRelease.reserve, version < 100 {
            version += 1
            release.look(at: &space, version: version)
            if counts.last != space.pageCount { counts.append(space.pageCount) }
        }
        // Each step takes the operating system a bounded time, and needs no further patience.
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 - $1 <= 16_384 })
        #expect(version <= UInt64(TailRelease.patience) + 8)
    }

    @Test func nothingIsToMoveUnlessMoreThanHalfIsFree() {
        // The first pages and one at the end are in use.
        func walk(used: UInt64, free: UInt64) -> TailRelease {
            var space = FreeSpace(
                firstPage: Self.firstPage, pageCount: Self.firstPage + used + free)
            _ = space.allocate(used + free)
            space.freeOwn(Extent(start: Self.firstPage + used - 1, count: free))
            space.finishTransaction(version: 1)
            space.beginGroup(firstVersion: 2)
            var release = TailRelease()
            for version in 1...40 as ClosedRange<UInt64> {
                release.look(at: &space, version: version)
            }
            return release
        }
        #expect(walk(used: 4000, free: 4000).walk == nil)
        #expect(walk(used: 4000, free: 5000).walk != nil)
        // The gain would be too small.
        #expect(walk(used: 100, free: 300).walk == nil)
    }

    @Test func allocationsStayBelowTheCeilingAsLongAsThereIsRoom() {
        var space = map(used: 1000, free: 3000)
        space.ceiling = Self.firstPage + 1200
        for _ in 0..<50 {
            let page = space.allocate(4)!
            #expect(page + 4 <= Self.firstPage + 1200)
        }
        // Above the ceiling, the lowest available place is used.
        let page = space.allocate(4)
        #expect(page == Self.firstPage + 1200)
        space.rollBack()
        #expect(space.invariantsHold())
    }

    @Test func aWalkThatMovedNothingIsNotRepeatedSoon() {
        var space = mapWithGap()
        var release = TailRelease()
        var walks = 0
        for version in 1...8000 as ClosedRange<UInt64> {
            release.look(at: &space, version: version)
            guard let walk = release.walk else { continue }
            walks += 1
            release.finish(walk)
        }
        // Walks begin after 4 looks, then 8, 16, ...
        #expect(walks >= 4 && walks <= 8)
    }

    /// A transaction that deletes most objects may itself rewrite all high pages, so that its walk
    /// moves nothing. Pages that are allocated there later must be moved all the same.
    @Test func aWalkIsRepeatedAtOnceWhenMuchHasChanged() {
        var space = mapWithGap()
        var release = TailRelease()
        var version: UInt64 = 1
        /// Looks until a walk begins that moves nothing. Returns the number of versions.
        func versionsUntilWalk() -> UInt64 {
            let before = version
            while release.walk == nil {
                version += 1
                release.look(at: &space, version: version)
            }
            release.finish(release.walk!)
            return version - before
        }
        var rest: UInt64 = 0
        for _ in 1...6 { rest = versionsUntilWalk() }
        #expect(rest > 64 * UInt64(TailRelease.patience))

        let isFreed = space.freeOld(Extent(start: Self.firstPage, count: 1000), birth: 1)
        #expect(isFreed)
        version += 1
        space.finishTransaction(version: version)
        space.beginGroup(firstVersion: version + 1)
        let isReclaimed = space.reclaim(through: version, pinned: PinnedVersions())
        #expect(isReclaimed)
        #expect(versionsUntilWalk() <= 2 * UInt64(TailRelease.patience))
    }
}
