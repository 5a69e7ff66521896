import ArgumentParser
import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct CommandLineTests {
    @Test func allOptionsAreParsed() throws {
        let command = try #require(
            try RealmBenchCommand.parseAsRoot([
                "run", "batched", "--suite", "quick", "--seconds", "2.5", "--sensors", "20",
                "--batch-size", "50", "--threads", "4", "--payload", "100", "--seed", "9",
                "--warmup", "1", "--runs", "3", "--path", "/p", "--output", "/o", "--input",
                "synthetic", "--filter", "sens", "--dry-run", "--engine", "realm",
                "--encrypt", "--sweep", "size=1,2", "--sweep",
                "durability=full", "--export-markdown", "/m", "--export-json", "/j",
            ]) as? RunCommand)
        #expect(command.names == ["batched"])
        #expect(
            command.options.overrides
                == OptionOverrides(
                    engines: ["realm"], isEncrypted: true,
                    seconds: 2.5, sensors: 20, batchSize: 50, threads: 4, payload: 100, seed: 9,
                    warmup: 1, input: "synthetic",
                    sweeps: [try Sweep("size=1,2"), try Sweep("durability=full")]))
        #expect(command.exportMarkdown == "/m")
        #expect(command.exportJson == "/j")
        #expect(command.runs == 3)
        #expect(command.dryRun)
    }

    @Test(arguments: [
        ["run", "--seconds", "0"], ["run", "--count", "-1"], ["run", "--batch-size", "0"],
        ["run", "--threads", "0"], ["run", "--payload", "-1"], ["run", "--warmup", "-1"],
        ["run", "--runs", "0"], ["run", "--seconds", "many"], ["run", "--no-such-option"],
        ["run", "--seconds", "1", "--count", "1"], ["run", "--seconds", "nan"],
        ["run", "--warmup", "inf"], ["run", "--batch-size", "99999999999"], ["nonsense"],
    ])
    func mistakesAreUsageErrors(arguments: [String]) {
        do {
            _ = try RealmBenchCommand.parseAsRoot(arguments)
            Issue.record("accepted: \(arguments)")
        } catch {
            #expect(RealmBenchCommand.exitCode(for: error).rawValue == 64)
        }
    }

    @Test func namesChooseCases() throws {
        func chosen(_ arguments: String...) throws -> [String] {
            let command = try #require(
                try RealmBenchCommand.parseAsRoot(["run"] + arguments) as? RunCommand)
            return try command.chosenCases().map { $0.identifier.description }
        }
        #expect(try chosen("batched") == ["sensors/batched/full/plain/50000/realm"])
        #expect(
            try chosen("insert")
                == ["api", "engine", "api-system-malloc"].map {
                    "insert/\($0)/full/plain/1000000/realm"
                })
        #expect(try chosen("insert/api") == ["insert/api/full/plain/1000000/realm"])
        #expect(try chosen("--filter", "^lookup/.*/realm$").count == 2)
        #expect(
            try chosen("batched", "--sensors", "7") == [
                "sensors/batched/full/plain/70000/realm"
            ])
        #expect(throws: BenchmarkError.self) { try chosen("batchd") }
        #expect(throws: BenchmarkError.self) { try chosen("--filter", "nothing-like-it") }
        #expect(throws: BenchmarkError.self) { try chosen("--filter", "(") }
        #expect(throws: BenchmarkError.self) { try chosen("--suite", "qick") }
    }

    @Test func suggestionsAreClose() {
        let names = ["batched", "dedicated-thread", "current"]
        #expect(NameSuggestion.closest(to: "bached", among: names) == ["batched"])
        #expect(NameSuggestion.closest(to: "dedicated", among: names) == ["dedicated-thread"])
        #expect(NameSuggestion.closest(to: "zzzzzzzz", among: names) == [])
        #expect(NameSuggestion.editDistance("kitten", "sitting") == 3)
    }

    @Test func everySuiteOfThePackageIsValid() throws {
        let names = try Suite.available()
        #expect(Set(names).isSuperset(of: ["default", "quick", "full"]))
        for name in names {
            let suite = try Suite.load(name)
            #expect(suite.name == name)
            // The engines of the peers are in another program.
            let usesPeers = suite.cases.contains { $0.engines?.contains("sqlite") == true }
            let cases = try suite.expanded(
                overriding: OptionOverrides(engines: usesPeers ? ["realm"] : nil))
            #expect(!cases.isEmpty)
            #expect(Set(cases.map(\.identifier)).count == cases.count)
        }
    }

    @Test func theCommandLineWinsOverTheSuite() throws {
        let entry = Suite.Entry(
            workload: "sensors", strategies: ["batched"], seconds: 3, batchSize: 10)
        let suite = Suite(name: "s", description: "d", cases: [entry])
        let plain = try suite.expanded(overriding: OptionOverrides())[0].options
        #expect(plain.seconds == 3)
        #expect(plain.batchSize == 10)
        let changed = try suite.expanded(
            overriding: OptionOverrides(count: 5, batchSize: 20))[0].options
        #expect(changed.count == 5)
        #expect(changed.batchSize == 20)
    }

    @Test func aSuiteWithUnknownNamesIsAUsageError() throws {
        for entry in [
            Suite.Entry(workload: "sensor"),
            Suite.Entry(workload: "sensors", strategies: ["bached"]),
            Suite.Entry(workload: "sensors", batchSize: 0),
            Suite.Entry(workload: "insert", size: -1),
        ] {
            let suite = Suite(name: "s", description: "d", cases: [entry])
            #expect(throws: BenchmarkError.self) {
                try suite.expanded(overriding: OptionOverrides())
            }
        }
    }

    @Test func aBrokenSuiteFileIsAUsageError() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/broken.json"
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        #expect(throws: BenchmarkError.self) { try Suite.load(file) }
        #expect(throws: BenchmarkError.self) { try Suite.load(folder.path + "/missing.json") }
    }
}

@Suite struct ReportTests {
    @Test func rowsAreInTheFileAtOnce() throws {
        let folder = try TemporaryFolder()
        let directory = try RunFolderWriter(parent: folder.path)
        var result = ColumnTests.result()
        result.measure("commits", 3)
        try directory.append(result)
        let text = try String(contentsOfFile: directory.path + "/summary.csv", encoding: .utf8)
        let records = try CSV.parse(text)
        #expect(records.count == 2)
        #expect(records[0].fields == ColumnCatalogue.header)
        let measures = try CSV.parse(
            String(contentsOfFile: directory.path + "/measures.csv", encoding: .utf8))
        #expect(measures[1].fields.suffix(3) == ["commits", "3", ""])
    }

    @Test func everyMeasureOfARowIsInTheCatalogue() {
        // The names that workloads use are checked in debug builds, when a row is written.
        let names = MeasureCatalogue.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test func tablesAreAligned() {
        var table = TextTable(header: ["name", "n"])
        table.rows = [["a", "1"], ["longer", "100"]]
        #expect(
            table.lines() == [
                "name      n", "------  ---", "a         1", "longer  100",
            ])
    }

    @Test func numbersReadWell() {
        #expect(Display.number(1_234_567.4) == "1,234,567")
        #expect(Display.number(0.5) == "0.5000")
        #expect(Display.number(nil) == "")
        #expect(Display.grouped(-1000) == "-1,000")
        #expect(Display.bytes(1_500_000) == "1.5 MB")
    }

    @Test func theGateBoundsWhatIsInFlight() {
        let gate = InFlightGate(capacity: 4)
        for _ in 0..<4 { gate.enter() }
        #expect(!gate.isEmpty)
        let passed = ThreadGroup()
        passed.start(name: "waits") { gate.enter() }
        #expect(!passed.isFinished)
        gate.leave(4)
        while !passed.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        gate.leave(1)
        #expect(gate.isEmpty)
        gate.waitUntilEmpty()
    }
}
