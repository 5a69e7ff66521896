import Testing

@testable import StorageEngine

@Suite struct SyncScheduleTests {
    private var schedule = SyncSchedule()

    private func commit(_ sequence: UInt64) -> SyncSchedule.Commit {
        SyncSchedule.Commit(version: sequence * 2, sequence: sequence, reusable: sequence)
    }

    /// Notes records one after the other; returns what each was answered.
    private mutating func note(
        _ sequences: ClosedRange<UInt64>, durable: UInt64 = 0, holdsMuch: Bool = false
    ) -> [SyncSchedule.Start?] {
        sequences.map { schedule.note(commit($0), durable: durable, holdsMuch: holdsMuch) }
    }

    @Test mutating func theFirstCommitStartsTheClockAndTheFollowingDoNot() {
        #expect(note(1...3) == [.later, nil, nil])
        #expect(schedule.begin(durableVersion: 0) == commit(3))
        #expect(note(4...5) == [.later, nil])
        schedule.end()
        #expect(note(6...6) == [nil])
    }

    @Test mutating func aSyncBeginsAtOnceWhenManyRecordsWait() {
        let many = SyncSchedule.urgentCount
        let starts = note(1...many + 3)
        #expect(starts.first == .later)
        #expect(starts.dropFirst().dropLast(4).allSatisfy { $0 == nil })
        #expect(starts.suffix(4) == [.atOnce, nil, nil, nil])
    }

    /// Else one sync of few commits would follow the other.
    @Test mutating func whatTheSyncUnderWayCoversDoesNotWait() {
        let many = SyncSchedule.urgentCount
        _ = note(1...many)
        #expect(schedule.begin(durableVersion: 0) == commit(many))
        // Nothing of it is known to be durable.
        let starts = note(many + 1...2 * many)
        #expect(starts.first == .later)
        #expect(starts.dropFirst().dropLast().allSatisfy { $0 == nil })
        #expect(starts.last == .atOnce)
        schedule.end()
        #expect(schedule.begin(durableVersion: 2 * many) == commit(2 * many))
    }

    /// Space that waits for the sync under way is free when that ends.
    @Test mutating func muchSpaceAsksForOneSyncAtATime() {
        #expect(note(1...2, holdsMuch: true) == [.atOnce, nil])
        #expect(schedule.begin(durableVersion: 0) == commit(2))
        #expect(note(3...4, holdsMuch: true) == [.later, nil])
        schedule.end()
        #expect(note(5...6, holdsMuch: true) == [.atOnce, nil])
    }

    @Test mutating func syncsOfOthersCount() {
        let many = SyncSchedule.urgentCount
        _ = note(1...many - 1)
        #expect(note(many...many, durable: many - 1) == [nil])
        #expect(schedule.begin(durableVersion: 2 * many) == nil)
    }

    @Test mutating func nothingBeginsAfterTheEnd() {
        _ = note(1...2)
        schedule.stop()
        var asked = false
        func durableVersion() -> UInt64 {
            asked = true
            return 0
        }
        #expect(schedule.begin(durableVersion: durableVersion()) == nil)
        #expect(!asked)
    }
}
