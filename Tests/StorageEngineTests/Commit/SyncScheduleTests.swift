import Testing

@testable import StorageEngine

@Suite struct SyncScheduleTests {
    private var schedule = SyncSchedule()

    private func commit(_ sequence: UInt64) -> SyncSchedule.Commit {
        SyncSchedule.Commit(version: sequence * 2, sequence: sequence)
    }

    /// Notes records one after the other. Returns the answer to each.
    private mutating func note(
        _ sequences: ClosedRange<UInt64>, holdsMuch: Bool = false
    ) -> [SyncSchedule.Start?] {
        sequences.map { schedule.note(commit($0), exceedsBudget: holdsMuch) }
    }

    private mutating func begins(durableVersion: UInt64) -> Bool {
        schedule.begin(durableVersion: durableVersion) != nil
    }

    @Test mutating func theFirstCommitStartsTheClockAndTheFollowingDoNot() {
        #expect(note(1...3) == [.later, nil, nil])
        #expect(schedule.newest == commit(3))
        #expect(begins(durableVersion: 0))
        #expect(note(4...5) == [.later, nil])
        schedule.end()
        #expect(note(6...6) == [nil])
    }

    @Test mutating func aSyncBeginsAtOnceWhenMuchWaits() {
        #expect(note(1...3) == [.later, nil, nil])
        #expect(note(4...6, holdsMuch: true) == [.atOnce, nil, nil])
    }

    /// Commits that wait for the current sync no longer wait when it ends.
    @Test mutating func muchAsksForOneSyncAtATime() {
        #expect(note(1...2, holdsMuch: true) == [.atOnce, nil])
        #expect(begins(durableVersion: 0))
        #expect(note(3...4, holdsMuch: true) == [.later, nil])
        schedule.end()
        #expect(note(5...6, holdsMuch: true) == [.atOnce, nil])
    }

    @Test mutating func syncsOfOthersCount() {
        _ = note(1...9)
        #expect(!begins(durableVersion: 18))
    }

    @Test mutating func theSyncOfOthersIsAskedForOnceUntilItBegins() {
        let asked = [schedule.askToTakeOver(), schedule.askToTakeOver()]
        #expect(asked == [true, false])
        let begins = schedule.beginToTakeOver()
        #expect(begins)
        // It is a sync like any other.
        #expect(note(1...2, holdsMuch: true) == [.later, nil])
        schedule.end()
        let asksAgain = schedule.askToTakeOver()
        #expect(asksAgain)
        schedule.stop()
        let atTheEnd = [schedule.beginToTakeOver(), schedule.askToTakeOver()]
        #expect(atTheEnd == [false, false])
    }

    @Test mutating func nothingBeginsAfterTheEnd() {
        _ = note(1...2)
        schedule.stop()
        var asked = false
        func durableVersion() -> UInt64 {
            asked = true
            return 0
        }
        let begins = schedule.begin(durableVersion: durableVersion()) != nil
        #expect(!begins)
        #expect(!asked)
    }
}
