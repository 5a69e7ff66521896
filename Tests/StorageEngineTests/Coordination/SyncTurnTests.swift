import Foundation
import StressModel
import Testing

@testable import StorageEngine

/// The turn to sync while others write, and its end when its holder dies or is stopped.
@Suite struct SyncTurnTests {
    private func memory() throws -> Coordinator {
        let coordinator = try Coordinator.inMemory(name: "memory")
        try coordinator.finishRecovery(version: 1, sequence: 1)
        return coordinator
    }

    /// Returns another user of the same memory.
    private func neighbour(of coordinator: Coordinator) -> Coordinator {
        let neighbour = Coordinator(
            path: "memory", dataFile: -1, dataLock: -1, lockFile: -1, readOnly: false,
            region: coordinator.region, processSlot: 1, phase: .open)
        neighbour.describeProcess()
        return neighbour
    }

    @Test func onlyOneUserAtATimeHasTheTurn() throws {
        let (one, other) = try twoUsers()
        let turn = try #require(one.beginSync())
        #expect(other.beginSync() == nil)
        one.abandonSync(turn)
        let next = try #require(other.beginSync())
        #expect(next != turn)
        #expect(one.beginSync() == nil)
    }

    private func twoUsers() throws -> (Coordinator, Coordinator) {
        let one = try memory()
        let other = neighbour(of: one)
        // It is leaked, because both would unmap the memory.
        _ = Unmanaged.passRetained(other)
        return (one, other)
    }

    @Test func whoLostItsTurnMakesNothingDurable() throws {
        let (one, other) = try twoUsers()
        one.publishVisible(version: 2, sequence: 2)
        let lost = try #require(one.beginSync())
        #expect(one.announceSync(of: 2, 2))
        one.publishVisible(version: 3, sequence: 3)
        let turn = try #require(other.takeOverSync(lost))
        #expect(other.syncTakeovers == 1)
        #expect(other.announceSync(of: 3, 3))
        #expect(!one.finishSync(lost))
        #expect(one.durableVersion == 1)
        // Its later announcement is not taken for that of the new holder.
        _ = one.announceSync(of: 2, 2)
        #expect(one.region.syncing?.version == 3)
        #expect(other.finishSync(turn))
        #expect(one.durableVersion == 3)
        #expect(one.durableSequence == 3)
        #expect(one.syncTakeovers == 0)
    }

    @Test func aTurnThatIsDoneIsFinishedByWhoeverComesNext() throws {
        let (one, other) = try twoUsers()
        one.publishVisible(version: 2, sequence: 2)
        let turn = try #require(one.beginSync())
        #expect(one.announceSync(of: 2, 2))
        // The holder is stopped in the middle of `finishSync`.
        #expect(
            one.region.syncTurn.compareExchange(expected: turn.word, desired: turn.done.word))
        #expect(other.beginSync() != nil)
        #expect(one.durableVersion == 2)
    }

    @Test func versionsBeforeTheDurableOneAreNotKeptForASync() throws {
        let (one, other) = try twoUsers()
        one.publishVisible(version: 2, sequence: 2)
        _ = try #require(one.beginSync())
        #expect(one.announceSync(of: 2, 2))
        other.publish(version: 5, sequence: 5)
        var versions: [UInt64] = []
        #expect(other.addVersionsOfRecovery(to: &versions) == 5)
        #expect(versions == [5])
    }

    // MARK: Dead processes

    /// The slot of a dead process goes to the next one that opens the file, before any process has
    /// looked for dead ones.
    @Test func theTurnOfADeadProcessDoesNotPassToTheNextUserOfItsSlot() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        for _ in 0..<2 {
            let child = try CoordinationTestProcess("hold-sync", directory.file("a"))
            #expect(child.nextLine() == "joined true")
            child.kill()
        }
        let reader = try CoordinationTestProcess("hold-pin", directory.file("a"))
        #expect(reader.nextLine() == "joined 1")
        let turn = try #require(file.coordinator.beginSync())
        file.coordinator.abandonSync(turn)
        reader.kill()
        try file.close()
    }

    @Test func nothingThatCountsTheDeadStaysWhenTheirSlotIsClaimed() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let region = file.coordinator.region
        _ = try file.coordinator.lockForWriting()
        for (scenario, word) in [
            ("wait-for-version", region.sleeperCount),
            ("wait-to-write", region.waitingProcessCount),
        ] {
            let child = try CoordinationTestProcess(scenario, directory.file("a"), "1")
            #expect(child.nextLine() == "joined")
            while word.loadAcquire() == 0 { usleep(1000) }
            // The child raises the sum first, and then stores its part in its slot.
            usleep(20_000)
            child.kill()
            let next = try CoordinationTestProcess("hold-pin", directory.file("a"))
            #expect(next.nextLine() == "joined 1")
            #expect(word.loadAcquire() == 0)
            #expect(region.processCount.loadAcquire() == 2)
            next.kill()
        }
        file.coordinator.unlockAfterWriting()
        try file.close()
    }
}
