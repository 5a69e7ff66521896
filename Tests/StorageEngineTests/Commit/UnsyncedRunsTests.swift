import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct UnsyncedRunsTests {
    private func run(_ page: UInt64, count: UInt64 = 1, version: UInt64) -> UnsyncedRuns.Run {
        UnsyncedRuns.Run(
            page: page, pageCount: count, version: version, seal: page * 1000 + version)
    }

    @Test func whatIsDurableOrFreedGoesAndWhatIsWrittenComes() {
        let before = UnsyncedRuns(
            sequence: 4,
            runs: [
                run(40, version: 3), run(42, count: 2, version: 4), run(50, version: 5),
                run(60, version: 4),
            ])
        let after = before.after(
            7, writing: [run(41, version: 6), run(44, version: 6), run(70, version: 6)],
            freeing: [
                FreedExtent(extent: Extent(start: 10, count: 1), birth: 1),
                FreedExtent(extent: Extent(start: 50, count: 1), birth: 5),
            ],
            durable: 3)
        #expect(after.sequence == 7)
        #expect(after.runs.map(\.page) == [41, 42, 44, 60, 70])
        #expect(after.pageCount == 6)
        #expect(
            after.extents == [
                Extent(start: 41, count: 4), Extent(start: 60, count: 1),
                Extent(start: 70, count: 1),
            ])
        var hash = PageListHash()
        for run in after.runs { hash.combine(run.seal) }
        #expect(after.hash.value == hash.value)
    }

    /// Compares with a table of pages that is kept in the obvious way.
    @Test(arguments: 1...20)
    func anyCommitsLeaveWhatTheyStillReach(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model: [UInt64: UnsyncedRuns.Run] = [:]
        var runs = UnsyncedRuns()
        var durable: UInt64 = 0
        for version: UInt64 in 1...200 {
            if version % 9 == 0 { durable = UInt64.random(in: durable..<version, using: &random) }
            let freed = model.values.filter { _ in Bool.random(using: &random) }
                .map {
                    FreedExtent(
                        extent: Extent(start: $0.page, count: $0.pageCount), birth: $0.version)
                }
            var log = freed
            log.coalesce()
            for entry in freed { model[entry.extent.start] = nil }
            var written: [UnsyncedRuns.Run] = []
            for place in stride(from: UInt64(40), to: 100, by: 2)
            where model[place] == nil && .random(in: 0..<8, using: &random) == 0 {
                written.append(
                    run(place, count: .random(in: 1...2, using: &random), version: version))
            }
            for run in written { model[run.page] = run }
            runs = runs.after(version, writing: written, freeing: log, durable: durable)
            let expected = model.values.filter { $0.version > durable || $0.version == version }
                .sorted { $0.page < $1.page }
            #expect(runs.runs.map(\.page) == expected.map(\.page))
            #expect(runs.runs.map(\.seal) == expected.map(\.seal))
        }
    }
}

/// The sequence numbers of records that are not durable yet, and the slots that they must not take.
@Suite struct RecordNumberTests {
    /// Rings of few slots, of all slots after some records with few, of all slots from the first
    /// record on, and of all slots in front.
    static let rings = [
        CommitRing(), CommitRing().extended(at: 100, next: 41).0,
        CommitRing().extended(at: 100, since: 1), CommitRing(slotsInFront: 64),
    ]

    @Test(arguments: rings)
    func recordsOneAfterTheOtherHaveNumbersOneAfterTheOther(ring: CommitRing) throws {
        let coordinator = try Coordinator.inMemory(name: "memory")
        try coordinator.finishRecovery(version: 1, sequence: 1)
        for sequence: UInt64 in 1...300 {
            #expect(coordinator.sequence(after: sequence, in: ring) == sequence + 1)
            coordinator.publish(version: sequence + 1, sequence: sequence + 1)
        }
    }

    // The second ring is left out: its first record with all slots is durable before the next one.
    @Test(arguments: 1...20, [rings[0], rings[2], rings[3]])
    func noRecordTakesTheSlotOfOneThatIsNeeded(seed: UInt64, ring: CommitRing) throws {
        var random = SeededGenerator(seed: seed)
        let coordinator = try Coordinator.inMemory(name: "memory")
        try coordinator.finishRecovery(version: 1, sequence: 1)
        var slots: [UInt64: UInt64] = [:]
        var newest: UInt64 = 1
        var version: UInt64 = 1
        var syncing: UInt64?
        var turn: SyncTurn?
        slots[ring.slot(of: 1).number] = 1
        func age(_ record: UInt64) -> UInt64 {
            let hasAll = ring.hasAllInFront || ring.isExtended && record >= ring.extensionSequence
            return hasAll ? 20 : 1
        }
        func holds(_ record: UInt64) -> Bool {
            // The record needs those since its checkpoint: in the worst case as many as possible.
            let oldest = record - min(record, age(record))
            return slots.values.filter { oldest...record ~= $0 }.count == numbers[record]
        }
        // For each record, the number of records in its span when it was written.
        var numbers: [UInt64: Int] = [1: 1]
        for _ in 0..<2000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0 where syncing == nil:
                turn = coordinator.beginSync()
                #expect(turn != nil && coordinator.announceSync(of: version, newest))
                syncing = newest
            case 1:
                guard syncing != nil else { continue }
                #expect(coordinator.finishSync(turn!))
                syncing = nil
            default:
                let next = coordinator.sequence(after: newest, in: ring)
                #expect(next > newest && next - newest < CommitRing.allSlots)
                slots[ring.slot(of: next).number] = next
                newest = next
                version += 1
                coordinator.publishVisible(version: version, sequence: next)
                let oldest = next - min(next, age(next))
                numbers[next] = slots.values.filter { oldest...next ~= $0 }.count
            }
            #expect(holds(coordinator.durableSequence))
            if let syncing { #expect(holds(syncing)) }
        }
    }

    @Test func anAnnouncementHoldsForTheNewestVersionUntilItIsTakenBack() throws {
        let coordinator = try Coordinator.inMemory(name: "memory")
        try coordinator.finishRecovery(version: 5, sequence: 5)
        let turn = try #require(coordinator.beginSync())
        #expect(coordinator.announceSync(of: 5, 5))
        var versions: [UInt64] = [3]
        #expect(coordinator.addVersionsOfRecovery(to: &versions) == 5)
        #expect(versions == [3, 5])
        coordinator.publishVisible(version: 6, sequence: 6)
        #expect(!coordinator.announceSync(of: 5, 5))
        #expect(coordinator.announceSync(of: 6, 6))
        versions = [3, 9]
        _ = coordinator.addVersionsOfRecovery(to: &versions)
        #expect(versions == [3, 5, 6, 9])
        coordinator.abandonSync(turn)
        versions = []
        _ = coordinator.addVersionsOfRecovery(to: &versions)
        #expect(versions == [5])
    }
}
