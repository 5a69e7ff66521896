import CLMDB
import Foundation
import Testing

@testable import BenchmarkKit
@testable import PeerEngines
@testable import ToolSupport

extension PeerTests {
    /// What the libraries themselves say about the configurations.
    @Suite struct ConfigurationTests {
        private let folder: TemporaryFolder
        private var path: String { folder.path + "/database" }

        init() throws { folder = try TemporaryFolder() }

        /// With the engines that a suite names, which the tests of the runner do not know.
        @Test func everySuiteHasEachOfItsCasesOnce() throws {
            for name in try Suite.available() {
                #expect(try !Suite.load(name).expanded(overriding: OptionOverrides()).isEmpty)
            }
        }

        @Test(arguments: [false, true])
        func sqliteKeepsItsLockAndItsDurability(isExclusive: Bool) throws {
            for (durability, synchronous) in [(Durability.full, 2), (.relaxed, 1), (.unsynced, 0)] {
                let connection = try SQLiteConnection(
                    path: path, SQLiteSettings(durability: durability, isExclusive: isExclusive),
                    schema: ["CREATE TABLE IF NOT EXISTS number (value INTEGER)"])
                try connection.write { try connection.execute("INSERT INTO number VALUES (1)") }
                #expect(try connection.integer("PRAGMA synchronous") == synchronous)
                let mode = try connection.prepare("PRAGMA locking_mode")
                #expect(try mode.step())
                #expect(mode.text(0) == (isExclusive ? "exclusive" : "normal"))
                let journal = try connection.prepare("PRAGMA journal_mode")
                #expect(try journal.step())
                #expect(journal.text(0) == "wal")
                // The index of the log is shared memory unless the lock is kept.
                #expect(FileManager.default.fileExists(atPath: path + "-shm") != isExclusive)
            }
        }

        @Test func anExclusiveLockKeepsOthersOut() throws {
            let settings = SQLiteSettings(durability: .unsynced, isExclusive: true)
            let connection = try SQLiteConnection(path: path, settings, schema: [])
            try connection.write { try connection.execute("CREATE TABLE number (value INTEGER)") }
            #expect(throws: (any Error).self) {
                try SQLiteConnection(path: path, settings, schema: [])
                    .write {}
            }
        }

        @Test(arguments: [false, true], [Durability.full, .unsynced])
        func lmdbSyncsUnlessItIsToldNotTo(_ writesMap: Bool, _ durability: Durability) throws {
            let lease = try LMDBEnvironment.lease(
                path, LMDBSettings(durability: durability, writesMap: writesMap))
            var flags: UInt32 = 0
            #expect(mdb_env_get_flags(lease.database.handle, &flags) == 0)
            #expect((flags & UInt32(MDB_WRITEMAP) != 0) == writesMap)
            #expect((flags & UInt32(MDB_NOSYNC) != 0) == (durability == .unsynced))
            #expect(flags & UInt32(MDB_NOMETASYNC | MDB_MAPASYNC) == 0)
        }

        /// While it is open, LMDB makes the file as long as its map.
        @Test func aFileWrittenThroughItsMapIsAsLongAsItsPagesWhenItIsClosed() throws {
            let persons = makePersons(3000)
            func insert(_ engine: LMDBEngine, _ path: String) throws -> Int {
                let store = try engine.openPersons(at: path, .unkeyed, .full)
                try store.insert(persons[...])
                #expect(try storedBytes(at: path) <= store.size().fileBytes)
                return try store.size().fileBytes
            }
            let told = try insert(LMDBEngine(writesMap: true), path)
            #expect(FileBytes.length(of: path) == told)
            _ = try insert(LMDBEngine(), folder.path + "/plain")
            #expect(FileBytes.length(of: folder.path + "/plain") == told)
            let model = PersonModel(persons: persons)
            try model.expectEqual(
                LMDBEngine().openPersons(at: path, .unkeyed, .full), .unkeyed)
        }

        @Test(arguments: [RocksSettings.Writing.grouped, .pipelined, .unordered])
        func rocksWritesInTheOrderThatItIsTold(_ writing: RocksSettings.Writing) throws {
            let store = try RocksEngine(writing: writing)
                .openPersons(at: path, .unkeyed, .full)
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
            let name = try #require(names.filter { $0.hasPrefix("OPTIONS-") }.max())
            let options = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
            #expect(
                options.contains("enable_pipelined_write=\(writing == .pipelined)\n"))
            #expect(options.contains("unordered_write=\(writing == .unordered)\n"))
            #expect(options.contains("two_write_queues=false\n"))
            withExtendedLifetime(store) {}
        }
    }
}
