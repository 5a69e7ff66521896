import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of the gate's exit codes, with the whole program.
@Suite(
    .serialized,
    .disabled(
        if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] != nil,
        "The program is linked with jemalloc, and a sanitizer replaces malloc as well."))
final class GateProcessTests {
    private let folder: TemporaryFolder
    private let suite: String
    /// Folder of the run that became the baseline.
    private let run: String
    private let baselines: String
    /// File that `baseline save` wrote.
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        suite = folder.path + "/small.json"
        baselines = folder.path + "/baselines"
        file = "\(baselines)/\(CountedKey.current.folderName)/counted.json"
        try Data(
            """
            {"name": "small", "description": "one row that repeats exactly", "cases": [
              {"workload": "insert", "strategies": ["engine"], "size": 500, "batch_size": 100}
            ]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let runs = folder.path + "/runs"
        let process = try BenchmarkProcess("run", "--suite", suite, "--output", runs)
        let text = process.text()
        try #require(process.exitCode() == 0, "\(text)")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: runs).first)
        run = "\(runs)/\(name)"
        let save = try BenchmarkProcess(
            "baseline", "save", "counted", "--from", run, "--baselines", baselines)
        let saved = save.text()
        try #require(save.exitCode() == 0, "\(saved)")
    }

    private func gate(_ options: String...) throws -> (code: Int32, text: String) {
        let process = try BenchmarkProcess(
            ["gate", "--suite", suite, "--baselines", baselines, "--output", folder.path + "/out"]
                + options)
        let text = process.text()
        return (process.exitCode(), text)
    }

    /// Changes the stored baseline to one that another version of the program could have written.
    private func edit(_ change: (inout [String: Any]) throws -> Void) throws {
        let url = URL(fileURLWithPath: file)
        var object = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
        try change(&object)
        try JSONSerialization.data(withJSONObject: object).write(to: url)
    }

    private func editRow(_ change: (inout [String: Any]) throws -> Void) throws {
        try edit { baseline in
            var rows = try #require(baseline["rows"] as? [[String: Any]])
            try change(&rows[0])
            baseline["rows"] = rows
        }
    }

    private func scale(_ metric: String, by factor: Double) throws {
        try editRow { row in
            var counted = try #require(row["counted"] as? [String: Double])
            counted[metric] = try #require(counted[metric]) * factor
            row["counted"] = counted
        }
    }

    @Test func severalRowsOfOneCaseAreNoBaseline() throws {
        try edit { baseline in
            let rows = try #require(baseline["rows"] as? [[String: Any]])
            var wrong = rows[0]
            wrong["counted"] = ["file_bytes": 1]
            baseline["rows"] = rows + [wrong]
        }
        let outcome = try gate()
        #expect(outcome.code == 6, "\(outcome.text)")
        #expect(outcome.text.contains("several rows of insert/engine"), "\(outcome.text)")
        let summary = run + "/summary.csv"
        let text = try String(contentsOfFile: summary, encoding: .utf8)
        let row = try #require(
            text.split(separator: "\r\n").first { $0.contains("/realm,") })
        try (text + row + "\r\n").write(toFile: summary, atomically: true, encoding: .utf8)
        for arguments in [
            ["baseline", "save", "other", "--from", run, "--baselines", baselines],
            ["compare", run, run],
        ] {
            let process = try BenchmarkProcess(arguments)
            let text = process.text()
            #expect(process.exitCode() == 6, "\(text)")
            #expect(text.contains("several rows of "), "\(text)")
        }
    }

    @Test func anUnchangedProgramPasses() throws {
        let outcome = try gate("--strict")
        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.text.contains("metrics of 1 rows compared: 0 grew, 0 shrank"))
    }

    @Test func otherProgramsReadTheOutcome() throws {
        func files(_ name: String) -> [String] {
            ["markdown", "json", "junit", "action"].flatMap {
                ["--export-\($0)", "\(folder.path)/\(name).\($0)"]
            }
        }
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
        }
        let options = [
            "gate", "--suite", suite, "--baselines", baselines, "--output", folder.path + "/out",
        ]
        let passed = try BenchmarkProcess(options + files("green"))
        #expect(passed.exitCode() == 0, "\(passed.text())")
        #expect(try text("green.markdown").contains("1 passed, 0 failed, 0 error, 0 skipped"))
        #expect(try text("green.junit").contains("tests=\"1\" failures=\"0\" errors=\"0\""))
        let figures = try #require(
            JSONSerialization.jsonObject(with: Data(try text("green.action").utf8))
                as? [[String: Any]])
        #expect(
            figures.contains {
                ($0["name"] as? String)?.hasSuffix("realm file_bytes") == true
                    && $0["unit"] as? String == "bytes" && $0["value"] is Double
            })
        try scale("file_bytes", by: 0.5)
        let failed = try BenchmarkProcess(options + files("red"))
        #expect(failed.exitCode() == 2, "\(failed.text())")
        #expect(try text("red.markdown").contains("| failed | file_bytes is "))
        #expect(try text("red.junit").contains("<failure message=\"file_bytes is "))
        #expect(try text("red.json").contains("\"status\" : \"failed\""))
    }

    /// With real cases and plants: whatever can be planted has to be found. Not with lookups of
    /// objects, of which a debug build counts two allocations more or less (docs/status.md).
    @Test func theCountedGateIsTriedOnItself() throws {
        let output = folder.path + "/selftest"
        let suite = folder.path + "/several.json"
        try Data(
            """
            {"name": "several", "description": "", "cases": [
              {"workload": "insert", "strategies": ["engine"], "size": 500, "batch_size": 100},
              {"workload": "sensors", "strategies": ["current"], "count": 300},
              {"workload": "lookup", "strategies": ["engine"], "size": 500, "count": 320}
            ]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let process = try BenchmarkProcess(
            "selftest", "--counted", "--times", "2", "--suite", suite, "--output", output)
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        #expect(text.contains("False alarms: 0 of 2 gates beside"), "\(text)")
        for line in ["allocation  ", "write  ", "page  "] {
            #expect(text.contains(line), "\(text)")
        }
        #expect(text.contains("2 of 2"), "\(text)")
        // The folders of gates that passed are removed.
        #expect(try FileManager.default.contentsOfDirectory(atPath: output) == [])
    }

    @Test func aMetricThatGrewIsARegression() throws {
        try scale("file_bytes", by: 0.5)
        let outcome = try gate()
        #expect(outcome.code == 2, "\(outcome.text)")
        #expect(outcome.text.contains("file_bytes"))
        #expect(outcome.text.contains("+100.00 %"))
        #expect(outcome.text.contains("grew, and did so again"))
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out")
        #expect(runs.count == 2 && runs.contains { $0.hasSuffix("-again") })
        #expect(outcome.text.contains("realm-bench baseline save counted --from"))
    }

    @Test func aBaselineOfSeveralRunsHasAllTheirValues() throws {
        let other = folder.path + "/runs/other"
        try FileManager.default.copyItem(atPath: run, toPath: other)
        let summary = URL(fileURLWithPath: other + "/summary.csv")
        var lines = try String(contentsOf: summary, encoding: .utf8).split(separator: "\r\n")
        let column = try #require(ColumnCatalogue.header.firstIndex(of: "file_bytes"))
        let position = try #require(lines.firstIndex { $0.contains("insert/engine/") })
        var fields = lines[position].split(separator: ",", omittingEmptySubsequences: false)
        fields[column] = "1"
        lines[position] = Substring(fields.joined(separator: ","))
        try Data((lines.joined(separator: "\r\n") + "\r\n").utf8).write(to: summary)
        let save = try BenchmarkProcess(
            "baseline", "save", "counted", "--from", run, "--from", other, "--from", run,
            "--baselines", baselines)
        let saved = save.text()
        #expect(save.exitCode() == 0, "\(saved)")
        #expect(saved.contains("file_bytes is"))
        #expect(saved.contains(" or 1"))
        let outcome = try gate("--strict")
        #expect(outcome.code == 0, "\(outcome.text)")
    }

    @Test func anImprovementFailsOnlyWhenStrict() throws {
        try scale("bytes_written_per_commit", by: 2)
        let lenient = try gate()
        #expect(lenient.code == 0, "\(lenient.text)")
        let strict = try gate("--strict")
        #expect(strict.code == 4, "\(strict.text)")
    }

    @Test func aDifferentDigestIsAWrongResult() throws {
        try editRow { $0["digest"] = "0000000000000000" }
        let outcome = try gate()
        #expect(outcome.code == 3, "\(outcome.text)")
        #expect(outcome.text.contains("digest"))
    }

    @Test func aMissingBaselineHasItsCode() throws {
        let outcome = try gate("--baseline", "other")
        #expect(outcome.code == 5, "\(outcome.text)")
        #expect(outcome.text.contains("realm-bench baseline save other"))
    }

    @Test func aBaselineOfAnotherToolchainIsRefused() throws {
        try FileManager.default.moveItem(
            atPath: baselines + "/" + CountedKey.current.folderName,
            toPath: baselines + "/other")
        try edit(at: baselines + "/other/counted.json")
        let outcome = try gate()
        #expect(outcome.code == 6, "\(outcome.text)")
        #expect(outcome.text.contains("Swift 5.0"))
        #expect(outcome.text.contains("Swift \(CountedKey.current.swift)"))
    }

    private func edit(at path: String) throws {
        let url = URL(fileURLWithPath: path)
        let text = try String(contentsOf: url, encoding: .utf8)
        try Data(
            text.replacing(
                "\"swift\" : \"\(CountedKey.current.swift)\"", with: "\"swift\" : \"5.0\""
            )
            .utf8
        ).write(to: url)
    }

    @Test func anOlderLayoutIsRefused() throws {
        try edit { $0["schema_version"] = 0 }
        let outcome = try gate()
        #expect(outcome.code == 6, "\(outcome.text)")
        #expect(outcome.text.contains("schema version 0"))
    }

    @Test func runsOfAnOlderLayoutAreRefused() throws {
        let same = try BenchmarkProcess("compare", run, run, "--export-json", run + "/c.json")
        let text = same.text()
        #expect(same.exitCode() == 0, "\(text)")
        #expect(text.contains("Times of \(run)"))
        #expect(text.contains("as fast") && text.contains("too few runs"))
        #expect(try String(contentsOfFile: run + "/c.json", encoding: .utf8).contains("passed"))
        let summary = URL(fileURLWithPath: run + "/summary.csv")
        var lines = try String(contentsOf: summary, encoding: .utf8).split(separator: "\r\n")
        lines[1] = "0" + lines[1].dropFirst()
        try Data((lines.joined(separator: "\r\n") + "\r\n").utf8).write(to: summary)
        let older = try BenchmarkProcess("compare", run, run)
        let message = older.text()
        #expect(older.exitCode() == 6, "\(message)")
        #expect(message.contains("schema version 0"))
    }

    @Test func aRunThatIsCutIsAnError() throws {
        for name in ["summary.csv", "measures.csv", "samples.csv"] {
            let copy = folder.path + "/cut-" + name
            try FileManager.default.copyItem(atPath: run, toPath: copy)
            let file = URL(fileURLWithPath: copy + "/" + name)
            try Data(contentsOf: file).dropLast(3).write(to: file)
            let process = try BenchmarkProcess("compare", run, copy)
            let text = process.text()
            #expect(process.exitCode() == 64, "\(text)")
            #expect(text.contains("\(name)' is cut"), "\(text)")
            // A report can be made of it.
            let report = try BenchmarkProcess("report", copy)
            #expect(report.exitCode() == 0, "\(report.text())")
        }
    }

    @Test func threeSidesAreComparedWithTheChosenOne() throws {
        let names = try (1...3).map { number -> String in
            let copy = folder.path + "/side-\(number)"
            try FileManager.default.copyItem(atPath: run, toPath: copy)
            return copy
        }
        let summary = URL(fileURLWithPath: names[2] + "/summary.csv")
        let text = try String(contentsOf: summary, encoding: .utf8)
        let own = try #require(text.split(separator: "\r\n").first { $0.contains("/realm,") })
        let other = own.replacing("insert/engine/", with: "insert/other/")
        try Data(text.replacing(own, with: other).utf8).write(to: summary)
        let json = try BenchmarkProcess(
            ["compare"] + names + ["--reference", names[1], "--format", "json"])
        let document = json.text()
        #expect(json.exitCode() == 0, "\(document)")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any])
        #expect(object["reference"] as? String == names[1])
        #expect(object["runs"] as? [String] == [names[0], names[2]])
        let values = try #require(object["values"] as? [[String: Any]])
        #expect(values.contains { $0["verdict"] as? String == "only here" })
        #expect(values.contains { $0["verdict"] as? String == "only in the reference" })
        let csv = try BenchmarkProcess(["compare"] + names + ["--format", "csv"])
        let rows = try CSVRow.rows(in: csv.text(), path: "csv", isWhole: true)
        #expect(rows.contains { $0["metric"] == "throughput_ops_per_s" && $0.number("ratio") == 1 })
        #expect(try BenchmarkProcess("compare", run).exitCode() == 64)
    }

    @Test func theHistoryOfRunsIsShown() throws {
        let files = [folder.path + "/history.html", folder.path + "/history.svg"]
        let process = try BenchmarkProcess(
            "history", folder.path + "/runs", "--metric", "file_bytes", "--all", "--page",
            files[0], "--picture", files[1])
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        #expect(text.contains("1 run: 0 metrics of 1 changed."), "\(text)")
        #expect(files.allSatisfy(FileManager.default.fileExists))
        // As runs were published once.
        let old = folder.path + "/runs/old"
        try FileManager.default.copyItem(atPath: run, toPath: old)
        try FileManager.default.removeItem(atPath: old + "/run.json")
        let both = try BenchmarkProcess("history", folder.path + "/runs")
        let told = both.text()
        #expect(both.exitCode() == 0 && told.contains("1 run without run.json"), "\(told)")
        #expect(told.contains("1 run: 0 metrics of "), "\(told)")
        for arguments in [["report", old], ["compare", run, old], ["history", old]] {
            let process = try BenchmarkProcess(arguments)
            let text = process.text()
            #expect(process.exitCode() == (arguments[0] == "history" ? 64 : 6), "\(text)")
            #expect(text.contains("run.json"), "\(text)")
        }
        let csv = try BenchmarkProcess("history", run, "--format", "csv")
        #expect(csv.text().contains("insert/engine/full/plain/500/realm,file_bytes,"))
        for (arguments, says) in [
            ([folder.path], "There is no run"), ([run, "--filter", "nothing"], "None of 1 run"),
            ([run, "--metric", "file_byte"], "Did you mean file_bytes"),
            ([run, "--picture", "x.svg"], "choose with --metric"),
        ] {
            let wrong = try BenchmarkProcess(["history"] + arguments)
            let text = wrong.text()
            #expect(wrong.exitCode() == 64 && text.contains(says), "\(text)")
        }
    }

    @Test func aGateOverNoRowIsNoPass() throws {
        let store = try BaselineStore(path: baselines)
        let key = TimedKey.current(path: folder.path)
        _ = try store.save(NoiseFloors(key: key, rows: [:]))
        let outcome = try gate("--against", BenchmarkProcess.program)
        #expect(outcome.code == 5, "\(outcome.text)")
        #expect(outcome.text.contains("has no stored noise floor: not gated."))
    }

    @Test func anExportedPlantDoesNotReachRuns() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: BenchmarkProcess.program)
        process.arguments = ["run", "--suite", suite, "--output", folder.path + "/planted"]
        // A case that reads this value traps.
        process.environment = ProcessInfo.processInfo.environment.merging([
            PlantedDelay.variable: "nonsense"
        ]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func mistakesAreNotVerdicts() throws {
        #expect(try gate("--filter", "(").code == 64)
        #expect(try gate("--against", "/nonexistent").code == 64)
        let unwritable = try gate("--output", "/proc/none")
        #expect(unwritable.code == 1, "\(unwritable.text)")
        // There are no measurements of this machine class yet.
        #expect(try gate("--against", "/bin/true").code == 5)
    }
}
