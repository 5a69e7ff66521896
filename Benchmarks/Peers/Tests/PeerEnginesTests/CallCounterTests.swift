import Foundation
import Testing

@testable import BenchmarkKit
@testable import PeerEngines

extension PeerTests {
    @Suite struct CallCounterTests {
        private static let commits = 20

        /// Of commits of one row each, few enough that no log is full.
        private func counters(_ engine: any BenchmarkEngine, _ durability: Durability) throws
            -> IOCounters
        {
            let folder = try TemporaryFolder()
            let store = try engine.openPersons(
                at: folder.path + "/persons", .integerKey, durability)
            let persons = makePersons(Self.commits + 1)
            try store.insert(persons[0...0])
            let before = engine.counters
            for number in 1...Self.commits { try store.insert(persons[number...number]) }
            let counted = engine.counters - before
            // Writes into mapped memory are no calls.
            if engine.name != "lmdb-writemap" {
                #expect(counted.writeCalls >= Self.commits)
                #expect(counted.bytesWritten > 16 * Self.commits)
            }
            return counted
        }

        @Test func sqliteSyncsItsLogAtEachFullCommitAndNeverAtOthers() throws {
            for engine: any BenchmarkEngine in [
                SQLiteEngine(), SQLiteEngine(isExclusive: true), GRDBEngine(),
            ] {
                #expect(try counters(engine, .full).syncs == UInt64(Self.commits))
                #expect(try counters(engine, .relaxed).syncs == 0)
                #expect(try counters(engine, .unsynced).syncs == 0)
            }
        }

        /// `fdatasync` for the pages, a synchronous write for the page that leads to them; `msync`
        /// for both where they are changed in the mapped file.
        @Test(arguments: [false, true])
        func lmdbSyncsTwiceAtEachFullCommitAndNeverAtOthers(writesMap: Bool) throws {
            let engine = LMDBEngine(writesMap: writesMap)
            #expect(try counters(engine, .full).syncs == UInt64(2 * Self.commits))
            #expect(try counters(engine, .unsynced).syncs == 0)
        }

        @Test(arguments: [RocksSettings.Writing.grouped, .pipelined, .unordered])
        func rocksSyncsItsLogAtEachFullCommitAndNeverAtOthers(
            _ writing: RocksSettings.Writing
        ) throws {
            let engine = RocksEngine(writing: writing)
            #expect(try counters(engine, .full).syncs == UInt64(Self.commits))
            #expect(try counters(engine, .relaxed).syncs == 0)
        }

        @Test(.enabled(if: DuckDBEngine().reason(against: .persons) == nil))
        func duckDBSyncsItsLogAtEachCommit() throws {
            #expect(try counters(DuckDBEngine(), .full).syncs == UInt64(Self.commits))
        }

        @Test func writesOfAnyoneAreCounted() throws {
            let folder = try TemporaryFolder()
            let descriptor = open(folder.path + "/file", O_CREAT | O_RDWR, 0o644)
            defer { close(descriptor) }
            let engine = SQLiteEngine()
            let before = engine.counters
            var bytes: [UInt8] = [1, 2, 3]
            #expect(write(descriptor, bytes, 3) == 3)
            #expect(pwrite(descriptor, bytes, 2, 10) == 2)
            let written = bytes.withUnsafeMutableBytes { bytes in
                var parts = [
                    iovec(iov_base: bytes.baseAddress, iov_len: 1),
                    iovec(iov_base: bytes.baseAddress, iov_len: 3),
                ]
                return writev(descriptor, &parts, 2) + pwritev(descriptor, &parts, 2, 100)
            }
            #expect(written == 8)
            #expect(write(-1, bytes, 3) == -1 && errno == EBADF)
            #expect(fdatasync(descriptor) == 0)
            #expect(fsync(descriptor) == 0)
            #expect(
                engine.counters - before == IOCounters(syncs: 2, writeCalls: 4, bytesWritten: 13))
            // Offsets reached the kernel whole.
            #expect(lseek(descriptor, 0, SEEK_END) == 104)
        }
    }
}
