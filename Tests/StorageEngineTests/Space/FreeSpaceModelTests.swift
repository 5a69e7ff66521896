import Testing
import ToolSupport

@testable import StorageEngine

/// The free map beside a model that knows the pages that each version reaches, one by one. The
/// oracle for free and waiting pages is the set of pages that the pinned versions reach.
///
/// Versions are written in groups. Readers pin, copy and release pins of durable versions. A second
/// map follows the log, and sometimes takes over as the writer's map. Sometimes the map is lost,
/// and read again from checkpoint and logs.
private struct SpaceModel {
    private static let firstPage: UInt64 = 34
    private typealias Pages = Set<UInt64>

    private var random: SeededGenerator
    private var space = FreeSpace(firstPage: firstPage, pageCount: firstPage)
    /// The map of another process.
    private var replica = FreeSpace(firstPage: firstPage, pageCount: firstPage)

    /// The runs in use as of the last finished transaction, and as of the last closed group.
    private var runs: [FreedExtent] = []
    private var closedRuns: [FreedExtent] = []
    /// The last finished transaction, the last version that was handed to the disk, and the last
    /// durable one.
    private var version: UInt64 = 0
    private var closedVersion: UInt64 = 0
    private var durableVersion: UInt64 = 0
    private var groupFirstVersion: UInt64 = 1

    /// The pages of the versions that are pinned or that a reader may pin.
    private var snapshots: [UInt64: Pages] = [:]
    private var pins: [UInt64] = []
    /// The freed pages with the version that freed them.
    private var freed: [(page: UInt64, version: UInt64)] = []

    /// The page counts of the closed versions according to their records, and of the file.
    private var pageCounts: [UInt64: UInt64] = [:]
    private var filePageCount: UInt64 = firstPage

    private var checkpoints: [[UInt8]] = []
    private var checkpointVersions: [UInt64] = []
    private var steps: [FreeSpaceStep] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private var pinned: PinnedVersions { PinnedVersions(versions: Set(pins).sorted()) }

    private mutating func chance(_ outOf: Int) -> Bool {
        Int.random(in: 0..<outOf, using: &random) == 0
    }

    private static func pages(_ runs: [FreedExtent]) -> Pages {
        Pages(runs.flatMap { $0.extent.start..<$0.extent.end })
    }

    // MARK: A round

    mutating func run() throws {
        changePins()
        try reclaim()
        cutFile()
        if chance(4) { shrink() }
        // A record is drafted after a transaction has finished.
        let hasFinished = try transaction()
        if hasFinished, chance(2) {
            if chance(8) { rollBackGroup() } else { try closeGroup() }
        }
        if chance(2) { makeDurable() }
        if version == closedVersion, chance(6) { swap(&space, &replica) }
        if version == closedVersion, chance(10) { try reload() }
    }

    private mutating func changePins() {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where durableVersion > 0: pins.append(durableVersion)
            case 1 where !pins.isEmpty: pins.append(pins.randomElement(using: &random)!)
            case 2...3 where !pins.isEmpty:
                pins.remove(at: .random(in: pins.indices, using: &random))
            case 4 where pins.count > 6: pins.removeAll()
            default: break
            }
        }
        snapshots = snapshots.filter { pins.contains($0.key) || $0.key >= durableVersion }
    }

    private mutating func makeDurable() {
        durableVersion = closedVersion
        snapshots = snapshots.filter { pins.contains($0.key) || $0.key >= durableVersion }
    }

    // MARK: Space

    /// Returns the pages that pinned versions reach and the newest one does not, and those that may
    /// be needed after a crash.
    private func waitingPages() -> Pages {
        var waiting = Pages()
        for version in pins { waiting.formUnion(snapshots[version]!) }
        for entry in freed where entry.version > durableVersion { waiting.insert(entry.page) }
        return waiting.subtracting(Self.pages(runs))
    }

    private mutating func reclaim() throws {
        holds(space.reclaim(through: durableVersion, pinned: pinned))
        if version == closedVersion, chance(3) {
            holds(replica.reclaim(through: durableVersion, pinned: pinned))
        }
        freed.removeAll { $0.version <= durableVersion }
        let used = Self.pages(runs)
        let waiting = waitingPages()
        #expect(Pages(space.waitingExtents.flatMap { $0.start..<$0.end }) == waiting)
        var free = Pages(space.free.flatMap { $0.start..<$0.end })
        free.formUnion(space.current.start..<space.current.end)
        let all = Pages(Self.firstPage..<space.pageCount)
        #expect(free == all.subtracting(used).subtracting(waiting))
        #expect(space.livePages == UInt64(used.count))
        #expect(space.waitingPages == UInt64(waiting.count))
        #expect(space.invariantsHold())
        checkWhoHoldsWhat(waiting)
    }

    /// A pinned version alone holds the pages that no other version reaches.
    private func checkWhoHoldsWhat(_ waiting: Pages) {
        // Pages freed by versions that are not durable yet wait for that as well.
        guard freed.isEmpty else { return }
        for version in Set(pins) {
            var alone = waiting.intersection(snapshots[version]!)
            for other in pins where other != version { alone.subtract(snapshots[other]!) }
            #expect(
                space.waiting.pageCount(heldOnlyBy: version...version, pinned: pinned)
                    == UInt64(alone.count))
        }
    }

    // MARK: The end of the file

    private mutating func shrink() {
        let free = space.freePagesAtEnd
        guard free > 0 else { return }
        space.shrink(to: space.pageCount - .random(in: 1...free, using: &random))
    }

    /// Truncates the file, as a writer does before a transaction. The file is never shorter than a
    /// pinned version.
    private mutating func cutFile() {
        // The other process may have truncated growth that a transaction rolled back.
        if space.pageCount > filePageCount { space.shrink(to: filePageCount) }
        if version == closedVersion, let since = space.uncutSince, since <= durableVersion,
            (pins.min() ?? .max) >= since
        {
            space.uncutSince = nil
            filePageCount = max(pageCounts[closedVersion] ?? 0, space.pageCount)
        }
        for pin in pins { #expect(filePageCount >= pageCounts[pin]!) }
        #expect(filePageCount >= pageCounts[closedVersion] ?? 0)
    }

    // MARK: Transactions

    /// Performs a transaction. Returns false if it was rolled back.
    private mutating func transaction() throws -> Bool {
        var own: [Extent] = []
        var kept = runs
        var removed: [FreedExtent] = []
        let forbidden = waitingPages().union(Self.pages(runs))
        for _ in 0..<Int.random(in: 0...25, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let extent = allocate(UInt64.random(in: 1...6, using: &random))
                let pages = Pages(extent.start..<extent.end)
                #expect(forbidden.isDisjoint(with: pages))
                #expect(Pages(own.flatMap { $0.start..<$0.end }).isDisjoint(with: pages))
                own.append(extent)
            case 5..<7 where !own.isEmpty:
                space.freeOwn(own.remove(at: .random(in: own.indices, using: &random)))
            case 7... where !kept.isEmpty:
                let run = kept.remove(at: .random(in: kept.indices, using: &random))
                holds(space.freeOld(run.extent, birth: run.birth))
                holds(!space.freeOld(run.extent, birth: run.birth))
                removed.append(run)
            default: break
            }
        }
        if chance(4) {
            space.rollBack()
            #expect(space.isTransactionEmpty)
            return false
        }
        version += UInt64.random(in: 1...3, using: &random)
        space.finishTransaction(version: version)
        runs = kept + own.map { FreedExtent(extent: $0, birth: version) }
        let freeing = version
        for run in removed where run.birth < groupFirstVersion {
            freed += (run.extent.start..<run.extent.end).map { (page: $0, version: freeing) }
        }
        return true
    }

    private mutating func allocate(_ count: UInt64) -> Extent {
        if let start = space.allocate(count) { return Extent(start: start, count: count) }
        space.grow(to: space.pageCount + .random(in: count...20, using: &random))
        filePageCount = max(filePageCount, space.pageCount)
        return Extent(start: space.allocate(count)!, count: count)
    }

    // MARK: Groups

    private mutating func closeGroup() throws {
        let step = FreeSpaceStep(
            version: version, pageCount: space.pageCount, livePages: space.livePages,
            log: space.groupLog())
        let map = try #require(FreeSpaceCheckpoint.encode(space, version: version))
        space.beginGroup(firstVersion: version + 1)
        holds(replica.replay(step))
        #expect(replica.livePages == space.livePages)
        #expect(replica.invariantsHold())
        store(step, map)
        #expect(replica.pageCount == space.pageCount)
        pageCounts[version] = space.pageCount
        closedVersion = version
        closedRuns = runs
        groupFirstVersion = version + 1
        snapshots[version] = Self.pages(runs)
    }

    private mutating func rollBackGroup() {
        space.rollBackGroup()
        runs = closedRuns
        version = closedVersion
        freed.removeAll { $0.version > closedVersion }
    }

    // MARK: The file

    /// Writes a checkpoint now and then: the whole map, or the steps since the last one.
    private mutating func store(_ step: FreeSpaceStep, _ map: [UInt8]) {
        steps.append(step)
        if checkpoints.isEmpty || chance(12) {
            checkpoints = [map]
            checkpointVersions = [step.version]
        } else if chance(3) {
            let base = PageReference(page: 40, birth: checkpointVersions.last!)
            checkpoints.append(
                FreeSpaceCheckpoint.encode(steps, since: base, version: step.version))
            checkpointVersions.append(step.version)
        } else {
            return
        }
        steps = []
    }

    private mutating func reload() throws {
        guard !checkpoints.isEmpty else { return }
        var map: FreeSpace?
        for (bytes, version) in zip(checkpoints, checkpointVersions) {
            try bytes.withUnsafeBytes {
                let checkpoint = try #require(FreeSpaceCheckpoint($0, version: version))
                guard map != nil else {
                    map = checkpoint.map(
                        firstPage: Self.firstPage,
                        maximumPageCount: CommitRecord.maximumPageCount)
                    return
                }
                let steps = checkpoint.steps(
                    firstPage: Self.firstPage,
                    maximumPageCount: CommitRecord.maximumPageCount)
                for step in try #require(steps) { holds(map!.replay(step)) }
            }
        }
        for step in steps { holds(map!.replay(step)) }
        space = try #require(map)
        #expect(space.invariantsHold())
    }
}

/// Checks a condition that has side effects, which the macro does not accept.
private func holds(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}

@Suite struct FreeSpaceModelTests {
    @Test(arguments: UInt64(1)...30)
    func whatIsFreeIsWhatNoPinnedVersionReaches(seed: UInt64) throws {
        var model = SpaceModel(seed: seed)
        for _ in 0..<200 { try model.run() }
    }
}
