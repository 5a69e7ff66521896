import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Packages with workloads of their own: what `init` writes, and the example that it is.
@Suite struct OwnPackageTests {
    private func text(_ path: String) throws -> String {
        try String(
            contentsOf: ResourceLocator.packageDirectory().appendingPathComponent(path),
            encoding: .utf8)
    }

    @Test func theExampleIsWhatInitWrites() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/new/bench"
        let written = try BenchmarkPackage(library: .path("../..")).write(into: path)
        #expect(written == path)
        for name in ["Package.swift", "Sources/Bench.swift", ".gitignore"] {
            let found = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
            #expect(try found == text("Examples/Bench/\(name)"), "\(name)")
        }
    }

    /// Its model included, and without tricks: the linter of the sources sees it as well.
    @Test func theExampleHasThirtyLinesAtMost() throws {
        let lines = try text("Examples/Bench/Sources/Bench.swift").split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast()
        #expect(lines.count <= 30 && lines.allSatisfy { $0.utf8.count <= 100 })
    }

    @Test(arguments: ["Bench.swift", "Databases.swift"])
    func theExampleOfDatabasesIsShown(name: String) throws {
        let source = try text("Examples/BenchBeside/Sources/\(name)")
        #expect(try text("Examples/BenchBeside/README.md").contains("```swift\n\(source)```"))
    }

    @Test(arguments: ["README.md", "Examples/Bench/README.md"])
    func theDocumentsShowTheExample(document: String) throws {
        let source = try text("Examples/Bench/Sources/Bench.swift")
        #expect(try text(document).contains("```swift\n\(source)```"))
    }

    @Test func aFolderWithFilesIsRefused() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/file"
        try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
        let package = BenchmarkPackage(library: .path("/library"))
        for (place, says) in [(folder.path, "is not empty"), (file, "is a file")] {
            let error = #expect(throws: BenchmarkError.self) { try package.write(into: place) }
            #expect(error?.code == .usage && error?.message.contains(says) == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func theLibraryIsAPathOrAnAddress() throws {
        let checkout = try ResourceLocator.packageDirectory().standardizedFileURL.path
        func library(_ named: String?, checkout: String? = nil) throws
            -> BenchmarkPackage.Library
        {
            try BenchmarkPackage.Library(
                named, checkout: checkout, relativeTo: checkout ?? "/nowhere")
        }
        #expect(try library(nil, checkout: checkout) == .path(checkout))
        #expect(try library("Examples/..", checkout: checkout) == .path(checkout))
        let address = try library("https://example.com/a/realm.git")
        #expect(address.identity == "realm")
        #expect(
            address.declaration
                == ".package(url: \"https://example.com/a/realm.git\", branch: \"main\", "
                + "traits: [\"Runner\"])")
        #expect(try library("git@example.com:realm-swift-linux").identity == "realm-swift-linux")
        for (named, says) in [
            (nil, "lies in no checkout"), ("/nowhere", "Package.swift cannot be read"),
            (checkout + "/Examples", "has no product RealmBenchKit"),
        ] as [(String?, String)] {
            let error = #expect(throws: BenchmarkError.self) { try library(named) }
            #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
        }
    }
}

/// The example of `Examples/Bench`, run as its users run it.
@Suite(
    .serialized,
    .disabled(
        if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] != nil,
        "The program is linked with jemalloc, and a sanitizer replaces malloc as well."))
struct OwnProgramTests {
    private static let program =
        URL(fileURLWithPath: BenchmarkProcess.program).deletingLastPathComponent()
        .appendingPathComponent("bench-example").path

    private func run(_ arguments: String...) throws -> (code: Int32, text: String) {
        let process = try BenchmarkProcess(program: Self.program, arguments)
        let text = process.text()
        return (process.exitCode(), text)
    }

    @Test func itHasTheWholeTool() throws {
        let folder = try TemporaryFolder()
        let output = folder.path + "/results"
        let baselines = folder.path + "/baselines"
        let suite = folder.path + "/short.json"
        try Data(
            """
            {"name": "short", "description": "", "cases": [
              {"workload": "place-order", "count": 400, "batch_size": 100,
               "strategies": ["single", "batched"]},
              {"workload": "customer-total", "count": 100, "size": 500}
            ]}
            """.utf8
        ).write(to: URL(fileURLWithPath: suite))
        let ran = try run("run", "--suite", suite, "--output", output)
        #expect(ran.code == 0, "\(ran.text)")
        for row in ["place-order", "single-bare-disk", "customer-total", "query", "loop"] {
            #expect(ran.text.contains(row), "\(ran.text)")
        }
        // Targets are those of realm-bench.
        #expect(!ran.text.contains("target"), "\(ran.text)")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: output).first)
        let folderOfRun = "\(output)/\(name)"
        let rows = try RunFolder(path: folderOfRun).rows
        let own = rows.filter { $0.engine == "realm" }
        #expect(own.count == 4 && own.allSatisfy { $0.status == "ok" })
        let digests = own.map { $0["digest"] }
        #expect(digests[0] == digests[1] && digests[2] == digests[3] && !digests.contains(""))

        let none = try run("gate", "--suite", suite, "--baselines", baselines, "--output", output)
        #expect(none.code == 5 && none.text.contains("bench-example baseline save counted"))
        let saved = try run(
            "baseline", "save", "counted", "--from", folderOfRun, "--baselines", baselines)
        #expect(saved.code == 0, "\(saved.text)")
        let gate = try run(
            "gate", "--suite", suite, "--baselines", baselines, "--output", output, "--strict")
        #expect(gate.code == 0, "\(gate.text)")
        #expect(gate.text.contains("metrics of 4 rows compared: 0 grew, 0 shrank"))
        let compared = try run("compare", folderOfRun, folderOfRun)
        #expect(compared.code == 0 && compared.text.contains("place-order"))
        let report = try run("report", folderOfRun)
        #expect(report.code == 0, "\(report.text)")
    }

    @Test func itKnowsItsOwnWorkloadsOnly() throws {
        let list = try run("list")
        #expect(list.code == 0 && list.text.contains("workload place-order: adds an order"))
        #expect(!list.text.contains("sensors") && list.text.contains("suite counted"))
        #expect(list.text.contains("bench-example list NAME"))
        let dry = try run("run", "--dry-run", "--seconds", "1")
        #expect(
            dry.text.contains("place-order/threads/full/plain/1/realm")
                && dry.text.contains("customer-total/query/full/plain/10000/realm"), "\(dry.text)")
        let other = try run("run", "insert", "--dry-run")
        #expect(other.code == 64 && other.text.contains("place-order"), "\(other.text)")
        let sized = try run("run", "query", "--dry-run", "--sweep", "size=5,6")
        #expect(sized.text.contains("customer-total/query/full/plain/6/realm size=6"))
        let idle = try run("run", "customer-total", "--dry-run", "--batch-size", "5")
        #expect(idle.code == 64 && idle.text.contains("--batch-size has no effect"))
        let suite = try run("run", "--suite", "quick", "--dry-run")
        #expect(suite.code == 64, "\(suite.text)")
        let help = try run("--help")
        #expect(help.code == 0 && help.text.contains("bench-example gate"))
        #expect(try run("init", "x").code == 64)
    }

    /// What runs cases is only asked for their names, and what takes results is only parsed.
    @Test(arguments: [
        "run", "list", "explain", "report", "baseline", "compare", "history", "gate", "selftest",
        "completion",
    ])
    func theExamplesOfItsHelpAreOfItself(command: String) throws {
        let help = try run("help", command).text
        #expect(!help.contains("realm-bench") && !help.contains("sensors)"), "\(help)")
        let examples = help.split(separator: "\n").filter { $0.hasPrefix("  bench-example ") }
            .map { line in
                line.components(separatedBy: "   ")[0].components(separatedBy: " > ")[0]
                    .replacing("'", with: "").split(separator: " ").dropFirst().map(String.init)
            }
        #expect(!examples.isEmpty, "\(help)")
        for example in examples {
            let more: [String]? =
                switch command {
                case "run": ["--dry-run"]
                case "list", "explain": []
                default: nil
                }
            guard let more else { continue }
            let process = try BenchmarkProcess(
                program: Self.program, example + more.filter { !example.contains($0) })
            let text = process.text()
            #expect(process.exitCode() == 0 && !text.isEmpty, "\(example): \(text)")
        }
    }
}

/// The example of `Examples/BenchBeside`, run as its users run it.
@Suite(
    .disabled(
        if: ProcessInfo.processInfo.environment["REALM_SANITIZER"] != nil,
        "The program is linked with jemalloc, and a sanitizer replaces malloc as well."))
struct OwnDatabaseProgramTests {
    private static let program =
        URL(fileURLWithPath: BenchmarkProcess.program).deletingLastPathComponent()
        .appendingPathComponent("bench-beside-example").path

    private func run(_ arguments: String...) throws -> (code: Int32, text: String) {
        let process = try BenchmarkProcess(program: Self.program, arguments)
        let text = process.text()
        return (process.exitCode(), text)
    }

    @Test func databasesStandSideBySide() throws {
        let folder = try TemporaryFolder()
        let output = folder.path + "/results"
        let page = folder.path + "/run.md"
        let ran = try run(
            "run", "--count", "400", "--batch-size", "100", "--output", output,
            "--export-markdown", page)
        #expect(ran.code == 0, "\(ran.text)")
        #expect(ran.text.contains("Ratios are to realm of the same run"), "\(ran.text)")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: output).first)
        let run = try RunFolder(path: "\(output)/\(name)")
        #expect(run.rows.allSatisfy { $0.status == "ok" })
        let rows = Set(run.rows.map { "\($0.workload)/\($0.strategy)/\($0.engine)" })
        #expect(
            rows == [
                "place-order/single/realm", "place-order/single/journal",
                "place-order/batched/realm", "place-order/batched/journal",
                "place-order/threads/realm",
                "customer-total/query/realm", "customer-total/query/journal",
                "customer-total/query/dictionary",
            ])
        // All found the same, and what was written is the same whatever the transactions.
        func digests(_ workload: String, _ engine: String? = nil) -> Set<String> {
            Set(
                run.rows.filter {
                    $0.workload == workload && (engine == nil || $0.engine == engine)
                }.map { $0["digest"] })
        }
        #expect(digests("customer-total").count == 1 && digests("customer-total") != [""])
        #expect(digests("place-order", "journal").count == 1)
        #expect(digests("place-order", "realm").count == 1)
        // Nothing counts the calls of another database.
        for row in run.rows where row.engine != "realm" {
            #expect(row["syncs_per_commit"] == "" && row["bytes_written_per_commit"] == "")
            #expect(row["deterministic"] == "false")
            #expect((row["file_bytes"] == "") == (row.engine == "dictionary"))
        }
        let tables = try String(contentsOfFile: page, encoding: .utf8)
        #expect(tables.contains("| realm api | dictionary | journal |"), "\(tables)")
    }

    @Test func theyAreListedAndChosen() throws {
        let list = try run("list")
        #expect(list.text.contains("engine journal of this package: orders in memory"))
        let chosen = try run("run", "--dry-run", "--engine", "journal")
        #expect(
            chosen.code == 0 && chosen.text.contains("place-order/batched/full/plain/1/journal")
                && !chosen.text.contains("realm") && !chosen.text.contains("threads"),
            "\(chosen.text)")
        let gated = try run("run", "--dry-run", "--suite", "counted")
        #expect(gated.code == 0 && !gated.text.contains("journal"), "\(gated.text)")
        let unknown = try run("run", "--dry-run", "--engine", "jurnal")
        #expect(unknown.code == 64 && unknown.text.contains("journal"), "\(unknown.text)")
    }
}
