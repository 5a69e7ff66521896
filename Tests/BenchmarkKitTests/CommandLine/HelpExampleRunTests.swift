import ArgumentParser
import Foundation
import RealmTool
import Testing
import ToolSupport

@testable import BenchmarkKit
@testable import StressKit

/// Every command that a help text of the runner shows is run, by a shell, in a folder that has what
/// the commands name.
@Suite(
    .serialized,
    .disabled(
        if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] != nil,
        "The program is linked with jemalloc, and a sanitizer replaces malloc as well."))
struct HelpExampleRunTests {
    /// What is not run here, and why. Each of them has to be in a help text.
    private static let notRun = [
        "realm-bench selftest": "takes half an hour at least",
        "realm-bench selftest --minutes 10":
            "times 280 processes even with --quick and one row, half a minute of processor time",
        "realm-bench selftest --counted --instructions --times 10":
            "counts the instructions of a case thirteen times, by valgrind",
        "realm-bench-peers run insert --engine realm,sqlite --durability full,relaxed":
            "is of the program of another package, Benchmarks/Peers",
        "scripts/stress selftest": "builds the library anew, with planted bugs",
        "scripts/stress selftest --bug skip-sync --bug lock-not-robust --for 20s":
            "builds the library anew, with planted bugs",
    ]

    /// How much an example does here: the values of options that say how long, or how often.
    private static let shorter = [
        "--seconds": "0.1", "--count": "200", "--for": "1s", "--runs": "2",
    ]

    /// What is added to an example so that it ends soon.
    private static let added = [
        "realm-bench selftest --counted --filter '^insert/'": "--times 1 --minutes 1",
        "realm-bench selftest --from results/selftest-20260131T235959Z.csv": "--quick --trials 5",
        "realm-bench stress run": "--for 1s",
    ]

    /// The exit codes other than 0 that an example may end with.
    private static let codes: [String: Set<Int32>] = [
        // So few trials may miss anything.
        "realm-bench selftest --from results/selftest-20260131T235959Z.csv": [0, 2]
    ]

    private static func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(all)
    }

    /// The examples of all help texts, each once, in the order in which they are shown.
    private static var examples: [String] {
        var examples: [String] = []
        for command in all(RealmBenchCommand.self) + all(StressCommand.self)
        where command != PinsCommand.self {
            let parts = command.configuration.discussion.components(separatedBy: "EXAMPLES\n")
            // A remark follows after several spaces.
            for line in parts.dropFirst().joined().components(separatedBy: "\n\n")[0]
                .split(separator: "\n")
            {
                let text = line.drop { $0 == " " }.components(separatedBy: "   ")[0]
                if !examples.contains(text) { examples.append(text) }
            }
        }
        return examples
    }

    private static func shortened(_ example: String) -> String {
        var words = example.components(separatedBy: " ")
        for index in words.indices.dropFirst() {
            if let value = shorter[words[index - 1]] { words[index] = value }
        }
        return (words + (added[example].map { [$0] } ?? [])).joined(separator: " ")
    }

    @Test func everyExampleRuns() throws {
        let place = try ExamplePlace()
        let canRecord = if case .perf = try? Profiler.available() { true } else { false }
        let examples = Self.examples
        #expect(examples.count > 40)
        #expect(Set(Self.notRun.keys).isSubset(of: examples), "which is in no help text")
        #expect(Set(Self.added.keys).isSubset(of: examples), "which is in no help text")
        for example in examples where Self.notRun[example] == nil {
            // Callgrind would take a minute, and nothing may be there at all.
            if example.contains("--profile"), !canRecord { continue }
            let isNew = example.hasPrefix("realm-bench init ")
            let ended = try place.run(Self.shortened(example), in: isNew ? "new" : "package")
            #expect(
                (Self.codes[example] ?? [0]).contains(ended.code),
                "\(example) ended with \(ended.code): \(ended.text)")
        }
        // Those that write files have written them.
        for file in [
            "sweep.md", "changes.html", "changes.csv", "gate.md", "gate.xml", "tables.md",
            "history.html", "a.svg", "history.csv", "_realm-bench", "suite.schema.json",
        ] {
            let path = "\(place.path)/package/\(file)"
            #expect(try !Data(contentsOf: URL(fileURLWithPath: path)).isEmpty, "\(file)")
        }
    }
}

/// A folder with what the examples name: a package with short suites, runs, a baseline and
/// documents; a checkout of the library, and another build of the program beside it.
private final class ExamplePlace {
    /// Returns the suite that stands under a name. That of times has one row, of which each side is
    /// run thirty times.
    private static func suite(_ name: String) -> String {
        let cases =
            name == "timed"
            ? """
            {"workload": "insert", "strategies": ["engine"], "size": 200, "batch_size": 100}
            """
            : """
            {"workload": "insert", "strategies": ["api", "engine"], "size": 200, "batch_size": 100},
            {"workload": "sensors", "strategies": ["dedicated-thread", "batched"], "count": 100}
            """
        return #"{"name": "\#(name)", "description": "a short one", "cases": [\#(cases)]}"#
    }

    private let folder: TemporaryFolder
    private let environment: [String: String]
    var path: String { folder.path }

    init() throws {
        folder = try TemporaryFolder()
        let files = FileManager.default
        let checkout = try ResourceLocator.packageDirectory().path
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = "\(folder.path)/bin:\(environment["PATH"] ?? "")"
        environment["HOME"] = folder.path + "/home"
        environment["SHELL"] = "/bin/bash"
        environment["XDG_DATA_HOME"] = nil
        environment["XDG_CONFIG_HOME"] = nil
        self.environment = environment
        for name in [
            "bin", "home", "before/.build/release", "package/Benchmarks/Suites",
            "package/docs", "package/results/reference",
        ] {
            try files.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        let links = [
            ("bin/realm-bench", BenchmarkProcess.program),
            ("before/.build/release/realm-bench", BenchmarkProcess.program),
            ("realm-swift-linux", checkout),
            ("package/Benchmarks/Data", checkout + "/Benchmarks/Data"),
            (
                "package/results/reference/run",
                checkout + "/Tests/BenchmarkKitTests/Fixtures/run"
            ),
        ]
        for (name, target) in links {
            try files.createSymbolicLink(
                atPath: "\(folder.path)/\(name)", withDestinationPath: target)
        }
        for name in try files.contentsOfDirectory(atPath: checkout + "/Benchmarks/Suites") {
            try write(
                Self.suite(name.replacing(".json", with: "")),
                to: "package/Benchmarks/Suites/" + name)
        }
        try write(
            "<!-- bench:cases run workload=insert -->\n<!-- /bench:cases -->\n",
            to: "package/docs/results.md")
        try files.copyItem(
            atPath: checkout + "/docs/reliability.md",
            toPath: folder.path + "/package/docs/reliability.md")
        try makeRuns()
        try makeNoiseFloor()
        try makePool(of: checkout)
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }

    /// Runs a line in a shell. In the folder `new`, which is made anew, there is nothing.
    func run(_ line: String, in name: String) throws -> (code: Int32, text: String) {
        let working = "\(folder.path)/\(name)"
        if name == "new" {
            try? FileManager.default.removeItem(atPath: working)
            try FileManager.default.createDirectory(
                atPath: working, withIntermediateDirectories: true)
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = URL(fileURLWithPath: working)
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.remainingBytes(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// The runs that are named, and a baseline.
    private func makeRuns() throws {
        let made = folder.path + "/runs"
        for line in [
            "realm-bench run --suite counted --output \(made)",
            "realm-bench baseline save counted --from \(made)/*",
        ] {
            let ended = try run(line, in: "package")
            try #require(ended.code == 0, "\(ended.text)")
        }
        let files = FileManager.default
        let name = try #require(files.contentsOfDirectory(atPath: made).first)
        for copy in [
            "RUN1", "RUN2", "results/RUN", "results/RUN1", "results/RUN2", "results/RUN3",
            "results/20260131T120000Z-4711", "results/20260131T235959Z-4711",
        ] {
            try files.copyItem(
                atPath: "\(made)/\(name)", toPath: "\(folder.path)/package/\(copy)")
        }
    }

    /// Without one, nothing could be gated by its time. It is so high that two builds that are one
    /// hardly differ by chance.
    private func makeNoiseFloor() throws {
        let suite = folder.path + "/package/Benchmarks/Suites/timed.json"
        let cases = try BenchmarkKit.Suite.load(suite).expanded(overriding: OptionOverrides())
        let rows = cases.map { benchmarkCase in
            let floor = NoiseFloors.Row(
                floor: 0.04, runs: TimedPolicy().runs, options: benchmarkCase.options.fingerprint)
            return (benchmarkCase.identifier.description, floor)
        }
        let store = try BaselineStore(path: folder.path + "/package/results/baselines")
        _ = try store.save(
            NoiseFloors(
                key: .current(path: folder.path + "/package/results"),
                rows: Dictionary(uniqueKeysWithValues: rows)))
    }

    /// A row of a published pool.
    private func makePool(of checkout: String) throws {
        let ended = try run(
            "gunzip -c \(checkout)/results/reference/2026-11-28-selftest/pool.csv.gz"
                + " | grep -E '^schema|,property-read/same-module/'"
                + " > results/selftest-20260131T235959Z.csv", in: "package")
        try #require(ended.code == 0, "\(ended.text)")
    }
}
