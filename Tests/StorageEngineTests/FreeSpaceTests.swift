import Testing

@testable import StorageEngine

/// What a page is, one by one: the oracle.
private enum PageState: Equatable {
    case used, free
    case waiting(UInt64)
    case allocated, freed
}

private struct Oracle {
    let firstPage: UInt64
    var pages: [PageState]

    subscript(page: UInt64) -> PageState {
        get { pages[Int(page - firstPage)] }
        set { pages[Int(page - firstPage)] = newValue }
    }

    mutating func set(_ extent: Extent, from old: PageState, to new: PageState) {
        for page in extent.start..<extent.end {
            #expect(self[page] == old)
            self[page] = new
        }
    }

    func count(_ matches: (PageState) -> Bool) -> UInt64 { UInt64(pages.count(where: matches)) }
}

/// For conditions that change what they ask, which the macro does not take.
private func holds(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}

@Suite struct FreeSpaceTests {
    @Test(arguments: 0..<12)
    func randomTransactionsMatchAPageByPageModel(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var map = FreeSpace(firstPage: 34, pageCount: 34)
        var oracle = Oracle(firstPage: 34, pages: [])
        var replica = map
        var version: UInt64 = 0
        var runs: [Extent] = []

        for _ in 0..<150 {
            var own: [Extent] = []
            var released: [Extent] = []
            var kept = runs
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let count = UInt64(Int.random(in: 1...6, using: &random))
                    var start = map.allocate(count)
                    if start == nil {
                        let grown = map.pageCount + UInt64.random(in: count...20, using: &random)
                        oracle.pages += Array(repeating: .free, count: Int(grown - map.pageCount))
                        map.grow(to: grown)
                        start = map.allocate(count)
                    }
                    let extent = Extent(start: try #require(start), count: count)
                    oracle.set(extent, from: .free, to: .allocated)
                    own.append(extent)
                case 5..<7 where !own.isEmpty:
                    let extent = own.remove(at: .random(in: own.indices, using: &random))
                    oracle.set(extent, from: .allocated, to: .free)
                    map.freeOwn(extent)
                case 7... where !kept.isEmpty:
                    let extent = kept.remove(at: .random(in: kept.indices, using: &random))
                    oracle.set(extent, from: .used, to: .freed)
                    holds(map.freeOld(extent))
                    holds(!map.freeOld(extent))
                    released.append(extent)
                default: break
                }
            }
            map.checkInvariants()
            if Int.random(in: 0..<4, using: &random) == 0 {
                map.rollBack()
                for extent in own { oracle.set(extent, from: .allocated, to: .free) }
                for extent in released { oracle.set(extent, from: .freed, to: .used) }
            } else {
                version += 1
                let log = map.log()
                let checkpoint = map.encodeCheckpoint(version: version)
                map.finishTransaction(version: version)
                for extent in own { oracle.set(extent, from: .allocated, to: .used) }
                for extent in released { oracle.set(extent, from: .freed, to: .waiting(version)) }
                runs = kept + own
                holds(
                    replica.replay(
                        log, version: version, pageCount: map.pageCount, livePages: map.livePages))
                try expectSame(map, replica)
                let loaded = checkpoint.withUnsafeBytes {
                    FreeSpace(
                        checkpoint: $0, version: version, firstPage: 34,
                        maximumPageCount: map.pageCount)
                }
                try expectSame(map, #require(loaded))
            }
            map.checkInvariants()
            if Int.random(in: 0..<3, using: &random) == 0 {
                let limit = version - min(version, UInt64.random(in: 0...4, using: &random))
                holds(map.release(through: limit))
                for index in oracle.pages.indices {
                    if case .waiting(let freed) = oracle.pages[index], freed <= limit {
                        oracle.pages[index] = .free
                    }
                }
            }
            #expect(map.freePages == oracle.count { $0 == .free })
            #expect(map.livePages == oracle.count { $0 == .used })
            #expect(
                map.waitingPages
                    == oracle.count { if case .waiting = $0 { true } else { false } })
        }
    }

    private func expectSame(_ a: FreeSpace, _ b: FreeSpace) throws {
        #expect(Array(a.free) == Array(b.free))
        #expect(Array(a.waitingGroups) == Array(b.waitingGroups))
        #expect(a.pageCount == b.pageCount)
        #expect(a.livePages == b.livePages)
        #expect(a.freePages == b.freePages)
        b.checkInvariants()
    }

    @Test func oneCommitsPagesLieTogetherWhereThereIsRoom() throws {
        var map = FreeSpace(firstPage: 34, pageCount: 34)
        map.grow(to: 1000)
        for _ in 0..<200 { _ = map.allocate(1) }
        map.finishTransaction(version: 1)
        for page in stride(from: UInt64(34), to: 234, by: 2) {
            holds(map.freeOld(Extent(start: page, count: 1)))
        }
        map.finishTransaction(version: 2)
        holds(map.release(through: 2))
        let pages = (0..<30).map { _ in map.allocate(1)! }
        #expect(pages == Array(pages[0]..<pages[0] + 30))
        map.rollBack()
        holds(map.allocate(30) != nil)
    }

    @Test func manyExtentsAreFoundAndJoinedAgain() {
        var set = ExtentSet()
        var random = SeededRandom(seed: 9)
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
    }

    @Test func hostileCheckpointsAreRefused() {
        var map = FreeSpace(firstPage: 34, pageCount: 300)
        for _ in 0..<50 { _ = map.allocate(2) }
        map.finishTransaction(version: 1)
        for page in stride(from: UInt64(34), to: 100, by: 6) {
            holds(map.freeOld(Extent(start: page, count: 2)))
        }
        let bytes = map.encodeCheckpoint(version: 2)
        func load(_ bytes: [UInt8]) -> FreeSpace? {
            bytes.withUnsafeBytes {
                FreeSpace(checkpoint: $0, version: 2, firstPage: 34, maximumPageCount: 300)
            }
        }
        #expect(load(bytes) != nil)
        for count in 0..<bytes.count { #expect(load(Array(bytes[..<count])) == nil) }
        var random = SeededRandom(seed: 3)
        for _ in 0..<3000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                damaged[.random(in: damaged.indices, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            load(damaged)?.checkInvariants()
        }
    }

    @Test func aLogThatDoesNotFitTheMapIsRefused() {
        var map = FreeSpace(firstPage: 34, pageCount: 100)
        let pages = map.allocate(10)!
        map.finishTransaction(version: 1)
        func replays(_ log: FreeSpaceLog, live: UInt64 = 10) -> Bool {
            var copy = map
            return copy.replay(log, version: 2, pageCount: 100, livePages: live)
        }
        let used = Extent(start: pages, count: 2)
        let free = Extent(start: pages + 50, count: 2)
        let beyond = Extent(start: 99, count: 2)
        #expect(replays(FreeSpaceLog(releasedThrough: 0, allocated: [free], freed: []), live: 12))
        #expect(!replays(FreeSpaceLog(releasedThrough: 0, allocated: [used], freed: [])))
        #expect(!replays(FreeSpaceLog(releasedThrough: 0, allocated: [beyond], freed: [])))
        #expect(!replays(FreeSpaceLog(releasedThrough: 0, allocated: [], freed: [free])))
        #expect(!replays(FreeSpaceLog(releasedThrough: 0, allocated: [], freed: [beyond])))
        #expect(!replays(FreeSpaceLog(releasedThrough: 0, allocated: [], freed: [used]), live: 9))
    }

    @Test func aLogThatFreesWaitingPagesIsNoticed() {
        var map = FreeSpace(firstPage: 34, pageCount: 100)
        let pages = Extent(start: map.allocate(10)!, count: 2)
        map.finishTransaction(version: 1)
        let log = FreeSpaceLog(releasedThrough: 0, allocated: [], freed: [pages])
        holds(map.replay(log, version: 2, pageCount: 100, livePages: 8))
        #expect(map.invariantsHold())
        holds(map.replay(log, version: 3, pageCount: 100, livePages: 6))
        #expect(!map.invariantsHold())
        // More waiting pages than the file has.
        for version in UInt64(4)..<60 {
            _ = map.replay(log, version: version, pageCount: 100, livePages: 0)
        }
        #expect(!map.invariantsHold())
    }

    @Test func variableLengthIntegersComeBack() {
        var random = SeededRandom(seed: 1)
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
