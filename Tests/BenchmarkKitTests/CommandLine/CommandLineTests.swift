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
}
