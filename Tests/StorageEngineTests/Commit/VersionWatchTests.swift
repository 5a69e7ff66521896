import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Handlers of new versions, on the watch thread.
@Suite struct VersionWatchTests {
    private let directory = TestDirectory()

    /// Versions that a handler was called with.
    private final class Log: Sendable {
        let versions = Locked<[UInt64]>([])
        var last: UInt64 { versions.withLock { $0.last ?? 0 } }
        var count: Int { versions.withLock { $0.count } }
    }

    private func subscribe(_ database: Database, _ log: Log) throws -> VersionSubscription {
        try database.subscribe(after: database.newestVersion) { version in
            log.versions.withLock { $0.append(version) }
        }
    }

    private func commit(_ database: Database) throws {
        let connection = try Connection(database)
        try connection.beginWrite()
        try connection.setSchemaVersion(connection.version)
        try connection.commit(.relaxed)
    }

    private func waitUntil(_ condition: () -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            usleep(500)
        }
    }

    @Test func aHandlerIsCalledForEveryNewestVersion() throws {
        let database = try Database.open(path: directory.file("a"))
        let log = Log()
        let subscription = try subscribe(database, log)
        for version in 1...50 as ClosedRange<UInt64> {
            try commit(database)
            try waitUntil { log.last == version }
        }
        let versions = log.versions.withLock { $0 }
        #expect(versions == versions.sorted())
        subscription.cancel()
    }

    @Test func aRequestCallsTheHandlerWithoutANewVersion() throws {
        let database = try Database.open(path: directory.file("a"))
        let log = Log()
        let subscription = try subscribe(database, log)
        subscription.request()
        try waitUntil { log.count == 1 }
        subscription.cancel()
    }

    @Test func aCancelledHandlerIsNotCalledAndTheDatabaseCanBeClosed() throws {
        let path = directory.file("a")
        for _ in 0..<100 {
            let database = try Database.open(path: path)
            let log = Log()
            let subscription = try subscribe(database, log)
            if Bool.random() { try commit(database) }
            subscription.cancel()
            let count = log.count
            try commit(database)
            usleep(200)
            #expect(log.count <= count + 1)
        }
        // Nothing has kept the last one open.
        #expect(try Database.remove(path: path))
    }

    @Test func commitsDuringAPauseAreToldAfterIt() throws {
        let database = try Database.open(path: directory.file("a"))
        let log = Log()
        let subscription = try subscribe(database, log)
        subscription.pause()
        try commit(database)
        let own = database.newestVersion
        try commit(database)
        subscription.resume(after: own)
        try waitUntil { log.last == own + 1 }
        #expect(log.count == 1)
        subscription.cancel()
    }

    @Test func commitsDuringAPauseAreNotToldWhenAnotherDatabaseWakesTheThread() throws {
        let database = try Database.open(path: directory.file("a"))
        let log = Log()
        let subscription = try subscribe(database, log)
        let otherDatabase = try Database.open(path: directory.file("b"))
        let otherLog = Log()
        let other = try subscribe(otherDatabase, otherLog)
        subscription.pause()
        try commit(database)
        // The thread looks at all databases each time.
        for count in 1...3 {
            other.request()
            try waitUntil { otherLog.count == count }
        }
        #expect(log.count == 0)
        subscription.request()
        try waitUntil { log.count == 1 }
        subscription.resume(after: database.newestVersion)
        try commit(database)
        try waitUntil { log.count == 2 }
        subscription.cancel()
        other.cancel()
    }

    @Test func theThreadSleepsWhileNothingHappens() throws {
        let database = try Database.open(path: directory.file("a"))
        let subscription = try subscribe(database, Log())
        try waitUntil { watchThreadSwitches() != nil }
        // Other tests of this process share the thread, so many attempts may be disturbed.
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let before = watchThreadSwitches()
            usleep(100_000)
            if watchThreadSwitches() == before { break }
            try #require(ContinuousClock.now < deadline, "the watch thread wakes again and again")
        }
        subscription.cancel()
    }

    /// How often the watch thread has given up its processor by itself, as sleeping does; nil if it
    /// has not begun yet.
    private func watchThreadSwitches() -> Int? {
        let tasks = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        for task in tasks ?? [] {
            let path = "/proc/self/task/\(task)/status"
            let status = try? String(contentsOfFile: path, encoding: .utf8)
            let lines = status?.split(separator: "\n") ?? []
            guard lines.contains("Name:\t\(VersionWatch.threadName)") else { continue }
            let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return line?.split(separator: "\t").last.flatMap { Int($0) }
        }
        return nil
    }
}
