import Foundation
import Testing

@testable import BenchmarkKit

/// Tests of YCSB on tiny inputs, in this process.
@Suite struct YCSBWorkloadTests {
    @Test(arguments: ["a", "b", "c", "d", "e", "f"])
    func everyStrategyDoesTheSameAndProvesIt(letter: String) throws {
        let folder = try TemporaryFolder()
        let strategies =
            letter == "e"
            ? ["engine", "engine-rate"] : ["api", "engine", "api-rate", "engine-rate"]
        var digests: Set<String?> = []
        for strategy in strategies {
            let outcome = try runCase("ycsb-\(letter)", strategy, size: 60, in: folder) {
                $0.count = 90
            }
            let result = outcome.results[0]
            #expect(result.digest != nil)
            if strategy.hasSuffix("-rate") {
                Self.expectOnlyTheBestSlice(result, of: 90)
            } else {
                #expect(result.operations == 90)
                #expect(result.latency != nil)
            }
            #expect((result.measure("sustainable_ops_per_s") != nil) == strategy.hasSuffix("-rate"))
            #expect((result.measure("intended_p99_us") != nil) == strategy.hasSuffix("-rate"))
            #expect(try #require(outcome.verification).problems() == [])
            digests.insert(result.digest)
        }
        #expect(digests.count == 1)
    }

    /// Checks that the result is that of the slice at the sustainable rate, which is one of nine,
    /// or empty if no rate passed.
    static func expectOnlyTheBestSlice(_ result: CaseResult, of operations: Int) {
        let sustained = result.measure("sustainable_ops_per_s") ?? 0
        #expect(result.status == (sustained > 0 ? .ok : .noRate))
        #expect(result.operations == (sustained > 0 ? operations / 9 : 0))
        #expect(result.throughput == (sustained > 0 ? sustained : nil))
        #expect((result.latency != nil) == (sustained > 0))
    }

    @Test func operationsAreTimedApart() throws {
        let folder = try TemporaryFolder()
        let result = try runCase("ycsb-a", "engine", size: 50, in: folder) { $0.count = 60 }
            .results[0]
        let read = try #require(result.measure("read_p50_us"))
        #expect(read > 0)
        // An update commits and waits for the disk.
        #expect(try #require(result.measure("update_p50_us")) > read)
        #expect(result.measure("scan_p50_us") == nil)
        let commits = try #require(result.measure("commits"))
        #expect(commits > 10 && commits < 50)
        // At least 1, not exactly: the count covers the whole process, in which other tests write
        // as well.
        #expect(try #require(result.syncsPerCommit) >= 1)
    }

    @Test func severalClientsLoseNothing() throws {
        let folder = try TemporaryFolder()
        for workload in ["ycsb-a", "ycsb-d"] {
            let outcome = try runCase(workload, "api", size: 40, in: folder) {
                $0.count = 150
                $0.threads = 3
            }
            #expect(outcome.results[0].operations == 150)
            #expect(outcome.results[0].digest == nil)
            #expect(try #require(outcome.verification).problems() == [])
        }
    }

    @Test func aRunByTimeEndsAndIsProved() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("ycsb-a", "engine-rate", size: 40, in: folder) {
            $0.seconds = 0.2
            $0.warmup = 0.02
        }
        #expect(outcome.results[0].digest == nil)
        #expect(outcome.results[0].elapsedSeconds < 5)
        #expect(try #require(outcome.verification).problems() == [])
    }

    @Test func aChangedLostOrStrangeRecordFailsTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase("ycsb-c", "engine", size: 20, in: folder) { $0.count = 10 }
        let expectation = try #require(
            try outcome.verification?.expectation(as: RecordsExpectation.self))
        var lost = expectation
        lost.records = 21
        #expect(try lost.problems().contains("1 records are missing."))
        var strange = expectation
        strange.records = 19
        #expect(!(try strange.problems()).isEmpty)
        let store = try RealmTableEngine().openRecords(at: expectation.path, .full)
        let place = (record: 4, field: 2)
        // A value that a client could have written, but did not.
        try store.update(
            YCSBRecord.key(place.record), field: place.field,
            to: YCSBRecord.value(
                record: place.record, field: place.field, stamp: 1 << 40 | 1,
                seed: expectation.seed))
        let wrong = "1 fields do not hold what was written there last."
        #expect(try expectation.problems() == [wrong])
        var written = expectation
        let field = place.record * YCSBRecord.fieldCount + place.field
        // Two clients wrote to this field. The last value of either is right, and the loaded one is
        // wrong.
        written.lastStamps = [
            LastStamp(place: field, stamp: 1 << 40 | 1),
            LastStamp(place: field, stamp: 2 << 40 | 1),
        ]
        #expect(try written.problems() == [])
        written.lastStamps[0].stamp += 1
        #expect(try written.problems() == [wrong])
        written.lastStamps.append(LastStamp(place: field + 1, stamp: 1 << 40 | 2))
        #expect(
            try written.problems() == ["2 fields do not hold what was written there last."])
        try store.update(
            YCSBRecord.key(place.record), field: place.field,
            to: YCSBRecord.value(record: 5, field: 2, stamp: 0, seed: expectation.seed))
        #expect(try expectation.problems() == [wrong])
    }
}
