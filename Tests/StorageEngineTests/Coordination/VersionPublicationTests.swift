import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Sleepers, and the three steps in which a version becomes visible.
@Suite struct VersionPublicationTests {
    /// A thread that waits for a version newer than 1, and returns what it finds.
    private func waiter(_ coordinator: Coordinator) -> BackgroundThread<UInt64> {
        BackgroundThread { isStopped in
            coordinator.waitForVersion(
                newerThan: 1, timeout: .seconds(20), isCancelled: isStopped)
        }
    }

    private func waitUntil(_ condition: () -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            usleep(500)
        }
    }

    private func waitUntilAsleep(_ coordinator: Coordinator) throws {
        try waitUntil { coordinator.region.sleeperCount.loadSequential() != 0 }
        usleep(20_000)
    }

    @Test func aProcessThatDiesBetweenVersionAndLastStepLeavesNobodyAsleep() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("die-while-publishing", directory.file("a"), "2")
        #expect(child.nextLine() == "joined")
        let waiter = waiter(file.coordinator)
        try waitUntilAsleep(file.coordinator)
        try child.proceed()
        #expect(try waiter.wait() == 2)
        #expect(child.waitForSignal() == SIGKILL)
        #expect(try file.close())
    }

    @Test func aProcessThatDiesBeforeTheVersionLeavesTheSleepersAsleepUntilTheNextOne() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("die-while-publishing", directory.file("a"), "1")
        #expect(child.nextLine() == "joined")
        let waiter = waiter(file.coordinator)
        try waitUntilAsleep(file.coordinator)
        let word = file.coordinator.publicationWord
        try child.proceed()
        #expect(child.waitForSignal() == SIGKILL)
        // The waiting thread finds out that the writer is dead, and makes the word even.
        try waitUntil { file.coordinator.publicationWord == word &+ 2 }
        #expect(!waiter.isDone)
        #expect(try file.coordinator.lockForWriting() == .died)
        file.coordinator.publish(version: 2, sequence: 2)
        file.coordinator.unlockAfterWriting()
        #expect(try waiter.wait() == 2)
        #expect(try file.close())
    }

    @Test func theNextWriterMakesTheWordOfADeadOneEven() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("die-while-publishing", directory.file("a"), "1")
        #expect(child.nextLine() == "joined")
        try child.proceed()
        #expect(child.waitForSignal() == SIGKILL)
        #expect(file.coordinator.publicationWord & 1 == 1)
        #expect(try file.coordinator.lockForWriting() == .died)
        #expect(file.coordinator.publicationWord & 1 == 0)
        file.coordinator.unlockAfterWriting()
        #expect(try file.close())
    }

    /// A waiter ends the publication of a dead writer just when the next writer announces its own.
    @Test func anAnnouncementLeavesTheWordOddAlthoughAWaiterMakesItEven() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let coordinator = file.coordinator
        coordinator.announcePublication()
        let word = coordinator.publicationWord
        #expect(word & 1 == 1)
        coordinator.endPublication()
        #expect(!coordinator.announcePublication(over: word))
        #expect(coordinator.publicationWord & 1 == 0)
        coordinator.announcePublication()
        #expect(coordinator.publicationWord & 1 == 1)
        coordinator.endPublication()
        #expect(try file.close())
    }

    @Test func aWriterThatWasTakenForDeadWakesTheSleepersAgain() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let coordinator = file.coordinator
        let waiter = waiter(coordinator)
        try waitUntilAsleep(coordinator)
        // A stopped thread of this process: no process holds the lock, so the waiter ends the
        // publication itself, and sleeps.
        coordinator.announcePublication()
        try waitUntil { coordinator.publicationWord & 1 == 0 }
        usleep(20_000)
        coordinator.show(version: 2, sequence: 2)
        coordinator.endPublication()
        #expect(try waiter.wait() == 2)
        #expect(try file.close())
    }

    @Test func aCancelledThreadIsWokenEvenIfItIsJustFallingAsleep() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let coordinator = file.coordinator
        for _ in 0..<200 {
            let waiter = waiter(coordinator)
            if Bool.random() { usleep(UInt32.random(in: 0..<200)) }
            // Stops the thread, then wakes it once.
            let waking = BackgroundThread<Void> { _ in
                usleep(UInt32.random(in: 0..<100))
                while !waiter.isDone {
                    coordinator.wakeWaiters()
                    usleep(1000)
                }
            }
            let found = try waiter.finish()
            #expect(found == 1)
            try waking.wait()
        }
        #expect(coordinator.region.sleeperCount.loadSequential() == 0)
        #expect(try file.close())
    }
}
