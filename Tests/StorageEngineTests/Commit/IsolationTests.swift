import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Every reader sees one whole version while others write.
@Suite struct IsolationTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    private static let accounts = 60
    private static let total: Int64 = 60_000

    private func makeBank(_ path: String) throws {
        let connection = try Connection(Database.open(path: path))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Account",
                columns: [
                    ColumnDefinition(name: "balance", type: .int),
                    ColumnDefinition(name: "note", type: .data),
                ]),
            TableDefinition(
                name: "Log",
                columns: [ColumnDefinition(name: "entries", type: .int, collection: .list)]),
        ])
        let accounts = try connection.table(named: "Account")!
        for _ in 0..<Self.accounts {
            _ = try accounts.insert([.integer(Self.total / Int64(Self.accounts)), .bytes([])])
        }
        _ = try connection.table(named: "Log")!.insert([.null])
        try connection.commit()
    }

    private static func balance(_ table: Table, _ key: ObjectKey) throws -> Int64 {
        guard case .integer(let value) = try table.value(0, of: key) else {
            throw TestFailure("no balance")
        }
        return value
    }

    /// Makes one transfer and one entry in the log. It is sometimes rolled back, so that dirty
    /// reads would show.
    private static func transfer(
        _ connection: Connection, writer: Int64, round: Int64, _ random: inout SeededGenerator
    ) throws {
        func change(_ amount: Int64, _ from: Int, _ to: Int) throws {
            let accounts = try connection.table(named: "Account")!
            let (source, target) = try (accounts.key(at: from), accounts.key(at: to))
            let taken = try balance(accounts, source) - amount
            try accounts.set(0, of: source, to: .integer(taken))
            let given = try balance(accounts, target) + amount
            try accounts.set(0, of: target, to: .integer(given))
            let note = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: from * 40)
            try accounts.set(1, of: source, owned: .bytes(note))
        }
        let from = random.next(below: accounts)
        let to = (from + 1 + random.next(below: accounts - 1)) % accounts
        if random.next(below: 4) == 0 {
            try connection.beginWrite()
            let accounts = try connection.table(named: "Account")!
            try accounts.set(0, of: accounts.key(at: from), to: .integer(-1_000_000))
            try accounts.delete(accounts.key(at: to))
            connection.rollback()
        }
        try connection.beginWrite()
        try change(Int64(random.next(below: 50)), from, to)
        let logs = try connection.table(named: "Log")!
        let log = logs.list(0, of: try logs.key(at: 0))
        try log.insert(.integer(writer << 32 + round), at: try log.count())
        try connection.commit()
    }

    /// Checks the log as a reader may see it: the rounds of each writer in order, without gaps.
    private static func check(_ log: [Int64], extends earlier: [Int64]) throws {
        guard log.starts(with: earlier) else { throw TestFailure("the log was rewritten") }
        var next: [Int64: Int64] = [:]
        for entry in log {
            let (writer, round) = (entry >> 32, entry & 0xFFFF_FFFF)
            guard next[writer, default: 0] == round else {
                throw TestFailure("writer \(writer): round \(round) after \(next[writer] ?? -1)")
            }
            next[writer] = round + 1
        }
    }

    private static func readLog(_ connection: Connection) throws -> [Int64] {
        let logs = try connection.table(named: "Log")!
        var log: [Int64] = []
        try logs.list(0, of: try logs.key(at: 0)).forEach {
            if case .integer(let entry) = $0 { log.append(entry) }
            return true
        }
        return log
    }

    private static func sum(_ connection: Connection) throws -> Int64 {
        let accounts = try connection.table(named: "Account")!
        guard try accounts.count() == Self.accounts else { throw TestFailure("a dirty read") }
        var sum: Int64 = 0
        for position in 0..<Self.accounts {
            sum += try balance(accounts, accounts.key(at: position))
        }
        return sum
    }

    /// Reads until it is stopped. Returns the number of versions that it saw.
    private static func readVersions(_ database: Database, _ isStopped: () -> Bool) throws -> Int {
        let connection = try Connection(database)
        var (versions, last) = (0, UInt64(0))
        var log: [Int64] = []
        while !isStopped() {
            _ = try connection.refresh()
            guard connection.version >= last else { throw TestFailure("back in time") }
            if connection.version > last { versions += 1 }
            last = connection.version
            let newLog = try readLog(connection)
            try check(newLog, extends: log)
            log = newLog
            let digest = try DatabaseDigest.of(connection)
            guard try sum(connection) == total else { throw TestFailure("a torn transfer") }
            guard try DatabaseDigest.of(connection) == digest else {
                throw TestFailure("version \(last) changed while it was read")
            }
        }
        return versions
    }

    @Test(arguments: [false, true])
    func readersSeeWholeTransactionsWhileOthersWrite(separateDatabases: Bool) throws {
        let path = directory.file("bank")
        try makeBank(path)
        let shared = try Database.open(path: path)
        // The databases are opened as other processes would open them, each with its own free map
        // and checked pages.
        func database() throws -> Database {
            separateDatabases ? try Database.openUnregistered(path: path) : shared
        }
        let rounds = Int64(LongTests.choose(5000, otherwise: 150))
        let readers = try (0..<2).map { _ in
            let database = try database()
            return BackgroundThread { try Self.readVersions(database, $0) }
        }
        let writers = try (0..<3).map { number in
            let database = try database()
            return BackgroundThread { _ in
                var random = SeededGenerator(seed: UInt64(number))
                let connection = try Connection(database)
                for round in 0..<rounds {
                    try Self.transfer(connection, writer: Int64(number), round: round, &random)
                }
            }
        }
        for writer in writers { try writer.wait() }
        for reader in readers { #expect(try reader.finish() > 3) }
        let connection = try Connection(shared)
        _ = try connection.refresh()
        #expect(try Self.sum(connection) == Self.total)
        #expect(try Self.readLog(connection).count == 3 * Int(rounds))
        #expect(connection.version == 1 + 3 * UInt64(rounds))
        #expect(try connection.verify() == [])
    }

    @Test func twoProcessesLoseNoUpdateAndBothMakeProgress() throws {
        let path = directory.file("shared")
        let connection = try Connection(Database.open(path: path))
        try SharedCounter.create(connection)
        let rounds = LongTests.choose(5000, otherwise: 300)
        let children = try (1...2).map {
            try CoordinationTestProcess("isolation-append", path, "\(rounds)", "\($0)")
        }
        for child in children { #expect(child.nextLine() == "open") }
        for child in children { try child.proceed() }
        var log: [Int64] = []
        while log.count < 2 * rounds {
            _ = database(connection, waitAfter: connection.version)
            _ = try connection.refresh()
            let (count, newLog) = try SharedCounter.read(connection)
            #expect(Int(count) == newLog.count)
            try Self.check(newLog.map { $0 - 1 << 32 }, extends: log.map { $0 - 1 << 32 })
            guard newLog.count > log.count || log.isEmpty else {
                Issue.record("no progress after \(log.count) increments")
                break
            }
            log = newLog
        }
        for child in children { #expect(child.nextLine() == "done") }
        #expect(log.count == 2 * rounds)
        // Neither writer waits until the other has finished.
        let turns = zip(log, log.dropFirst()).count { $0 >> 32 != $1 >> 32 }
        #expect(turns >= 4, "\(turns) turns")
        #expect(try connection.verify() == [])
    }

    /// Waits for a version newer than this one, for some seconds.
    private func database(_ connection: Connection, waitAfter version: UInt64) -> UInt64 {
        connection.database.coordinator.waitForVersion(
            newerThan: version, timeout: .seconds(20))
    }

    @Test func aLongPinnedVersionDoesNotChangeWhilePagesAreReused() throws {
        let path = directory.file("pinned")
        try makeBank(path)
        let database = try Database.open(path: path)
        let reader = try Connection(database)
        let writer = try Connection(database)
        let digest = try DatabaseDigest.of(reader)
        let version = reader.version
        var random = SeededGenerator(seed: 3)
        for round in 0..<2000 {
            try Self.transfer(writer, writer: 0, round: Int64(round), &random)
            if round % 250 == 0 { #expect(try DatabaseDigest.of(reader) == digest) }
        }
        #expect(reader.version == version)
        #expect(try DatabaseDigest.of(reader) == digest)
        #expect(try Self.readLog(reader) == [])
        // A second reader pins the newest version, and then no reader the old one. Its space is
        // freed.
        #expect(try reader.refresh())
        #expect(try DatabaseDigest.of(reader) == DatabaseDigest.of(writer))
        reader.endRead()
        try Self.transfer(writer, writer: 0, round: 2000, &random)
        let size = try database.fileSize
        for round in 2001..<2300 {
            try Self.transfer(writer, writer: 0, round: Int64(round), &random)
        }
        #expect(try database.fileSize == size)
        #expect(try reader.refresh())
        #expect(try reader.verify() == [])
    }

    /// The pages of a version that is no longer pinned are reused; those of a pinned version are
    /// not. Many readers come and go at different versions.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func readersAtManyVersionsKeepWhatTheySee(seed: UInt64) throws {
        let path = directory.file("many")
        try makeBank(path)
        let database = try Database.open(path: path)
        let writer = try Connection(database)
        var random = SeededGenerator(seed: seed)
        var readers: [(connection: Connection, digest: UInt64, version: UInt64)] = []
        for round in 0..<200 {
            try Self.transfer(writer, writer: 0, round: Int64(round), &random)
            switch random.next(below: 5) {
            case 0 where readers.count < 12:
                let connection = try Connection(database)
                readers.append(
                    (connection, try DatabaseDigest.of(connection), connection.version))
            case 1 where !readers.isEmpty:
                readers.remove(at: random.next(below: readers.count))
            case 2 where !readers.isEmpty:
                let index = random.next(below: readers.count)
                _ = try readers[index].connection.refresh()
                readers[index].digest = try DatabaseDigest.of(readers[index].connection)
                readers[index].version = readers[index].connection.version
            default: break
            }
            for reader in readers {
                #expect(reader.connection.version == reader.version, "seed \(seed)")
                if round % 8 == 0 {
                    #expect(
                        try DatabaseDigest.of(reader.connection) == reader.digest,
                        "seed \(seed), round \(round)")
                }
            }
        }
        #expect(try writer.verify() == [])
    }
}
