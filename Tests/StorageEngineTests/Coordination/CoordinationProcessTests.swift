import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct CoordinationProcessTests {
    @Test func writeLockOfAKilledProcessPassesOn() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("hold-write-lock", directory.file("a"))
        #expect(child.nextLine() == "joined finished")
        #expect(try file.coordinator.tryLockForWriting() == nil)
        child.kill()
        #expect(try file.coordinator.lockForWriting() == .died)
        file.coordinator.unlockAfterWriting()
        #expect(try file.coordinator.lockForWriting() == .finished)
        file.coordinator.unlockAfterWriting()
        #expect(try file.close())
    }

    @Test func unlockedWriteLockPassesOnWithoutSuspicion() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("hold-write-lock", directory.file("a"))
        #expect(child.nextLine() == "joined finished")
        try child.proceed()
        #expect(try file.coordinator.lockForWriting() == .finished)
        #expect(child.nextLine() == "unlocked")
        file.coordinator.unlockAfterWriting()
        try child.proceed()
        #expect(child.nextLine() == "last: false")
        #expect(try file.close())
    }

    @Test func pinOfAKilledProcessIsClearedInBoundedTime() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("hold-pin", directory.file("a"))
        #expect(child.nextLine() == "joined 1")
        file.coordinator.publish(version: 2, sequence: 2)
        #expect(file.coordinator.collectedPins == [1])
        #expect(file.coordinator.pinnedVersions().map(\.processID) == [child.processID])
        child.kill()
        let clock = ContinuousClock()
        let start = clock.now
        while !file.coordinator.collectedPins.isEmpty,
            start.duration(to: clock.now) < .seconds(2)
        {
            usleep(1000)
        }
        #expect(start.duration(to: clock.now) < .milliseconds(500))
        #expect(file.coordinator.pinnedVersions() == [])
        #expect(try file.close())
    }

    @Test func pinOfALivingProcessIsNotCleared() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("hold-pin", directory.file("a"))
        #expect(child.nextLine() == "joined 1")
        file.coordinator.publish(version: 2, sequence: 2)
        for _ in 0..<3 {
            usleep(60_000)
            #expect(file.coordinator.collectedPins == [1])
        }
        try child.proceed()
        #expect(child.nextLine() == "last: false")
        #expect(file.coordinator.collectedPins == [])
        #expect(try file.close())
    }

    @Test func twoProcessesAreNeverBothSoleOpener() throws {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let first = try CoordinationTestProcess("recover-slowly", path)
        #expect(first.nextLine() == "soleOpener")
        let second = try CoordinationTestProcess("recover-slowly", path)
        usleep(100_000)
        try first.proceed()
        #expect(first.nextLine() == "open at 7")
        #expect(second.nextLine() == "joined")
        try second.proceed()
        #expect(second.nextLine() == "open at 7")
        try first.proceed()
        #expect(first.nextLine() == "last: false")
        try second.proceed()
        #expect(second.nextLine() == "last: true")
    }

    @Test func recoveryOfAKilledProcessIsTakenOver() throws {
        let directory = try CoordinationTestDirectory()
        let first = try CoordinationTestProcess("recover-slowly", directory.file("a"))
        #expect(first.nextLine() == "soleOpener")
        let second = try CoordinationTestProcess("recover-slowly", directory.file("a"))
        usleep(50_000)
        first.kill()
        // The second process waits for the opening lock by now, and gets it.
        #expect(second.nextLine() == "soleOpener")
        second.kill()
        #expect(try CoordinationTestFile(directory.file("a")).close())
    }

    @Test func manyProcessesThatOpenAtOnceAgreeOnOne() throws {
        let directory = try CoordinationTestDirectory()
        let children = try (0..<6).map { _ in
            try CoordinationTestProcess("hold-pin", directory.file("a"))
        }
        let lines = children.map { $0.nextLine() ?? "" }
        #expect(lines.filter { $0 == "soleOpener 1" }.count == 1)
        #expect(lines.filter { $0 == "joined 1" }.count == 5)
        for child in children { try child.proceed() }
        let last = children.map { $0.nextLine() ?? "" }
        #expect(last.filter { $0 == "last: true" }.count == 1)
    }

    @Test func forkedChildHasNoUseOfTheDatabaseAndKeepsNoLock() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("fork-while-open", directory.file("a"))
        #expect(child.nextLine() == "usedAfterFork")
        let forked = try #require(child.nextLine().flatMap { Int32($0) })
        defer { Glibc.kill(forked, SIGKILL) }
        // The forked child did not release anything of its parent's.
        #expect(file.coordinator.pinnedVersions().map(\.version) == [1])
        #expect(try file.coordinator.tryLockForWriting() == nil)
        child.kill()
        // The forked child still runs, but neither its descriptors nor its mappings keep a lock.
        #expect(Glibc.kill(forked, 0) == 0)
        #expect(try file.coordinator.tryLockForWriting() == .died)
        file.coordinator.publish(version: 2, sequence: 2)
        file.coordinator.unlockAfterWriting()
        usleep(60_000)
        #expect(file.coordinator.collectedPins == [])
        #expect(try file.close())
    }

    @Test func versionsWakeOtherProcesses() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let child = try CoordinationTestProcess("wait-for-version", directory.file("a"), "1")
        #expect(child.nextLine() == "joined")
        usleep(20_000)
        file.coordinator.publish(version: 2, sequence: 2)
        #expect(child.nextLine() == "2")
        _ = child.waitForSignal()
        #expect(try file.close())
    }

    /// Runs a scenario that counts in the data file, 300 times in each of three processes, and
    /// returns the count.
    private func count(_ scenario: String) throws -> UInt64 {
        let directory = try CoordinationTestDirectory()
        let path = directory.file("a")
        let children = try (0..<3).map { _ in
            try CoordinationTestProcess(scenario, path, "300")
        }
        for child in children { _ = child.nextLine() }
        for child in children { try child.proceed() }
        for child in children { #expect(child.nextLine() == "done") }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }

    @Test func processesTakeTurnsWithoutLosingAnUpdate() throws {
        #expect(try count("count-under-lock") == 900)
    }

    @Test func aProcessWritesRepeatedlyBeforeAnotherOneHasItsTurn() throws {
        // If the lock was handed over each time there would be nearly 900.
        #expect((3...450).contains(try count("count-turns")))
    }

    /// One that waits patiently has no lock that the kernel would release, but others who wait let
    /// it go first.
    @Test(arguments: [SIGKILL, SIGSTOP]) func oneThatWaitsAndDiesOrStopsHoldsNobodyUp(
        signal: Int32
    ) throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let region = file.coordinator.region
        _ = try file.coordinator.lockForWriting()
        let first = try CoordinationTestProcess("wait-to-write", directory.file("a"))
        #expect(first.nextLine() == "joined")
        while region.waitingProcessCount.loadAcquire() == 0 { usleep(100) }
        usleep(1000)
        Glibc.kill(Int32(first.processID), signal)
        let second = try CoordinationTestProcess("count-under-lock", directory.file("a"), "20")
        #expect(second.nextLine() == "joined")
        try second.proceed()
        // Most likely it waits by now.
        usleep(20_000)
        file.coordinator.unlockAfterWriting()
        #expect(second.nextLine() == "done")
        if signal == SIGKILL {
            file.coordinator.clearDeadProcesses()
            #expect(region.waitingProcessCount.loadAcquire() == 0)
        }
        first.kill()
        second.kill()
        try file.close()
    }

    @Test func theOneThatHasWaitedLongestComesFirst() {
        let numbers: [UInt32] = [0, 1, 2, .max / 4 - 1, .max / 4, .max / 4 + 1, .max - 1, .max]
        for number in numbers {
            let ticket = WaitingTicket(number: number)
            let next = WaitingTicket(number: number &+ 1)
            #expect(ticket < next && !(next < ticket) && !(ticket < ticket))
            #expect(!ticket.isInKernel && ticket.inKernel.isInKernel)
            #expect(ticket.inKernel < next && !(ticket < ticket.inKernel))
            #expect(WaitingTicket(word: ticket.word) == ticket)
        }
        #expect(WaitingTicket(word: 0) == nil)
    }

    @Test func busyProcessLetsOthersWrite() throws {
        let directory = try CoordinationTestDirectory()
        let file = try CoordinationTestFile(directory.file("a"))
        let coordinator = file.coordinator
        let child = try CoordinationTestProcess("count-under-lock", directory.file("a"), "100")
        #expect(child.nextLine() == "joined")
        let writers = (0..<4).map { _ in
            BackgroundThread { isStopped in
                while !isStopped() {
                    guard (try? coordinator.lockForWriting()) != nil else { break }
                    if coordinator.shouldLetOtherProcessesWrite,
                        (try? coordinator.letOtherProcessesWrite()) == nil
                    {
                        break
                    }
                    usleep(100)
                    coordinator.unlockAfterWriting()
                }
            }
        }
        let start = ContinuousClock().now
        try child.proceed()
        #expect(child.nextLine() == "done")
        // There are 100 turns, each after at most 5 ms of hand-overs in the other process and a
        // wake-up.
        #expect(start.duration(to: ContinuousClock().now) < .seconds(5))
        for writer in writers { try writer.finish() }
        child.kill()
        try file.close()
    }
}
