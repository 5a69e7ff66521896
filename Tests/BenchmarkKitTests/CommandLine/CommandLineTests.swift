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
        ["gate", "--runs", "20"], ["gate", "--threshold", "5"],
        ["gate", "--against", "x", "--baseline", "b"],
        ["selftest", "--from", "x", "--minutes", "1"], ["selftest", "--times", "5"],
        ["selftest", "--counted", "--quick"], ["selftest", "--counted", "--times", "0"],
        ["selftest", "--counted", "--trials", "400"],
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

    @Test func filtersMatchTheIdAsItIsPrinted() throws {
        let command = try #require(
            try RealmBenchCommand.parseAsRoot([
                "run", "batched", "--sweep", "batch-size=5,10", "--filter",
                "^sensors/batched/full/plain/50000/realm batch-size=5$",
            ]) as? RunCommand)
        #expect(try command.chosenCases().map(\.sweep) == ["batch-size=5"])
    }

    @Test(arguments: [
        (["commit/api", "--threads", "4"], "--threads has no effect on commit/api."),
        (["lookup", "--seconds", "4"], "--seconds has no effect on lookup/api, lookup/engine."),
        (["current", "--batch-size", "4"], "--batch-size has no effect on sensors/current."),
        (["current", "--seed", "4"], "--seed has no effect on sensors/current."),
        (["lookup", "--rate", "5"], "--rate has no effect on lookup/api"),
        (["insert", "--input", "synthetic"], "--input has no effect on insert/api"),
        (["count-cold", "--count", "4"], "--count has no effect on count-cold/api"),
        (["insert", "--observers", "4"], "--observers has no effect on insert/api"),
        (
            ["insert/api", "--sweep", "size=1,2", "--count", "4"],
            "--size has no effect on insert/api"
        ),
    ])
    func optionsWithoutEffectAreErrors(arguments: [String], says: String) throws {
        let command = try #require(
            try RealmBenchCommand.parseAsRoot(["run", "--dry-run"] + arguments) as? RunCommand)
        let error = #expect(throws: BenchmarkError.self) { try command.run() }
        #expect(error?.code == .usage)
        #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
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
            try chosen("--filter", "^sensors/batched/full/plain/50000/realm$").count == 1)
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
