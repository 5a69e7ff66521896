import Foundation
import StorageEngine
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of the workloads that are written once for all engines, on tiny inputs.
@Suite(.serialized) struct CoreWorkloadTests {
    private func run(
        _ workload: String, _ layer: String, size: Int? = 300, in folder: TemporaryFolder,
        _ change: (inout CaseOptions) -> Void = { _ in }
    ) throws -> CaseOutcome {
        try runCase(workload, layer, size: size, in: folder, change)
    }

    @Test(arguments: ["insert", "insert-int-key", "insert-string-key", "insert-text"])
    func bothLayersInsertTheSame(workload: String) throws {
        let folder = try TemporaryFolder()
        let results = try ["api", "engine"].map { layer in
            let outcome = try run(workload, layer, size: 250, in: folder) { $0.batchSize = 100 }
            #expect(outcome.results[0].measure("commits") == 3)
            // At least 1, not exactly: the count covers the whole process, in which other tests
            // write as well.
            #expect(try #require(outcome.results[0].syncsPerCommit) >= 1)
            #expect(try #require(outcome.results[0].pagesWrittenPerCommit) > 0)
            #expect(outcome.results.dropFirst().allSatisfy { $0.identifier.engine == "control" })
            #expect(try problems(outcome) == [])
            return outcome.results[0]
        }
        #expect(DigestCheck.disagreements(in: results) == [])
        #expect(results[0].digest != nil)
        #expect(results[0].digest == results[1].digest)
    }

    /// The timeline goes by counts, not by time, because work between the measured parts shifts the
    /// counts at any given time.
    @Test func anInsertTellsHowFarItIsByCount() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("insert", "engine", size: 400, in: folder) { $0.batchSize = 1 }
        #expect(outcome.timeline.map(\.operations) == Array(stride(from: 20, through: 400, by: 20)))
        let other = try TemporaryFolder()
        let coarse = try run("insert", "engine", size: 4000, in: other) { $0.batchSize = 1 }
        #expect(coarse.timeline.count == 100)
    }

    @Test func randomNamesAreMeasuredAsPayload() throws {
        let folder = try TemporaryFolder()
        let text = try run("insert-text", "engine", size: 200, in: folder).results[0]
        let plain = try run("insert", "engine", size: 200, in: folder).results[0]
        #expect(text.digest != plain.digest)
        let names = PersonStoreTests.persons(200, seed: CaseOptions().seed, names: .letters)
        let bytes = names.reduce(0) { $0 + $1.name.utf8.count + 16 }
        #expect(text.measure("payload_bytes_per_object") == Double(bytes) / 200)
    }

    /// This test program does not link jemalloc, so the control runs in this process.
    @Test func theControlWithoutJemallocDoesTheWorkOfTheApi() throws {
        let folder = try TemporaryFolder()
        let strategy = SystemAllocatorProgram.strategy
        let outcome = try run("insert", strategy, size: 250, in: folder)
        let own = try run("insert", "api", size: 250, in: folder)
        #expect(outcome.results[0].digest == own.results[0].digest)
        #expect(outcome.results[0].layer == "api")
        #expect(!outcome.results[0].isDeterministic)
        #expect(own.results[0].isDeterministic)
        #expect(try problems(outcome) == [])
        // No two rows have the same name.
        let rows = (outcome.results + own.results).map(\.identifier)
        #expect(Set(rows).count == rows.count)
        // No other database is measured in the program without jemalloc.
        let insert = try WorkloadCatalogue.workload(named: "insert")
        #expect(try #require(insert.strategy(named: strategy)).features == nil)
        #expect(try #require(insert.strategy(named: "api")).features != nil)
    }

    @Test(arguments: [
        "lookup", "lookup-string-key", "lookup-aged", "lookup-indexed", "lookup-in",
        "lookup-range", "iterate", "iterate-aged", "iterate-text", "links-follow",
    ])
    func bothLayersReadTheSame(workload: String) throws {
        let folder = try TemporaryFolder()
        let digests = try ["api", "engine"].map { layer in
            let outcome = try run(workload, layer, in: folder) { $0.count = 960 }
            #expect(outcome.results[0].operations >= 900)
            return outcome.results[0].digest
        }
        #expect(digests[0] != nil)
        #expect(digests[0] == digests[1])
    }

    /// Each workload compares its answer with one that is computed without a database.
    @Test(arguments: [
        "count", "count-aged", "prefix", "prefix-text", "date-range", "contains", "contains-text",
        "compound", "sum", "min-max", "average", "group", "sort", "sort-text", "sort-all",
        "iterate-filtered", "backlinks", "links-query",
    ])
    func bothLayersAnswerRight(workload: String) throws {
        let folder = try TemporaryFolder()
        let digests = try ["api", "engine"].map { layer in
            let outcome = try run(workload, layer, in: folder) { $0.count = 600 }
            #expect(outcome.results[0].operations == 600)
            return outcome.results[0].digest
        }
        #expect(digests[0] != nil)
        #expect(digests[0] == digests[1])
    }

    /// Each pass is compared with a count of the same values in plain Swift.
    @Test func columnsOfNarrowAndWideTablesAreScannedAlike() throws {
        let folder = try TemporaryFolder()
        let outcomes = try ["3-properties", "30-properties"].map {
            try run("scan-column", $0, size: 2000, in: folder) { $0.count = 6000 }
        }
        #expect(outcomes.map(\.results[0].digest).allSatisfy { $0 != nil })
        #expect(outcomes[0].results[0].digest == outcomes[1].results[0].digest)
        for outcome in outcomes {
            #expect(outcome.results.map(\.operations) == [6000, 6000])
            #expect(outcome.results[1].identifier.engine == "control")
        }
    }

    @Test func typedQueriesFindTheSame() throws {
        let folder = try TemporaryFolder()
        let digests = try ["lookup-indexed", "lookup-typed"].map {
            try run($0, "api", in: folder) { $0.count = 320 }.results[0].digest
        }
        #expect(digests[0] != nil)
        #expect(digests[0] == digests[1])
    }

    /// A query asks for ten numbers, or a hundred neighbours, which is more than there are persons.
    @Test(arguments: ["lookup-in", "lookup-range"], [1, 7])
    func indexedQueriesOfFewPersonsAreRight(workload: String, size: Int) throws {
        let folder = try TemporaryFolder()
        for layer in ["api", "engine"] {
            #expect(
                try run(workload, layer, size: size, in: folder) { $0.count = 32 }.results[0]
                    .operations == 32)
        }
    }

    /// Each answer is compared after each change. The digest covers all answers.
    @Test func answersAfterChangesAreTheSame() throws {
        let folder = try TemporaryFolder()
        let digests = try ["api", "engine", "live"].map { strategy in
            let result = try run("query-refresh", strategy, size: 40, in: folder) {
                $0.count = 120
            }.results[0]
            #expect(result.operations == 120)
            return result.digest
        }
        #expect(digests[0] != nil)
        #expect(Set(digests).count == 1)
    }

    @Test(arguments: [
        "commit", "update", "update-all", "set-values", "delete-half", "links-build", "compact",
    ])
    func bothLayersWriteTheSame(workload: String) throws {
        let folder = try TemporaryFolder()
        let digests = try ["api", "engine"].map { layer in
            let outcome = try run(workload, layer, in: folder) { $0.count = 100 }
            #expect(try problems(outcome) == [])
            return outcome.results[0].digest
        }
        #expect(digests[0] != nil)
        #expect(digests[0] == digests[1])
    }

    @Test func linksInAnotherOrderFailTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("links-build", "engine", in: folder) { $0.count = 100 }
        let expectation = try #require(
            try outcome.verification?.expectation(as: LinksExpectation.self))
        let connection = try Connection(Database.open(path: expectation.path))
        let owners = try #require(try connection.table(named: "LinkOwner"))
        var firsts: [ObjectKey] = []
        try owners.forEachLeaf { leaf, _ in
            firsts.append(owners.key(at: RowLocation(leaf: leaf, row: 0)))
            return false
        }
        try connection.beginWrite()
        try owners.list(0, of: firsts[0]).move(from: 3, to: 40)
        try connection.commit()
        #expect(
            try expectation.problems()
                == ["The lists do not hold the links that were written, in their order."])
    }

    @Test(arguments: ["api", "engine"])
    func concurrentCommitsLoseNothing(layer: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try run("concurrent-commit", layer, size: nil, in: folder) {
            $0.count = 60
            $0.threads = 6
        }
        #expect(outcome.results.map(\.operations) == [60, 60])
        #expect(outcome.results[1].identifier.engine == "control")
        #expect(outcome.results[0].measure("ratio_to_control") != nil)
        #expect(try problems(outcome) == [])
        let other = try TemporaryFolder()
        let timed = try run("concurrent-commit", layer, size: nil, in: other) {
            $0.seconds = 0.2
            $0.threads = 3
        }
        #expect(timed.results[0].operations > 0)
        #expect(timed.results[0].digest == nil)
        #expect(try problems(timed) == [])
    }

    @Test(arguments: ["api", "engine"])
    func readersAndAWriterDisturbNobodysResult(layer: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try run("read-while-writing", layer, in: folder) {
            $0.seconds = 0.3
            $0.threads = 2
        }
        #expect(outcome.results[0].operations > 0)
        #expect(try #require(outcome.results[0].measure("writer_commits_per_s")) > 0)
        #expect(try problems(outcome) == [])
    }

    @Test(arguments: ["position", "sort", "query", "sorted-position"])
    func pagesOfTheStudioAreReadBesideAWriter(strategy: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try run("table-page", strategy, in: folder) { $0.count = 20 }
        #expect(outcome.results[0].operations == 20)
        #expect(outcome.results[0].measure("commits") ?? 0 > 0)
        #expect(try problems(outcome) == [])
    }

    /// As many threads on few processors do. In the time of one of them, the rate would be four
    /// times as high.
    @Test func readersThatTakeTurnsAreCountedInTheTimeOfAll() throws {
        let turns = (0..<4).map { turn in
            var part = ReadWhileWritingWorkload.Part()
            let start = UInt64(turn) * 1_000_000_000
            part.interval = ClockInterval(start: start, end: start + 1_000_000_000)
            part.operations = 320
            return part
        }
        let benchmarkCase = try #require(
            try WorkloadCatalogue.makeCase(
                of: WorkloadCatalogue.workload(named: "read-while-writing"), strategy: "engine",
                durability: .full, size: 300, options: CaseOptions()))
        var result = CaseResult(benchmarkCase)
        ReadWhileWritingWorkload.fill(&result, with: turns)
        #expect(result.operations == 1280)
        #expect(result.elapsedSeconds == 4)
        #expect(result.throughput == 320)
    }

    @Test func compactingTellsWhatItTakes() throws {
        let folder = try TemporaryFolder()
        // 300 objects and a count of 900 make three rounds.
        let result = try run("compact", "engine", in: folder) { $0.count = 900 }.results[0]
        #expect(result.operations == 900)
        #expect(try #require(result.measure("bytes_before")) > 0)
        #expect(try #require(result.measure("bytes_after")) > 0)
        #expect(try #require(result.measure("extra_bytes_max")) > 0)
    }

    @Test func coldReadsNeedAFileSystemOnADisk() throws {
        let folder = try TemporaryFolder()
        // Files of tmpfs exist only in the page cache, so they cannot be read cold.
        if try fileSystem(of: folder.path) == "tmpfs" {
            #expect(throws: BenchmarkError.self) { try run("count-cold", "engine", in: folder) }
        } else {
            #expect(try run("count-cold", "engine", in: folder).results[0].operations == 300)
            let digests = try ["api", "engine"].map {
                try run("lookup-cold", $0, in: folder) { $0.count = 20 }.results[0].digest
            }
            #expect(digests[0] == digests[1])
        }
    }

    /// Returns the type of the file system that is mounted at the longest mount point above a path.
    private func fileSystem(of path: String) throws -> String? {
        let mounts = try String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
        var found: (point: String, type: String)?
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count > 2, path.hasPrefix(fields[1]) else { continue }
            if fields[1].count >= found?.point.count ?? 0 { found = (fields[1], fields[2]) }
        }
        return found?.type
    }

    @Test func changedPersonsFailTheProof() throws {
        let folder = try TemporaryFolder()
        let outcome = try run("insert-int-key", "engine", size: 50, in: folder)
        #expect(try problems(outcome) == [])
        let path = folder.path + "/insert-int-key-engine/database/persons"
        let store = try RealmTableEngine().openPersons(at: path, .integerKey, .full)
        let age = try #require(try store.person(number: 9)).age
        try store.updateAge(number: 9, to: (age + 1) % 100)
        #expect(try problems(outcome).count == 1)
        try store.updateAge(number: 9, to: age)
        #expect(try problems(outcome) == [])
        try store.delete(numbers: [9])
        #expect(try problems(outcome).count == 2)
    }

    @Test func whatIsMissingIsUnsupportedWithAReason() throws {
        func reason(_ workload: String, _ layer: String, _ durability: Durability = .full) throws
            -> String?
        {
            try WorkloadCatalogue.makeCase(
                workload: workload, strategy: layer, durability: durability, size: nil,
                options: CaseOptions())?.unsupported
        }
        #expect(try #require(try reason("lookup-typed", "engine")).hasSuffix("."))
        #expect(try reason("lookup-typed", "api") == nil)
        #expect(try reason("query-refresh", "live") == nil)
        #expect(try reason("iterate", "api") == nil)
        #expect(try reason("insert-indexed", "api") == nil)
        #expect(try reason("count", "engine") == nil)
        #expect(try reason("commit", "api", .relaxed) == nil)
        #expect(try reason("commit", "api", .memory) != nil)
    }

    /// The gate counts the first suite. It times the second in this program only.
    @Test func suitesOfTheGateHaveNoCaseThatItCannotRun() throws {
        let counted = try Suite.load("counted").expanded(overriding: OptionOverrides())
        let unsteady = counted.filter { $0.unsupported == nil && !$0.isDeterministic }
        #expect(unsteady.map(\.name) == [])
        let timed = try Suite.load("timed").expanded(overriding: OptionOverrides())
        #expect(try !timed.contains { try $0.usesSystemAllocator() })
    }

    @Test func suitesGiveConcurrentWorkloadsTheirThreads() throws {
        let suite = Suite(
            name: "s", description: "d",
            cases: [
                Suite.Entry(workload: "concurrent-commit"),
                Suite.Entry(workload: "read-while-writing", threads: 5),
            ])
        let threads = try suite.expanded(overriding: OptionOverrides()).map(\.options.threads)
        #expect(threads == [64, 64, 5, 5])
        let asked = try suite.expanded(overriding: OptionOverrides(threads: 1))
        #expect(asked.allSatisfy { $0.options.threads == 1 })
    }
}
