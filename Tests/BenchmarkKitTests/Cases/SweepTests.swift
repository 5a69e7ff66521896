import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct SweepTests {
    private func cases(
        _ entry: Suite.Entry, _ sweeps: String...,
        change: (inout OptionOverrides) -> Void = { _ in }
    ) throws -> [BenchmarkCase] {
        var overrides = OptionOverrides(sweeps: try sweeps.map { try Sweep($0) })
        change(&overrides)
        return try Suite(name: "s", description: "d", cases: [entry])
            .expanded(overriding: overrides)
    }

    @Test func severalSweepsMultiply() throws {
        let found = try cases(
            Suite.Entry(workload: "sensors", strategies: ["current"]), "threads=1,2",
            "payload=0,10,20")
        #expect(
            found.map(\.sweep) == [
                "threads=1;payload=0", "threads=1;payload=10", "threads=1;payload=20",
                "threads=2;payload=0", "threads=2;payload=10", "threads=2;payload=20",
            ])
        #expect(found.map(\.options.threads) == [1, 1, 1, 2, 2, 2])
        #expect(found.map(\.options.payload) == [0, 10, 20, 0, 10, 20])
        // The cases share their id, so their files need different names.
        #expect(Set(found.map(\.identifier)).count == 1)
        #expect(Set(found.map(\.fileName)).count == 6)
        #expect(found.allSatisfy { !$0.fileName.contains("/") })
    }

    @Test func sizeAndDurabilityCanBeSwept() throws {
        let entry = Suite.Entry(workload: "insert", strategies: ["api"], size: 5)
        let sized = try cases(entry, "size=10,20")
        #expect(sized.map(\.identifier.size) == [10, 20])
        let relaxed = try cases(entry, "durability=full,relaxed")
        #expect(relaxed.map(\.identifier.durability) == [.full, .relaxed])
        let named = try cases(entry, "engine=realm")
        #expect(named.map(\.sweep) == ["engine=realm"])
    }

    @Test func withoutSweepsThereIsOnePoint() throws {
        let plain = try cases(Suite.Entry(workload: "sensors", strategies: ["batched"]))
        #expect(plain.map(\.sweep) == [""])
        #expect(plain[0].fileName == "sensors-batched-full-plain-50000-realm")
    }

    @Test(arguments: [
        "threads", "thread=1", "threads=", "threads=1,,2", "threads=1,1", "threads=many",
        "threads=0", "payload=-1", "size=0", "durability=ful", "engine=rielm", "input=a", "=1",
    ])
    func mistakesAreUsageErrors(text: String) {
        do {
            _ = try Sweep(text)
            Issue.record("accepted: \(text)")
        } catch {
            #expect((error as? BenchmarkError)?.code == .usage)
        }
    }

    @Test func nearNamesAreSuggested() {
        for (text, says) in [
            ("thread=1", "Did you mean threads?"), ("durability=ful", "Did you mean full?"),
            ("engine=rielm", "Did you mean realm?"), ("engine=sqlite", "realm-bench-peers"),
        ] {
            #expect(throws: BenchmarkError.self) {
                do { _ = try Sweep(text) } catch let error as BenchmarkError {
                    #expect(error.message.contains(says), "\(error.message)")
                    throw error
                }
            }
        }
    }
}

@Suite struct CaseGroupTests {
    private func benchmarkCase(
        _ workload: String, _ strategy: String, engine: String = "realm", size: Int = 1,
        threads: Int = 1
    ) -> BenchmarkCase {
        var options = CaseOptions()
        options.threads = threads
        return BenchmarkCase(
            identifier: CaseIdentifier(
                workload: workload, strategy: strategy, size: size, engine: engine),
            layer: "api", options: options)
    }

    @Test func strategiesAndEnginesOfAWorkloadAreOneGroup() {
        let groups = CaseGroup.groups(of: [
            benchmarkCase("insert", "api"), benchmarkCase("lookup", "api"),
            benchmarkCase("insert", "engine"), benchmarkCase("insert", "api", engine: "sqlite"),
            benchmarkCase("insert", "api", size: 2), benchmarkCase("insert", "api", threads: 2),
        ])
        #expect(groups.map(\.cases.count) == [3, 1, 1, 1])
        #expect(groups[0].cases.map(\.identifier.engine) == ["realm", "realm", "sqlite"])
    }

    @Test func onlyWhereNoEnginesAreComparedAControlTakesTurns() {
        let groups = CaseGroup.groups(of: [
            benchmarkCase("insert", "api"), benchmarkCase("insert", "engine"),
            benchmarkCase("commit", "engine"), benchmarkCase("commit", "engine", engine: "sqlite"),
        ])
        let controls = groups.map { $0.cases.map(\.options.hasControl) }
        #expect(controls == [[true, true], [false, false]])
    }

    @Test func everySecondRoundIsReversed() {
        let group = CaseGroup(cases: ["a", "b", "c"].map { benchmarkCase("insert", $0) })
        #expect((0..<3).map { group.order(ofRound: $0) } == [[0, 1, 2], [2, 1, 0], [0, 1, 2]])
    }
}

@Suite struct RunExportTests {
    private let context = RunContext(runIdentifier: "r")

    @Test func markdownHasAHeaderARuleAndTheRows() {
        let table = TextTable(
            header: ["case", "ops/s"], rows: [["insert", "1"], ["lookup", "2"]])
        let lines = table.markdownText.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0].hasPrefix("| case | ops/s |"))
        #expect(lines[1].hasPrefix("| --- | ---: |"))
        #expect(Set(lines.map { $0.filter { $0 == "|" }.count }).count == 1)
    }

    @Test func jsonHasEveryColumnWithItsType() throws {
        struct Row: Decodable {
            var run_id: String
            var encrypted: Bool
            var threads: Int
            var throughput_ops_per_s: Double
            var latency_p50_us: Double?
            var digest: String
            var sweep: String?
        }
        var result = ColumnTests.result()
        result.operations = 3
        result.elapsedSeconds = 2
        // A digest of digits only, which is one in two thousand. It must stay a string.
        result.digest = "0123456789012345"
        let data = Data(try RunExport.json(of: [result], context: context).utf8)
        let row = try #require(try JSONDecoder().decode([Row].self, from: data).first)
        #expect(row.throughput_ops_per_s == 1.5)
        #expect(row.digest == "0123456789012345")
        #expect(row.latency_p50_us == nil && row.sweep == nil && !row.encrypted)
        let members = try #require(
            try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        #expect(Set(members[0].keys) == Set(ColumnCatalogue.header))
    }
}
