import Foundation
import Glibc
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of the whole program, with cases and proofs in processes of their own.
@Suite(
    .serialized,
    .disabled(
        if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] != nil,
        "The program is linked with jemalloc, and a sanitizer replaces malloc as well."))
struct RunProcessTests {
    /// Returns the only run directory in `folder`, and the records of its summary without the
    /// header.
    private func results(in folder: TemporaryFolder) throws -> (path: String, rows: [[String]]) {
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let path = folder.path + "/" + (try #require(runs.first))
        let text = try String(contentsOfFile: path + "/summary.csv", encoding: .utf8)
        return (path, try CSV.parse(text).dropFirst().map(\.fields))
    }

    private func databases(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix("databases") }
    }

    @Test(arguments: ["1", "3"])
    func theMainQueueWritesOnTheMainThread(producers: String) throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "main-queue", "--count", "120", "--threads", producers, "--output",
            folder.path)
        let text = process.text()
        // A block that runs on another thread ends the case with a failed precondition.
        #expect(process.exitCode() == 0, "\(text)")
        let (path, rows) = try results(in: folder)
        let status = try #require(ColumnCatalogue.header.firstIndex(of: "status"))
        let operations = try #require(ColumnCatalogue.header.firstIndex(of: "operations"))
        #expect(rows.map { $0[status] } == ["ok"])
        #expect(rows.map { $0[operations] } == ["120"])
        #expect(try databases(in: path) == [])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalKeepsFinishedRowsAndRemovesTheDatabases(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let suite = folder.path + "/two.json"
        try Data(
            """
            {"name": "two", "description": "one short, one long", "cases": [
              {"workload": "sensors", "strategies": ["batched"], "count": 20},
              {"workload": "sensors", "strategies": ["current"], "seconds": 600}
            ]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let results = try TemporaryFolder()
        let process = try BenchmarkProcess("run", "--suite", suite, "--output", results.path)
        #expect(process.waits(for: "[2/2]"))
        process.send(signal)
        #expect(process.exitCode() == 128 + signal)
        let (path, rows) = try self.results(in: results)
        #expect(rows.count == 1)
        #expect(try databases(in: path) == [])
        let page = try String(contentsOfFile: path + "/report.html", encoding: .utf8)
        #expect(page.contains("sensors/batched") && page.contains("ended early"))
    }

    @Test func aReaderThatGoesAwayEndsTheRunInOrder() throws {
        let folder = try TemporaryFolder()
        // Enough runs that they are not over before this thread wakes up.
        let process = try BenchmarkProcess(
            "run", "current", "batched", "--count", "20", "--runs", "50", "--output", folder.path)
        #expect(process.waits(for: "[1/"))
        process.stopReading()
        #expect(process.exitCode() == 128 + SIGPIPE)
        #expect(try databases(in: results(in: folder).path) == [])
    }

    @Test func aModelOfASuiteFileRunsAndIsProved() throws {
        let folder = try TemporaryFolder()
        let suite = folder.path + "/shop.json"
        try Data(shopSuite.utf8).write(to: URL(fileURLWithPath: suite))
        let results = try TemporaryFolder()
        let process = try BenchmarkProcess("run", "--suite", suite, "--output", results.path)
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        let rows = try self.results(in: results).rows
        let status = try #require(ColumnCatalogue.header.firstIndex(of: "status"))
        let id = try #require(ColumnCatalogue.header.firstIndex(of: "case_id"))
        #expect(rows.map { $0[status] } == ["ok", "ok"])
        #expect(
            rows.map { $0[id] } == [
                "test-shop/engine/full/plain/140/realm", "test-shop/engine/full/plain/70/realm",
            ])
    }

    @Test func twoRunsAtOnceDoNotMeet() throws {
        let folder = try TemporaryFolder()
        let runs = try (0..<2).map { _ in
            try BenchmarkProcess(
                "run", "batched", "--count", "50", "--output", folder.path, "--path",
                folder.path + "/files")
        }
        for run in runs {
            let text = run.text()
            #expect(run.exitCode() == 0, "\(text)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.count == 3)
        #expect(try databases(in: folder.path + "/files") == [])
    }

    @Test func mistakesHaveTheirExitCodes() throws {
        let folder = try TemporaryFolder()
        let garbage = folder.path + "/garbage.csv"
        try Data("city,location,date,parameter,value\na,b,c,d,1\n".utf8)
            .write(to: URL(fileURLWithPath: garbage))
        let binary = folder.path + "/binary.csv"
        try Data("city,location,date,parameter,value\n\u{e4}\n".utf8 + [0xFF, 0xFE])
            .write(to: URL(fileURLWithPath: binary))
        let impossible = folder.path + "/impossible.csv"
        try Data("city,location,date,parameter,value\na,b,2019-02-30 00:00:00,d,1\n".utf8)
            .write(to: URL(fileURLWithPath: impossible))
        let mistakes: [(arguments: [String], code: Int32, says: String)] = [
            (["--input", garbage], 64, "garbage.csv:2:"),
            (["--input", binary], 64, "binary.csv:3: not text"),
            (["--input", folder.path + "/missing.csv"], 64, "missing.csv"),
            (["--input", impossible], 64, "impossible.csv:2: '2019-02-30 00:00:00' is no date"),
            (["--input", folder.path], 64, "is a folder"),
            (["--input", "/dev/null"], 64, "is a pipe or a device"),
            (["--output", "/proc/results"], 1, "/proc/results"),
            (["--path", garbage + "/below"], 1, "garbage.csv/below"),
            (["--threads", "1000000"], 64, "--threads must be from 1 to 1024"),
            (["nonsense"], 64, "no workload, or case of the suite 'default', named 'nonsense'"),
            (["--engine", "rielm"], 64, "Did you mean realm?"),
            (["--engine", "sqlite"], 64, "realm-bench-peers has it"),
            (["--durability", "ful"], 64, "Did you mean full?"),
            (["--sweep", "thread=1"], 64, "Did you mean threads?"),
            (["--sweep", "count=1,2"], 64, "--count is given more than once"),
            (["--export-json", "/proc/none"], 1, "'/proc/none' cannot be written"),
        ]
        for mistake in mistakes {
            var arguments = ["run", "current", "--count", "5"] + mistake.arguments
            if !arguments.contains("--output") { arguments += ["--output", folder.path] }
            let process = try BenchmarkProcess(arguments)
            let text = process.text()
            #expect(process.exitCode() == mistake.code, "\(text)")
            #expect(text.contains(mistake.says), "\(text)")
        }
    }

    private func column(_ name: String, of rows: [[String]]) throws -> [String] {
        let position = try #require(ColumnCatalogue.header.firstIndex(of: name))
        return rows.map { $0[position] }
    }

    @Test func severalProcessesWriteOneFile() throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "processes", "current", "--count", "150", "--sensors", "5", "--output",
            folder.path)
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        let (path, rows) = try results(in: folder)
        #expect(try column("status", of: rows) == ["ok", "ok"])
        #expect(try column("operations", of: rows) == ["150", "150"])
        #expect(try column("threads", of: rows) == ["1", "2"])
        #expect(try column("deterministic", of: rows) == ["true", "false"])
        // The readings are the same, whether one process or two write them.
        #expect(Set(try column("digest", of: rows)).count == 1)
        // The measures add up both writing processes.
        for (name, least) in [("threads_max", 2.0), ("allocations_per_op", 1)] {
            let values = try column(name, of: rows).map { try #require(Double($0)) }
            #expect(values.allSatisfy { $0 >= 1 }, "\(name) \(values)")
            #expect(values[1] >= least, "\(name) \(values)")
        }
        let peaks = try column("rss_peak_bytes", of: rows).map { try #require(Double($0)) }
        #expect(peaks[1] > peaks[0])
        #expect(try databases(in: path) == [])
    }

    /// The verifying process and the writing processes need the key as well.
    @Test func encryptedCasesComeToTheSameContents() throws {
        let suites = try TemporaryFolder()
        let suite = suites.path + "/small.json"
        try Data(
            """
            {"name": "small", "description": "small files of all kinds", "cases": [
              {"workload": "sensors", "strategies": ["current", "processes"], "count": 60,
               "sensors": 5},
              {"workload": "insert", "size": 3000},
              {"workload": "compact", "size": 3000},
              {"workload": "links-build", "size": 3000}
            ]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        var digests: [[String]] = []
        for flags in [[], ["--encrypt"]] {
            let folder = try TemporaryFolder()
            let process = try BenchmarkProcess(
                ["run", "--suite", suite, "--output", folder.path] + flags)
            let text = process.text()
            #expect(process.exitCode() == 0, "\(text)")
            let (_, rows) = try results(in: folder)
            #expect(Set(try column("status", of: rows)) == ["ok"], "\(text)")
            #expect(Set(try column("encrypted", of: rows)) == [flags.isEmpty ? "false" : "true"])
            digests.append(try column("digest", of: rows))
        }
        #expect(digests[0] == digests[1] && digests[0].count >= 8)
    }

    @Test func theControlWithoutJemallocRunsInItsOwnProgram() throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "insert", "--filter", "^insert/api", "--count", "2000", "--output", folder.path)
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        let (path, rows) = try results(in: folder)
        let own = ["api", SystemAllocatorProgram.strategy].map { strategy in
            rows.filter { (try? column("strategy", of: [$0])) == [strategy] }
        }
        try #require(own.map(\.count) == [1, 1])
        let allocations = try column("allocations_per_op", of: own.flatMap { $0 })
        #expect(try #require(Double(allocations[0])) > 1)
        #expect(allocations[1] == "")
        #expect(try column("allocated_bytes_per_op", of: own[1]) == [""])
        #expect(Set(try column("digest", of: own.flatMap { $0 })).count == 1)
        #expect(try databases(in: path) == [])
    }

    /// The folder has only one of the two programs.
    @Test func whoLacksTheProgramWithoutJemallocIsToldHowToBuildIt() throws {
        let folder = try TemporaryFolder()
        let program = folder.path + "/realm-bench"
        // Copied by another process. In this one, a child that another test starts meanwhile would
        // inherit the descriptor of the copy, and a program that is open for writing cannot be run.
        let copying = try Process.run(
            URL(fileURLWithPath: "/bin/cp"), arguments: [BenchmarkProcess.program, program])
        copying.waitUntilExit()
        try #require(copying.terminationStatus == 0)
        let results = folder.path + "/results"
        let process = try BenchmarkProcess(
            program: program, ["run", "insert", "--count", "20", "--output", results])
        let text = process.text()
        #expect(process.exitCode() == 1, "\(text)")
        #expect(text.contains("\(folder.path)/realm-bench-system-malloc' is missing"), "\(text)")
        #expect(text.contains("swift build --traits Runner -c "), "\(text)")
        #expect(text.contains("--product realm-bench-system-malloc"), "\(text)")
        // No case was begun.
        #expect(!FileManager.default.fileExists(atPath: results))
        // Without the control, the second program is not needed.
        let others = try BenchmarkProcess(
            program: program, ["run", "insert/engine", "--count", "20", "--output", results])
        #expect(others.exitCode() == 0, "\(others.text())")
    }

    @Test func aCaseWithoutJemallocIsNotMeasuredWithIt() throws {
        let folder = try TemporaryFolder()
        let suite = folder.path + "/insert.json"
        try Data(
            """
            {"name": "insert", "description": "d", "cases": [{"workload": "insert", "size": 10}]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let process = try BenchmarkProcess(
            "time-case", "--suite", suite, "--case",
            "insert/\(SystemAllocatorProgram.strategy)/full/plain/10/realm",
            "--directory", folder.path, "--fixtures", folder.path)
        let text = process.text()
        #expect(process.exitCode() == 3, "\(text)")
        #expect(text.contains("a program that links jemalloc"), "\(text)")
    }

    @Test func moreProcessesThanSensorsAreRefused() throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "processes", "--count", "50", "--threads", "9", "--output", folder.path)
        #expect(process.text().contains("use --sensors 9 or --threads 5"))
        #expect(process.exitCode() == 3)
    }

    @Test func producersKeepToTheRate() throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "current", "dedicated-thread", "processes", "async", "--count", "90", "--rate",
            "300", "--output", folder.path)
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        #expect(!text.contains("Closed loops"))
        let (path, rows) = try results(in: folder)
        #expect(Set(try column("offered_ops_per_s", of: rows)) == ["300"])
        for seconds in try column("elapsed_s", of: rows) {
            #expect(try #require(Double(seconds)) >= 44.0 / 150, "\(text)")
        }
        let measures = try String(contentsOfFile: path + "/measures.csv", encoding: .utf8)
        #expect(measures.components(separatedBy: "intended_p99_us").count == 5)
    }

    @Test func comparableCasesTakeTurns() throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "current", "batched", "--count", "20", "--runs", "3", "--output", folder.path)
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        let (path, rows) = try results(in: folder)
        #expect(Set(try column("strategy", of: rows)) == ["current", "batched"])
        let samples = try CSV.parse(
            String(contentsOfFile: path + "/samples.csv", encoding: .utf8)
        ).dropFirst().map { $0.fields[1].split(separator: "/")[1] + " " + $0.fields[2] }
        #expect(
            samples == [
                "current 1", "batched 1", "batched 2", "current 2", "current 3", "batched 3",
            ])
    }

    @Test func sweepsAndExportsHaveAllRows() throws {
        let folder = try TemporaryFolder()
        let files = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "batched", "--count", "20", "--sweep", "batch-size=5,10", "--output",
            folder.path, "--export-markdown", files.path + "/t.md", "--export-json",
            files.path + "/t.json")
        let text = process.text()
        #expect(process.exitCode() == 0, "\(text)")
        let (_, rows) = try results(in: folder)
        #expect(try column("sweep", of: rows) == ["batch-size=5", "batch-size=10"])
        #expect(try column("batch_size", of: rows) == ["5", "10"])
        let markdown = try String(contentsOfFile: files.path + "/t.md", encoding: .utf8)
        for batchSize in ["5", "10"] { #expect(markdown.contains("batch-size=\(batchSize)")) }
        let json = try JSONSerialization.jsonObject(
            with: Data(contentsOf: URL(fileURLWithPath: files.path + "/t.json")))
        #expect((json as? [Any])?.count == 2)
    }

    @Test func thePeakMemoryIsWithoutTheRecording() throws {
        let folder = try TemporaryFolder()
        let input = folder.path + "/large.csv"
        let day = (0..<24).map { hour in "2019-01-01 \(hour < 10 ? "0" : "")\(hour):00:00" }
        let lines = (0..<240_000).map { "A,station \($0 % 5),\(day[$0 % 24]),no2,\($0 % 97)" }
        try (["city,location,date,parameter,value"] + lines).joined(separator: "\n")
            .write(toFile: input, atomically: true, encoding: .utf8)
        var peaks: [[Double]] = []
        for options in [[], ["--input", input]] {
            let output = try TemporaryFolder()
            let process = try BenchmarkProcess(
                ["run", "current", "processes", "--count", "300", "--output", output.path]
                    + options)
            let text = process.text()
            #expect(process.exitCode() == 0, "\(text)")
            peaks.append(
                try column("rss_peak_bytes", of: results(in: output).rows)
                    .map { try #require(Double($0)) })
        }
        // The text has 10 MB, and each reading takes 24 bytes in memory.
        for (own, large) in zip(peaks[0], peaks[1]) {
            #expect(abs(large - own) < 4_500_000, "\(own) \(large)")
        }
    }

    @Test func aKilledRunKeepsItsRows() throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "batched", "current", "--sweep", "seconds=0.1,600", "--output", folder.path,
            "--path", folder.path + "/files")
        #expect(process.waits(for: "[3/4]"))
        process.send(SIGKILL)
        #expect(process.exitCode() == -SIGKILL)
        let run = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .first { $0 != "files" })
        let text = try String(
            contentsOfFile: "\(folder.path)/\(run)/summary.csv", encoding: .utf8)
        let rows = try CSV.parse(text).dropFirst().map(\.fields)
        #expect(try column("status", of: rows) == ["ok", "ok"])
        // The process of the third case, which has ten minutes to go, must end as well.
        let deadline = Date(timeIntervalSinceNow: 5)
        while Self.isAnyProcessNaming(folder.path), Date() < deadline {
            Thread.sleep(forTimeInterval: 0.01)
        }
        #expect(!Self.isAnyProcessNaming(folder.path))
    }

    private static func isAnyProcessNaming(_ text: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.contains { name in
            guard Int(name) != nil,
                let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
            else { return false }
            return line.range(of: Data(text.utf8)) != nil
        }
    }

    @Test func aFullDiskUnderAnExportIsTheToolsTrouble() throws {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            "run", "batched", "--count", "20", "--output", folder.path, "--export-json",
            "/dev/full")
        #expect(process.text().contains("'/dev/full' cannot be written: No space left on device."))
        #expect(process.exitCode() == 1)
        #expect(try results(in: folder).rows.count == 1)
    }

    /// Runs a shell script in namespaces of its own, in which it can mount a small file system in
    /// memory.
    private static func shell(_ script: String, _ arguments: String...) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(
            decoding: output.remainingBytes(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private static let canMount =
        (try? shell("mount -t tmpfs -o size=64k none /mnt").0) == 0

    /// Returns what a run writes to standard output and to standard error.
    private func streams(_ arguments: [String]) throws -> (output: String, errors: String) {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: BenchmarkProcess.program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Neither of them fills its pipe.
        let texts = (output.remainingBytes(), errors.remainingBytes())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return (
            String(decoding: texts.0, as: UTF8.self), String(decoding: texts.1, as: UTF8.self)
        )
    }

    @Test func tablesAndProgressAreApart() throws {
        let folder = try TemporaryFolder()
        let arguments = ["run", "current", "batched", "--count", "20", "--output", folder.path]
        let usual = try streams(arguments)
        #expect(usual.output.hasPrefix("case "), "\(usual.output)")
        #expect(!usual.output.contains("[1/2]"))
        #expect(usual.errors.contains("[1/2] ") && usual.errors.contains("operations/s, p50"))
        let quiet = try streams(arguments + ["--quiet"])
        #expect(quiet.output.hasPrefix("case "))
        let lines = quiet.errors.split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("Warning: ") }, "\(quiet.errors)")
    }

    /// Runs the program on a terminal, by `script` of Debian's bsdutils, and returns what it wrote
    /// there.
    private func onTerminal(_ arguments: [String], type: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
        let command = ([BenchmarkProcess.program] + arguments).map { "'\($0)'" }
        process.arguments = [
            "--quiet", "--return", "--command", command.joined(separator: " "), "/dev/null",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": type]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.remainingBytes(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        return text
    }

    @Test func aTerminalThatMovesNoCursorGetsPlainLines() throws {
        let folder = try TemporaryFolder()
        let arguments = ["run", "current", "--count", "20", "--output", folder.path]
        #expect(try onTerminal(arguments, type: "xterm").contains("\u{1B}["))
        let plain = try onTerminal(arguments, type: "dumb")
        #expect(!plain.contains("\u{1B}") && plain.contains("[1/1] "), "\(plain)")
    }

    /// Also if a case is not repeated, because it cannot run.
    @Test func theLastRunHasTheLastNumber() throws {
        let folder = try TemporaryFolder()
        let ran = try streams([
            "run", "commit/engine", "--durability", "unsynced,full", "--count", "5", "--runs", "2",
            "--output", folder.path,
        ])
        #expect(ran.output.contains("unsupported"), "\(ran.output)")
        #expect(ran.errors.contains("[4/4] "), "\(ran.errors)")
    }

    @Test func theCompletionIsInstalled() throws {
        let home = try TemporaryFolder()
        for (shell, file) in [
            ("bash", ".local/share/bash-completion/completions/realm-bench"),
            ("zsh", ".zfunc/_realm-bench"), ("fish", ".config/fish/completions/realm-bench.fish"),
        ] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: BenchmarkProcess.program)
            process.arguments = ["completion"]
            process.environment = ["HOME": home.path, "SHELL": "/usr/bin/\(shell)"]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let script = try String(contentsOfFile: home.path + "/" + file, encoding: .utf8)
            #expect(script.contains("selftest") && script.contains("quiet"))
        }
        #expect(try BenchmarkProcess("completion", "csh").exitCode() == 64)
    }

    @Test func oneNameIsListedWithWhatItHas() throws {
        func text(_ arguments: String...) throws -> String {
            let process = try BenchmarkProcess(["list"] + arguments)
            let text = process.text()
            #expect(process.exitCode() == 0, "\(text)")
            return text
        }
        let all = try text()
        #expect(all.contains("workload sensors: ") && all.contains("suite quick: "))
        #expect(all.split(separator: "\n").count < 100)
        for text in [all, try text("notify"), try text("realm")] {
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(text)")
        }
        // What a line has no room for, the name tells.
        let notify = try #require(all.split(separator: "\n").first { $0.contains("suite notify") })
        #expect(notify.hasSuffix(" …") && !notify.contains("asynchronous writes"))
        #expect(try text("notify").contains("asynchronous writes"))
        #expect(try text("commit").contains("  options: count, rate, seconds, seed\n"))
        #expect(try text("counted").contains("  commit/api/full/plain/1/realm\n"))
        #expect(try text("realm").contains("engine realm "))
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(try text("--json").utf8)) as? [String: Any])
        let workloads = try #require(json["workloads"] as? [[String: Any]])
        #expect(workloads.count == WorkloadCatalogue.ofProgram.count)
        #expect(try BenchmarkProcess("list", "sensor").text().contains("Did you mean sensors?"))
    }

    @Test(arguments: [
        ["list"], ["--help"], ["run", "--help"], ["run", "current", "--count", "5"],
    ])
    func outputThatIsLostIsAnError(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: BenchmarkProcess.program)
        process.arguments =
            arguments + (arguments.contains("5") ? ["--output", folder.path] : [])
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.remainingBytes(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(text.contains("Standard output"), "\(text)")
        #expect(text.contains("No space left on device") || text.contains("did not take"))
    }

    /// A disk that is full to the last byte has no room for the messages of the case either.
    @Test(
        .enabled(if: canMount, "Name spaces for mounting are not permitted here."),
        arguments: ["current", "insert/engine", "processes", "compact/api", "update/api"])
    func theCauseOfAFullDiskNeedsNoRoomOnIt(name: String) throws {
        for size in ["24k", "400k", "412k"] {
            let folder = try TemporaryFolder()
            let files = try TemporaryFolder()
            let (code, text) = try Self.shell(
                "mount -t tmpfs -o size=$5 none \"$2\" && "
                    + "\"$1\" run \"$4\" --count 200000 --output \"$3\" --path \"$2\"",
                BenchmarkProcess.program, files.path, folder.path, name, size)
            #expect(code == 1, "\(size): \(text)")
            #expect(text.contains("is full: "), "\(size): \(text)")
            #expect(text.contains("were free. Free some space"), "\(size): \(text)")
        }
    }

    @Test func theNextRunRemovesWhatAKilledOneLeft() throws {
        let folder = try TemporaryFolder()
        for place in [[], ["--path", folder.path + "/files"]] {
            let results = folder.path + "/results"
            let killed = try BenchmarkProcess(
                ["run", "batched", "--seconds", "600", "--output", results] + place)
            #expect(killed.waits(for: "[1/1]"))
            let living = try BenchmarkProcess(
                ["run", "current", "--seconds", "600", "--output", results] + place)
            #expect(living.waits(for: "[1/1]"))
            killed.send(SIGKILL)
            #expect(killed.exitCode() == -SIGKILL)
            let next = try BenchmarkProcess(
                ["run", "current", "--count", "5", "--output", results] + place)
            let text = next.text()
            #expect(next.exitCode() == 0, "\(text)")
            #expect(text.contains("Removed the databases of 1 killed run: "), "\(text)")
            let runs = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            let left = runs.filter {
                URL(fileURLWithPath: $0).lastPathComponent.hasPrefix("databases-")
            }
            // Those of the run that lives.
            #expect(left.count == 1)
            living.send(SIGINT)
            #expect(living.exitCode() == 128 + SIGINT)
        }
    }

    @Test(.enabled(if: canMount, "Name spaces for mounting are not permitted here."))
    func aFullDiskUnderTheDatabaseIsTheToolsTrouble() throws {
        let folder = try TemporaryFolder()
        let files = try TemporaryFolder()
        let (code, text) = try Self.shell(
            "mount -t tmpfs -o size=1m none \"$2\" && "
                + "\"$1\" run batched insert --count 200000 --output \"$3\" --path \"$2\"",
            BenchmarkProcess.program, files.path, folder.path)
        #expect(code == 1, "\(text)")
        #expect(text.contains("were free. Free some space"), "\(text)")
        // The row that failed is kept. The next case would fail as well and is not begun.
        #expect(try column("status", of: results(in: folder).rows) == ["failed"])
    }

    /// As without --path. What the case said is kept once its files have made room.
    @Test(.enabled(if: canMount, "Name spaces for mounting are not permitted here."))
    func aFullDiskUnderBothIsNamed() throws {
        let files = try TemporaryFolder()
        let (code, text) = try Self.shell(
            "mount -t tmpfs -o size=6m none \"$2\" && "
                + "\"$1\" run insert/engine --count 200000 --output \"$2\"; code=$?; "
                + "cat \"$2\"/*/summary.csv \"$2\"/*/failures/*; exit $code",
            BenchmarkProcess.program, files.path)
        #expect(code == 1, "\(text)")
        #expect(text.contains("were free. Free some space"), "\(text)")
        #expect(text.contains(",failed,"), "\(text)")
        #expect(!text.contains("NSCocoaErrorDomain") && !text.contains("No such file"), "\(text)")
    }

    @Test(.enabled(if: canMount, "Name spaces for mounting are not permitted here."))
    func aFullDiskUnderTheResultsIsTheToolsTrouble() throws {
        let folder = try TemporaryFolder()
        let files = try TemporaryFolder()
        // Enough space for the tables and their first rows, but not for the histograms.
        let (code, text) = try Self.shell(
            "mount -t tmpfs -o size=40k none \"$2\" && "
                + "\"$1\" run current --count 20 --output \"$2\" --path \"$3\"; code=$?; "
                + "cat \"$2\"/*/summary.csv; exit $code",
            BenchmarkProcess.program, files.path, folder.path)
        #expect(code == 1, "\(text)")
        #expect(text.contains("cannot be written"), "\(text)")
        // The row was written before the disk was full.
        #expect(text.contains(",sensors/current/full/plain/50000/realm,"), "\(text)")
    }
}
