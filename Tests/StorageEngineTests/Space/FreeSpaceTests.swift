import Testing
import ToolSupport

@testable import StorageEngine

/// Checks a condition that has side effects, which the macro does not accept.
private func holds(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}

extension FreeSpace {
    /// Makes the transaction a version in a group of its own, which was handed to the disk.
    fileprivate mutating func commit(_ version: UInt64) {
        finishTransaction(version: version)
        beginGroup(firstVersion: version + 1)
    }
}

@Suite struct FreeSpaceTests {
    /// Returns a map of `pages` pages, of which version 1 allocated the first `taken` one by one.
    private func map(pages: UInt64, taken: UInt64) -> FreeSpace {
        var map = FreeSpace(firstPage: 34, pageCount: 34)
        map.grow(to: 34 + pages)
        for _ in 0..<taken { _ = map.allocate(1) }
        map.commit(1)
        return map
    }

    @Test func oneCommitsPagesLieTogetherWhereThereIsRoom() throws {
        var map = map(pages: 966, taken: 200)
        for page in stride(from: UInt64(34), to: 234, by: 2) {
            holds(map.freeOld(Extent(start: page, count: 1), birth: 1))
        }
        map.commit(2)
        holds(map.reclaim(through: 2, pinned: PinnedVersions()))
        let pages = (0..<30).map { _ in map.allocate(1)! }
        #expect(pages == Array(pages[0]..<pages[0] + 30))
        map.rollBack()
        holds(map.allocate(30) != nil)
    }

    @Test func aCommitTakesTheLongestPiecesOfAMapWithoutLongOnes() {
        var map = map(pages: 1800, taken: 1800)
        // There are 600 holes of one page, and three of up to 15.
        for page in stride(from: UInt64(34), to: 1234, by: 2) {
            holds(map.freeOld(Extent(start: page, count: 1), birth: 1))
        }
        for (start, count) in [(UInt64(1300), UInt64(7)), (1400, 15), (1500, 9)] {
            holds(map.freeOld(Extent(start: start, count: count), birth: 1))
        }
        map.commit(2)
        holds(map.reclaim(through: 2, pinned: PinnedVersions()))
        let pages = (0..<31).map { _ in map.allocate(1)! }
        #expect(pages == Array(1400..<1415) + Array(1500..<1509) + Array(1300..<1307))
        holds(map.allocate(2, scattering: false) == nil)
        map.rollBack()
        map.checkInvariants()
    }

    /// Returns a map of 1,800 pages with 300 holes of one page and 300 of two, and no other free
    /// page.
    private func mapOfHoles() -> FreeSpace {
        var map = map(pages: 1800, taken: 1800)
        for page in stride(from: UInt64(34), to: 1834, by: 6) {
            holds(map.freeOld(Extent(start: page, count: 1), birth: 1))
            holds(map.freeOld(Extent(start: page + 3, count: 2), birth: 1))
        }
        map.commit(2)
        holds(map.reclaim(through: 2, pinned: PinnedVersions()))
        return map
    }

    @Test func largeTransactionsFillTheHolesThatAFileGrewInSpiteOf() {
        var map = mapOfHoles()
        holds(map.allocate(4, scattering: false) == nil)
        map.grow(to: 3000)
        // Runs that fit no hole are placed behind, and so are short ones while the transaction is
        // small.
        #expect([4, 1, 2].map { map.allocate($0)! } == [1834, 1838, 1839])
        holds(map.allocate(4) == 1841)
        // Once it is large, short runs go into holes near each other, and longer ones continue
        // behind.
        #expect([1, 1, 2, 1, 2].map { map.allocate($0)! } == [34, 37, 43, 46, 49])
        holds(map.allocate(4) == 1845)
        map.checkInvariants()
        map.commit(3)
        // The next transaction is expected to be large as well; the one after a small one is not.
        holds(map.allocate(1) == 52)
        map.commit(4)
        holds(map.allocate(1) == 1849)
        map.commit(5)
        map.checkInvariants()
    }

    /// The page for a record is the one behind the others, even where the next allocation of a
    /// page would fill a hole.
    @Test func aRecordBehindItsPagesIsInNoHole() {
        var map = mapOfHoles()
        map.grow(to: 1900)
        holds(map.allocate(8) == 1834)
        map.commit(3)
        holds(map.allocate(4) == 1842)
        #expect(map.pageForRecord == 1846)
        holds(map.takePageForRecord() == 1846)
        map.checkInvariants()
        map.commit(4)
        holds(map.allocate(1) == 1847)
        map.checkInvariants()
    }

    @Test func holesAreLeftAloneWhileTheyAreFewAndBehindACeiling() {
        var map = mapOfHoles()
        map.grow(to: 3000)
        holds(map.allocate(8) == 1834)
        // 900 pages are in holes, of which about 256 remain.
        let filled = (0..<1000).prefix { _ in map.allocate(1)! < 1834 }
        #expect(filled.count == 900 - 255)
        map.rollBack()

        map = mapOfHoles()
        map.grow(to: 3000)
        map.ceiling = 2000
        holds(map.allocate(8) == 1834)
        holds(map.allocate(1) == 1842)
        map.checkInvariants()
    }

    @Test func manyExtentsAreFoundAndJoinedAgain() {
        var set = ExtentSet()
        var random = SeededGenerator(seed: 9)
        let starts = (0..<5000).map { UInt64($0 * 3) }.shuffled(using: &random)
        for start in starts { holds(set.insert(Extent(start: start, count: 2))) }
        #expect(set.extentCount == 5000)
        #expect(set.pageCount == 10_000)
        holds(!set.insert(Extent(start: 301, count: 1)))
        #expect(set.overlaps(Extent(start: 302, count: 2)))
        #expect(!set.overlaps(Extent(start: 302, count: 1)))
        holds(set.extent(ofAtLeast: 3, near: 0) == nil)
        for start in starts.shuffled(using: &random) {
            holds(set.insert(Extent(start: start + 2, count: 1)))
        }
        #expect(Array(set) == [Extent(start: 0, count: 15_000)])
        holds(set.remove(Extent(start: 100, count: 5)))
        holds(!set.remove(Extent(start: 99, count: 2)))
        holds(set.extent(ofAtLeast: 200, near: 50) == Extent(start: 105, count: 14_895))
        holds(set.extent(ofAtLeast: 20_000, near: 50) == nil)
        holds(set.longestExtent(ofAtLeast: 14_000) == Extent(start: 105, count: 14_895))
        holds(set.longestExtent(ofAtLeast: 14_896) == nil)
    }

    @Test func aSearchFindsTheNextExtentThatIsLongEnough() {
        var set = ExtentSet()
        var random = SeededGenerator(seed: 10)
        for round in 0..<3 {
            for place in 0..<2000 where Bool.random(using: &random) {
                let count = UInt64.random(in: 1...9, using: &random)
                holds(set.insert(Extent(start: UInt64(place * 10), count: count)))
            }
            let extents = Array(set)
            for _ in 0..<2000 {
                let count = UInt64.random(in: 1...10, using: &random)
                let limit = UInt64.random(in: 1...12, using: &random)
                let page = UInt64.random(in: 0...21_000, using: &random)
                let fitting = extents.filter { $0.count >= count && $0.count < limit }
                let expected = fitting.first { $0.end > page } ?? fitting.first
                let found = set.extent(ofAtLeast: count, below: limit, near: page)
                #expect(found == expected, "round \(round)")
            }
            set.removeAll()
            #expect(set.isEmpty && set.pageCount == 0 && Array(set).isEmpty)
        }
    }

    // MARK: Readers

    /// Returns a map with two pages that version 5 freed: one of version 1, and one of version 3.
    private func twoFreedPages() -> FreeSpace {
        var map = FreeSpace(firstPage: 34, pageCount: 100)
        holds(map.allocate(1) == 34)
        map.commit(1)
        holds(map.allocate(1) == 35)
        map.commit(3)
        for (page, birth) in [(34, 1), (35, 3)] as [(UInt64, UInt64)] {
            holds(map.freeOld(Extent(start: page, count: 1), birth: birth))
        }
        map.commit(5)
        return map
    }

    @Test(
        arguments: [
            ([], 0), ([1], 1), ([2], 1), ([3], 2), ([4], 2), ([1, 3], 2), ([5], 0), ([5, 9], 0),
            ([2, 6], 1),
        ] as [([UInt64], UInt64)])
    func aPageWaitsForReadersOfVersionsBetweenItsBirthAndItsEnd(
        pins: [UInt64], waiting: UInt64
    ) {
        var map = twoFreedPages()
        holds(map.reclaim(through: 5, pinned: PinnedVersions(versions: pins)))
        #expect(map.waitingPages == waiting)
        #expect(map.freePages == 66 - waiting)
        map.checkInvariants()
    }

    @Test func whatIsNotDurableIsNotReclaimed() {
        var map = twoFreedPages()
        holds(map.reclaim(through: 4, pinned: PinnedVersions()))
        #expect(map.waitingPages == 2)
        holds(map.reclaim(through: 5, pinned: PinnedVersions()))
        #expect(map.waitingPages == 0)
    }

    @Test func whatAReaderThatLeavesHeldGoesToAnOlderOneOrIsFree() {
        var map = twoFreedPages()
        let all = PinnedVersions(versions: [1, 3, 4])
        holds(map.reclaim(through: 5, pinned: all))
        #expect(map.waitingPages == 2)
        // Each page is reached by two of the pinned versions.
        for version in [1, 3, 4] as [UInt64] {
            #expect(map.waiting.pageCount(heldOnlyBy: version...version, pinned: all) == 0)
        }
        let rest = PinnedVersions(versions: [1, 3])
        holds(map.reclaim(through: 5, pinned: rest))
        #expect(map.waitingPages == 2)
        #expect(map.waiting.pageCount(heldOnlyBy: 3...3, pinned: rest) == 1)
        #expect(map.waiting.pageCount(heldOnlyBy: 1...1, pinned: rest) == 0)
        let last = PinnedVersions(versions: [1])
        holds(map.reclaim(through: 5, pinned: last))
        #expect(map.waitingPages == 1)
        #expect(map.waiting.pageCount(heldOnlyBy: 1...1, pinned: last) == 1)
        holds(map.reclaim(through: 5, pinned: PinnedVersions()))
        #expect(map.waitingPages == 0)
    }

    /// However many commits freed pages that one reader reaches, they wait in as few extents as
    /// their gaps allow.
    @Test func whatWaitsForOneReaderIsJoined() {
        var map = FreeSpace(firstPage: 34, pageCount: 3034)
        var births: [UInt64] = []
        for version in UInt64(1)...500 {
            holds(map.allocate(2) == 34 + 2 * (version - 1))
            births.append(version)
            map.commit(version)
        }
        var random = SeededGenerator(seed: 8)
        let pinned = PinnedVersions(versions: [500])
        for (version, index) in births.indices.shuffled(using: &random).enumerated() {
            let extent = Extent(start: 34 + 2 * UInt64(index), count: 2)
            holds(map.freeOld(extent, birth: births[index]))
            map.commit(501 + UInt64(version))
            holds(map.reclaim(through: 501 + UInt64(version), pinned: pinned))
        }
        #expect(map.waitingPages == 1000)
        #expect(map.waiting.batches.count == 1)
        #expect(map.waiting.extentCount == 1)
    }

    // MARK: Groups

    @Test func pagesThatTheOpenGroupWroteAndFreedAreInNoLog() {
        var map = FreeSpace(firstPage: 34, pageCount: 100)
        holds(map.allocate(4) == 34)
        map.commit(1)
        // A group has two versions. The second one frees pages of the first, and older ones.
        holds(map.allocate(3) == 38)
        map.finishTransaction(version: 2)
        holds(map.freeOld(Extent(start: 39, count: 1), birth: 2))
        holds(map.freeOld(Extent(start: 35, count: 2), birth: 1))
        map.finishTransaction(version: 3)
        #expect(map.waitingPages == 2)
        #expect(map.freePages == 66 - 4 - 2)
        // An unfinished transaction is not in the log.
        holds(map.allocate(1) != nil)
        holds(map.freeOld(Extent(start: 34, count: 1), birth: 1))
        #expect(
            map.groupLog()
                == FreeSpaceLog(
                    allocated: [Extent(start: 38, count: 1), Extent(start: 40, count: 1)],
                    freed: [FreedExtent(extent: Extent(start: 35, count: 2), birth: 1)]))
        map.beginGroup(firstVersion: 4)
        map.finishTransaction(version: 4)
        // The freed page belongs to a group that was handed to the disk, so it is in the file.
        holds(map.freeOld(Extent(start: 38, count: 1), birth: 2))
        map.finishTransaction(version: 5)
        #expect(map.groupLog().freed.map(\.birth) == [1, 2])
        #expect(map.livePages == 4 + 3 - 3 + 1 - 2)
        map.checkInvariants()
    }

    @Test func aGroupIsRolledBackAsAWhole() {
        var map = FreeSpace(firstPage: 34, pageCount: 100)
        holds(map.allocate(6) == 34)
        map.commit(1)
        let before = map
        holds(map.freeOld(Extent(start: 34, count: 2), birth: 1))
        holds(map.allocate(3) != nil)
        map.finishTransaction(version: 2)
        holds(map.freeOld(Extent(start: 41, count: 1), birth: 2))
        map.finishTransaction(version: 3)
        holds(map.allocate(1) != nil)
        map.rollBackGroup()
        map.checkInvariants()
        #expect(map.livePages == before.livePages)
        #expect(map.freePages == before.freePages)
        #expect(map.waitingPages == 0)
        #expect(map.groupLog() == FreeSpaceLog(allocated: [], freed: []))
    }

    // MARK: Reading from a file

    private func hostileSample() -> (map: FreeSpace, step: FreeSpaceStep) {
        var map = FreeSpace(firstPage: 34, pageCount: 300)
        for version in UInt64(1)...10 {
            for _ in 0..<5 { _ = map.allocate(2) }
            map.commit(version)
        }
        for page in stride(from: UInt64(34), to: 100, by: 6) {
            holds(map.freeOld(Extent(start: page, count: 2), birth: (page - 34) / 10 + 1))
        }
        map.finishTransaction(version: 11)
        let step = FreeSpaceStep(
            version: 11, pageCount: 300, livePages: map.livePages, log: map.groupLog())
        return (map, step)
    }

    /// Decodes damaged variants of a checkpoint. Every truncated one must be refused.
    private func damage(_ bytes: [UInt8], read: (FreeSpaceCheckpoint) -> Bool) {
        func isRead(_ bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { FreeSpaceCheckpoint($0, version: 11).map(read) ?? false }
        }
        #expect(isRead(bytes))
        for count in 0..<bytes.count { #expect(!isRead(Array(bytes[..<count]))) }
        var random = SeededGenerator(seed: 3)
        var accepted = 0
        for _ in 0..<3000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[.random(in: damaged.indices, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            if isRead(damaged) { accepted += 1 }
        }
        #expect(accepted < 3000)
    }

    @Test func hostileMapsAreRefused() throws {
        let bytes = try #require(FreeSpaceCheckpoint.encode(hostileSample().map, version: 11))
        damage(bytes) { checkpoint in
            guard checkpoint.base.isNone,
                let map = checkpoint.map(firstPage: 34, maximumPageCount: 300)
            else { return false }
            #expect(map.invariantsHold())
            return true
        }
    }

    @Test func hostileStepsAreRefused() {
        var (_, step) = hostileSample()
        let base = PageReference(page: 40, birth: 9)
        var earlier = step
        earlier.version = 10
        step.log.freed.removeLast(2)
        let bytes = FreeSpaceCheckpoint.encode([earlier, step], since: base, version: 11)
        damage(bytes) { checkpoint in
            guard !checkpoint.base.isNone,
                let steps = checkpoint.steps(firstPage: 34, maximumPageCount: 300)
            else { return false }
            for step in steps {
                #expect(step.version <= 11 && step.version > checkpoint.base.birth)
                for freed in step.log.freed {
                    #expect(freed.birth >= 1 && freed.birth < step.version)
                    #expect(freed.extent.start >= 34 && freed.extent.end <= step.pageCount)
                }
            }
            return true
        }
        #expect(
            bytes.withUnsafeBytes {
                FreeSpaceCheckpoint($0, version: 11)?.steps(firstPage: 34, maximumPageCount: 300)
            } == [earlier, step])
    }

    @Test func aLogThatDoesNotFitTheMapIsRefused() {
        var map = FreeSpace(firstPage: 34, pageCount: 100)
        let pages = map.allocate(10)!
        map.commit(1)
        func replays(_ allocated: [Extent], _ freed: [Extent], live: UInt64) -> Bool {
            var copy = map
            return copy.replay(
                FreeSpaceStep(
                    version: 2, pageCount: 100, livePages: live,
                    log: FreeSpaceLog(
                        allocated: allocated,
                        freed: freed.map { FreedExtent(extent: $0, birth: 1) })))
        }
        let used = Extent(start: pages, count: 2)
        let free = Extent(start: pages + 50, count: 2)
        let beyond = Extent(start: 99, count: 2)
        #expect(replays([free], [], live: 12))
        #expect(replays([free], [used], live: 10))
        #expect(!replays([used], [], live: 10))
        #expect(!replays([beyond], [], live: 10))
        #expect(!replays([], [free], live: 10))
        #expect(!replays([], [beyond], live: 10))
        #expect(!replays([], [used], live: 9))
    }

    @Test func aLogThatFreesWaitingPagesIsNoticed() {
        var map = FreeSpace(firstPage: 34, pageCount: 100)
        let pages = Extent(start: map.allocate(10)!, count: 2)
        map.commit(1)
        func replay(_ version: UInt64, live: UInt64) -> Bool {
            map.replay(
                FreeSpaceStep(
                    version: version, pageCount: 100, livePages: live,
                    log: FreeSpaceLog(
                        allocated: [], freed: [FreedExtent(extent: pages, birth: 1)])))
        }
        holds(replay(2, live: 8))
        #expect(map.invariantsHold())
        holds(replay(3, live: 6))
        #expect(!map.invariantsHold())
        // More pages wait than the file has.
        for version in UInt64(4)..<60 { _ = replay(version, live: 0) }
        #expect(!map.invariantsHold())
        holds(!map.reclaim(through: 60, pinned: PinnedVersions()))
    }

    /// The writer that allocated had checked the pins, whatever this map knows of them.
    @Test func aLogMayAllocateWhatIsFreeAndWaitsHereInOnePiece() {
        var map = twoFreedPages()
        holds(map.reclaim(through: 5, pinned: PinnedVersions(versions: [1])))
        // Page 34 waits for version 1; page 35 and all later ones are free.
        holds(
            map.replay(
                FreeSpaceStep(
                    version: 7, pageCount: 100, livePages: 4,
                    log: FreeSpaceLog(allocated: [Extent(start: 34, count: 4)], freed: []))))
        #expect(map.waitingPages == 0)
        #expect(map.waiting.batches.isEmpty)
        map.checkInvariants()
    }

    @Test func variableLengthIntegersComeBack() {
        var random = SeededGenerator(seed: 1)
        var values: [UInt64] = [0, 1, 127, 128, .max, 1 << 63, 1 << 14]
        for shift in 0..<64 { values.append(random.next() >> shift) }
        var bytes: [UInt8] = []
        for value in values {
            let before = bytes.count
            VariableLengthInteger.append(value, to: &bytes)
            #expect(bytes.count - before == VariableLengthInteger.byteCount(of: value))
        }
        bytes.withUnsafeBytes {
            var reader = VariableLengthIntegerReader($0)
            for value in values { holds(reader.next() == value) }
            holds(reader.next() == nil)
        }
        for bad in [[UInt8](repeating: 0x80, count: 20), [UInt8](repeating: 0xFF, count: 9) + [2]] {
            bad.withUnsafeBytes {
                var reader = VariableLengthIntegerReader($0)
                holds(reader.next() == nil)
            }
        }
    }
}
