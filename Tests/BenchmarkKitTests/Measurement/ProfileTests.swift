import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct ProfileTests {
    // MARK: Names

    @Test(arguments: [
        (
            "generic specialization <Swift.Int> of StorageEngine.Table.insert(row: Swift.Int) "
                + "throws -> ()", "Table.insert"
        ),
        (
            "closure #1 (inout A) throws -> B in StorageEngine.Table.keys(where: A) -> [B]",
            "closure in Table.keys"
        ),
        ("StorageEngine.Connection.version.getter : Swift.UInt64", "Connection.version.getter"),
        ("static StorageEngine.Checksum.of(_: Swift.Int) -> Swift.Int", "Checksum.of"),
        (
            "function signature specialization <Arg[0] = Dead> of Swift.Array.append(__owned A) "
                + "-> ()", "Array.append"
        ),
        ("swift_retain", "swift_retain"), ("[kernel] do_syscall_64", "[kernel] do_syscall_64"),
        ("std::vector<int>::push_back(int const&)", "std::vector::push_back"),
    ])
    func namesAreShortened(name: String, short: String) {
        #expect(SymbolName.short(name) == short)
    }

    @Test func symbolsOfSwiftAreDemangled() {
        #expect(SymbolName.demangled("$sSa6appendyyxnF") == "Swift.Array.append(__owned A) -> ()")
        #expect(SymbolName.demangled("main") == "main")
    }

    // MARK: perf

    private static let script = """
          40138.000000100:
        \tffffffff816387a0 do_syscall_64 ([kernel.kallsyms])
        \t           fd001 write (/usr/lib/libc.so.6)
        \t           32f72 $sSa6appendyyxnF (/usr/bin/realm-bench)
        \t           32f70 realm_bench_measured_region (/usr/bin/realm-bench)
        \t           32f71 main (/usr/bin/realm-bench)

          40138.000000200:
        \t           32f72 $sSa6appendyyxnF (/usr/bin/realm-bench)
        \t           32f70 realm_bench_measured_region (/usr/bin/realm-bench)

          40138.000000300:
        \t               0 [unknown] (/usr/lib/libcrypto.so.3)
        \t           41000 start_thread (/usr/lib/libc.so.6)

          40138.000000900:
        \t           32f71 main (/usr/bin/realm-bench)

        """

    @Test func samplesWithinTheRegionMakeTheTree() throws {
        let samples = PerfSamples.samples(in: Self.script)
        #expect(samples.count == 4)
        #expect(samples[0].nanoseconds == 40_138_000_000_100)
        let spans: [ClosedRange<UInt64>] = [
            40_138_000_000_050...40_138_000_000_150, 40_138_000_000_200...40_138_000_000_400,
        ]
        let root = PerfSamples.tree(of: samples, within: spans)
        let append = "Swift.Array.append(__owned A) -> ()"
        #expect(root.cost == 3)
        #expect(root.callees.map(\.name) == [append, "start_thread"])
        #expect(root.callees[0].cost == 2)
        #expect(root.callees[0].callees[0].callees.map(\.name) == ["[kernel] do_syscall_64"])
        #expect(root.callees[1].callees.map(\.name) == ["[libcrypto.so.3]"])
        #expect(PerfSamples.tree(of: samples, within: []).cost == 0)
    }

    @Test func overlappingSpansAreUnited() {
        #expect(PerfSamples.united([5...9, 1...3, 2...4, 6...7]) == [1...4, 5...9])
        #expect(PerfSamples.united([]) == [])
    }

    // MARK: callgrind

    private static let calls = """
        version: 1
        positions: line
        events: Ir

        fl=(1) ???
        fn=(1) realm_bench_measured_region
        0 10
        cfn=(2) $sSa6appendyyxnF
        calls=2 0
        0 100
        cfn=(3) malloc
        calls=1 0
        0 20

        fn=(2)
        0 60
        cfn=(3)
        calls=3 0
        * 40

        fn=(3)
        +3 60

        totals: 130
        """

    @Test func costsAreDividedAmongTheCallers() throws {
        let root = CallgrindCalls(Self.calls).tree(below: InstructionCount.region)
        #expect(root.cost == 130)
        #expect(
            root.callees.map(\.name) == ["Swift.Array.append(__owned A) -> ()", "malloc"])
        #expect(root.callees.map(\.cost) == [100, 20])
        #expect(root.callees[0].callees.map(\.cost) == [40])
        #expect(CallgrindCalls("").tree(below: InstructionCount.region).cost == 0)
    }

    @Test func aFunctionThatCallsItselfEndsTheStack() {
        let text = """
            fn=(1) region
            0 1
            cfn=(2) a
            calls=1 0
            0 9
            fn=(2)
            0 9
            cfn=(2)
            calls=1 0
            0 6
            """
        let root = CallgrindCalls(text).tree(below: "region")
        #expect(root.depth == 2)
        #expect(root.cost == 10)
    }

    // MARK: The picture

    @Test func theGraphShowsTitlesAndNoMarkup() throws {
        var root = ProfileNode("measured region")
        root.add(["StorageEngine.Table.insert(<script>) -> ()", "malloc"], cost: 90)
        root.add(["[kernel] write"], cost: 9.99)
        root.add(["tiny"], cost: 0.01)
        let text = FlameGraph(
            title: "<b>", profile: CaseProfile(unit: .samples, root: root, note: "a & b")
        ).file()
        #expect(text.contains("<title>malloc\n90.00 %, 90 samples</title>"))
        #expect(text.contains(">Table.insert</text>"))
        #expect(!text.contains("tiny") && !text.contains("<script") && !text.contains("<b>"))
        #expect(text.matches(of: /<g>/).count == 4 && text.matches(of: /<\/g>/).count == 4)
        for outside in ["href", "url(", "@import", "<image"] { #expect(!text.contains(outside)) }
    }

    @Test func nothingIsDrawnOfNothing() {
        let profile = CaseProfile(
            unit: .samples, root: ProfileNode("measured region"), note: "")
        #expect(!FlameGraph(title: "", profile: profile).file().contains("nan"))
    }

    @Test func thePageOfTheRunShowsIt() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/run"
        try FileManager.default.copyItem(
            at: ResourceLocator.packageDirectory().appendingPathComponent(
                "Tests/BenchmarkKitTests/Fixtures/run"), to: URL(fileURLWithPath: path))
        func page() throws -> String {
            try HTMLReport.text(of: RunFolder(path: path), indirect: .load())
        }
        #expect(try !page().contains("Flame graphs"))
        let row = try #require(RunFolder(path: path).rows.first { $0.engine == "realm" })
        let benchmarkCase = BenchmarkCase(
            identifier: CaseIdentifier(
                workload: row.workload, strategy: row.strategy, size: row.size), layer: "api",
            options: CaseOptions())
        try #require(benchmarkCase.name == row.name)
        var root = ProfileNode("measured region")
        root.add(["StorageEngine.Table.insert(<script>) -> ()", "malloc"], cost: 90)
        root.add(["tiny"], cost: 0.01)
        let picture = try ProfileFiles.write(
            CaseProfile(unit: .samples, root: root, note: "a & b"), of: benchmarkCase, in: path)
        #expect(FileManager.default.fileExists(atPath: picture))
        let text = try page()
        #expect(text.contains("Flame graphs") && text.contains("malloc\n99.99 %, 90 samples"))
        #expect(text.contains("a &amp; b") && !text.contains("(<script>"))
        #expect(!text.contains("tiny"))
        try Data("{\"unit\": 1}".utf8).write(
            to: URL(fileURLWithPath: picture.replacing(".svg", with: ".json")))
        let error = #expect(throws: BenchmarkError.self) { try page() }
        #expect(error?.message.contains("is not what a run writes") == true)
    }

    // MARK: Tools

    private func tools(_ names: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, script) in names {
            let path = folder.path + "/" + name
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: path)
        }
        return folder
    }

    @Test func perfComesFirstIfItWorks() throws {
        let working = try tools(["perf": "exit 0", "valgrind": "", "strip": ""])
        #expect(
            try Profiler.available(searching: working.path) == .perf(working.path + "/perf"))
        let broken = try tools(["perf": "exit 255", "valgrind": "", "strip": ""])
        #expect(try Profiler.available(searching: broken.path) == .callgrind)
        let none = try tools(["valgrind": "", "strip": ""])
        #expect(try Profiler.available(searching: none.path) == .callgrind)
    }

    @Test func missingToolsAreNamedWithWhatToInstall() throws {
        for (folder, says) in [
            (try tools(["strip": ""]), "'perf' was not found in PATH"),
            (
                try tools(["perf": "echo not allowed >&2; exit 255"]),
                "'perf' cannot record here (not allowed)"
            ),
        ] {
            let error = #expect(throws: BenchmarkError.self) {
                try Profiler.available(searching: folder.path)
            }
            #expect(error?.code == .internalError)
            #expect(error?.message.contains(says) == true)
            #expect(error?.message.contains("apt-get install linux-perf") == true)
            #expect(error?.message.contains("apt-get install valgrind") == true)
        }
    }

    // MARK: The whole program

    /// Runs a case with a profile and returns what was printed and the picture.
    private func profile(path: String?, _ arguments: [String]) throws -> (
        code: Int32, text: String, graph: String?
    ) {
        let folder = try TemporaryFolder()
        let process = try BenchmarkProcess(
            program: "/usr/bin/env",
            (path.map { ["PATH=" + $0] } ?? []) + [BenchmarkProcess.program, "run"] + arguments
                + ["--output", folder.path])
        let text = process.text()
        let runs = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let graphs = runs.flatMap { run in
            let profiles = "\(folder.path)/\(run)/profiles"
            return ((try? FileManager.default.contentsOfDirectory(atPath: profiles)) ?? [])
                .filter { $0.hasSuffix(".svg") }.map { "\(profiles)/\($0)" }
        }
        #expect(graphs.count <= 1)
        let graph = try graphs.first.map { try String(contentsOfFile: $0, encoding: .utf8) }
        return (process.exitCode(), text, graph)
    }

    private static let runsPrograms =
        ProcessInfo.processInfo.environment["REALM_SANITIZER"] == nil

    @Test(
        .enabled(
            if: runsPrograms && (try? Profiler.available()) != nil
                && (try? Profiler.available()) != .callgrind, "perf does not work here."))
    func perfShowsWhereTheTimeOfACaseGoes() throws {
        let (code, text, graph) = try profile(
            path: nil, ["--profile", "insert/engine", "--count", "60000"])
        #expect(code == 0, "\(text)")
        #expect(text.contains("flame graph: "))
        let picture = try #require(graph)
        #expect(picture.contains("StorageEngine.") && picture.contains(" samples</title>"))
        #expect(picture.contains("insert/engine/full/plain/60000/realm"))
    }

    @Test(.enabled(if: runsPrograms && (try? InstructionCount.checkTools()) != nil))
    func callgrindStandsInForPerf() throws {
        let folder = try TemporaryFolder()
        for name in ["valgrind", "strip"] {
            // A link would not do: valgrind is a script that finds its program by its own name.
            let path = folder.path + "/" + name
            try Data("#!/bin/sh\nexec '\(try InstructionCount.tool(name))' \"$@\"\n".utf8)
                .write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let suite = folder.path + "/tiny.json"
        try Data(
            """
            {"name": "tiny", "description": "two cases", "cases": [
              {"workload": "lookup", "strategies": ["engine"], "size": 50},
              {"workload": "count", "strategies": ["engine"], "size": 50}]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let (code, text, graph) = try profile(
            path: folder.path, ["--suite", suite, "--profile", "lookup/engine"])
        #expect(code == 0, "\(text)")
        // Without other names only what is profiled runs.
        #expect(!text.contains("count/engine"))
        let picture = try #require(graph)
        #expect(picture.contains("StorageEngine.") && picture.contains(" instructions</title>"))
    }

    @Test(.enabled(if: runsPrograms))
    func withoutToolsNothingRuns() throws {
        let (code, text, graph) = try profile(
            path: "/nonexistent", ["--profile", "lookup/engine", "--count", "5"])
        #expect(code == 1)
        #expect(text.contains("apt-get install"))
        #expect(graph == nil)
        let (usage, message, _) = try profile(
            path: nil, ["commit", "--profile", "lokup", "--count", "5"])
        #expect(usage == 64, "\(message)")
    }
}
