import Foundation
import StressModel
import Testing

@testable import StorageEngine

/// Relaxed commits of processes that end, are killed, or are stopped before they sync.
@Suite struct SyncTakeoverTests {
    let directory = TestDirectory()

    private func isDurable(_ database: Database) -> Bool {
        let coordinator = database.coordinator
        return coordinator.durableVersion == coordinator.visibleVersion
    }

    private func waitUntilDurable(_ database: Database) -> Bool {
        let coordinator = database.coordinator
        let deadline = Date() + 30
        while coordinator.durableVersion < coordinator.visibleVersion {
            if Date() > deadline { return false }
            usleep(1000)
        }
        return true
    }

    @Test func aSurvivorSyncsForTheDead() throws {
        let path = directory.file()
        let database = try Database.open(path: path)
        let child = try CoordinationTestProcess("commit-relaxed", path, "")
        #expect(child.nextLine() == "2")
        child.kill()
        #expect(database.coordinator.visibleVersion == 2)
        #expect(waitUntilDurable(database))
    }

    @Test func aSurvivorThatOnlyReadsDoesSoToo() throws {
        let path = directory.file()
        _ = try Database.open(path: path)
        let database = try Database.open(path: path, options: .init(readOnly: true))
        let child = try CoordinationTestProcess("commit-relaxed", path, "")
        #expect(child.nextLine() == "2")
        child.kill()
        #expect(database.coordinator.visibleVersion == 2)
        #expect(waitUntilDurable(database))
    }

    /// The process is killed during its sync.
    @Test func aSyncThatDiedWithItsProcessIsRepeated() throws {
        let path = directory.file()
        let database = try Database.open(path: path)
        for round in 1...3 {
            let child = try CoordinationTestProcess(
                "commit-relaxed", path, "kill-before:fdatasync:1")
            #expect(child.nextLine() == "\(round * 2)")
            // On a busy machine the lookout may sync before the child does, which then lives on.
            while child.isRunning, !isDurable(database) { usleep(1000) }
            if child.isRunning { child.kill() }
            #expect(child.waitForSignal() == SIGKILL)
            #expect(waitUntilDurable(database))
        }
    }

    @Test func exitSyncs() throws {
        let path = directory.file()
        let database = try Database.open(path: path)
        let child = try CoordinationTestProcess("exit-after-relaxed", path)
        #expect(child.nextLine() == "2")
        #expect(child.waitForSignal() == 0)
        // This process would sync later.
        #expect(database.coordinator.durableVersion == 2)
    }

    /// A process that is stopped during its sync does not prevent others from closing the file, and
    /// continues afterwards.
    @Test func aStoppedProcessDoesNotKeepOthersFromSyncing() throws {
        let path = directory.file()
        let child: CoordinationTestProcess
        do {
            let database = try Database.open(path: path)
            child = try CoordinationTestProcess("commit-relaxed", path, "stop-before:fdatasync:1")
            #expect(child.nextLine() == "2")
            // Not until it has the turn to sync: the lookout may have taken that over before this
            // thread looks, or on a busy machine before the child begins.
            while !child.isStopped, !isDurable(database) { usleep(1000) }
            let pager = try Pager(database: database)
            try pager.beginWrite()
            try ValueStore(pager).set(0, value(1))
            _ = try pager.commit(.relaxed)
        }
        kill(pid_t(child.processID), SIGCONT)
        try child.proceed()
        #expect(child.nextLine() == "closed")
        let pager = try Pager(database: .open(path: path))
        #expect(try pager.newestValues()[0] == value(1))
    }

    @Test func aLookoutWaitsForTheWriterFirst() {
        var lookout = SyncLookout()
        let step = SyncLookout.interval
        #expect(lookout.look(at: 0, signal: 0, visible: 1, durable: 1).nextLook == step)
        let later = SyncLookout.alertness
        #expect(
            lookout.look(at: later, signal: 0, visible: 1, durable: 1)
                == SyncLookout.Verdict(takesOver: false, nextLook: nil))
        // A signal comes before its version.
        var now = later
        #expect(lookout.look(at: now, signal: 1, visible: 1, durable: 1).nextLook == now + step)
        now += step
        let seen = now
        while now < seen + SyncLookout.patience {
            let verdict = lookout.look(at: now, signal: 1, visible: 2, durable: 1)
            #expect(verdict == SyncLookout.Verdict(takesOver: false, nextLook: now + step))
            now += step
        }
        #expect(lookout.look(at: now, signal: 1, visible: 2, durable: 1).takesOver)
        // It does not take over again at once.
        #expect(!lookout.look(at: now + step, signal: 1, visible: 2, durable: 1).takesOver)
    }

    /// However busy a writer is, versions that it syncs in time are left to it.
    @Test func aLookoutLeavesAWriterAloneThatSyncs() {
        var lookout = SyncLookout()
        for turn in 2...100 as ClosedRange<UInt64> {
            let verdict = lookout.look(
                at: turn * SyncLookout.interval, signal: UInt32(turn), visible: turn * 10,
                durable: turn * 10 - 15)
            #expect(!verdict.takesOver)
        }
    }
}
