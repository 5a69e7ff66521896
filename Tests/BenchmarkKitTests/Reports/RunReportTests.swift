import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of reports of the made-up run in `Fixtures`.
@Suite struct RunReportTests {
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/run").path

    private func run() throws -> RunFolder { try RunFolder(path: Self.fixture) }

    private func peers(_ run: RunFolder) throws -> PeersTable {
        try #require(PeersTable(run.rows, samples: run.samples, indirect: .load()))
    }

    /// Returns a copy of the run, so that no page is written into the working copy.
    private func copy() throws -> (folder: TemporaryFolder, run: String) {
        let folder = try TemporaryFolder()
        let run = folder.path + "/run"
        try FileManager.default.copyItem(atPath: Self.fixture, toPath: run)
        return (folder, run)
    }

    @Test func theFilesOfARunAreReadBack() throws {
        let run = try run()
        #expect(run.header.runId == "20260131T120000Z-1")
        #expect(run.rows.count == 39)
        #expect(run.timeline["sensors/batched/full/plain/50000/realm"]?.count == 16)
        let pinned = try #require(run.growth["growth/pinned/full/plain/10000/realm"])
        #expect(pinned[3].oldestPinOwner == "4711 realm-bench, reader")
        #expect(pinned[3].waitingBytes == 900_000)
        #expect(pinned.last?.oldestPinOwner == nil)
        #expect(run.percentiles(of: "sensors/current/full/plain/50000/realm").count > 20)
        #expect(run.percentiles(of: "sensors/current/full/plain/50000/sqlite").isEmpty)
    }

    @Test func enginesThatDidTheSameWorkShareALine() throws {
        let table = try peers(run())
        #expect(
            table.columns.map(\.title) == [
                "realm api", "realm engine", "sqlite", "grdb", "lmdb", "rocksdb",
            ])
        let insert = try #require(table.lines.first { $0.title == "insert 1,000,000" })
        #expect(insert.cells.count == 6)
        #expect(insert.fastest?.title == "realm engine")
        #expect(insert.syncs(table.columns) == "1")
        // Only one engine ran an encrypted case, so there is nothing to compare it with.
        #expect(!table.lines.contains { $0.title.contains("encrypted") })
    }

    @Test func ratiosAreMediansOfTheRounds() throws {
        let run = try run()
        let table = try peers(run)
        func rates(_ identifier: String) -> [Double] {
            run.samples.filter { $0.name == identifier }.map(\.throughput)
        }
        let ratios = zip(
            rates("lookup/api/full/plain/1000000/realm"),
            rates("lookup/engine/full/plain/1000000/sqlite")
        ).map { $0 / $1 }.sorted()
        let line = try #require(table.lines.first { $0.workload == "lookup" })
        let cell = try #require(line.cells[.init(engine: "realm", layer: "api")])
        #expect(ratios.count == 3)
        #expect(cell.ratio == ratios[1])
        #expect(cell.isBehind)
        #expect(table.rateFields(line, emphasis: { $0 })[2].hasSuffix("▼"))
    }

    @Test func oneRoundGivesTheRatioOfTheRows() throws {
        let run = try run()
        let table = try #require(PeersTable(run.rows, samples: [], indirect: nil))
        let line = try #require(table.lines.first { $0.workload == "compact" })
        let cell = try #require(line.cells[.init(engine: "realm", layer: "api")])
        #expect(abs((cell.ratio ?? 0) - 14.1 / 9.2) < 1e-9)
        #expect(!table.hasIndirect)
        #expect(cell.fileRatio == 0.5)
    }

    @Test func anUnsupportedCaseSaysSo() throws {
        let table = try peers(run())
        let line = try #require(table.lines.first { $0.workload == "sort" })
        #expect(table.rateFields(line, emphasis: { $0 })[2] == "unsupported")
    }

    @Test func realmCoreIsMarkedAsIndirect() throws {
        let table = try peers(run())
        #expect(table.rateHeader.contains("realm-core (indirect)"))
        let insert = try #require(table.lines.first { $0.workload == "insert" })
        #expect(insert.indirect?.speed == 0.471)
        #expect(insert.indirect?.file == 0.67)
        let ratios = try IndirectRatios.load()
        #expect(ratios.ratio(workload: "insert", strategy: "", size: 10_000) == nil)
        #expect(ratios.ratio(workload: "sensors", strategy: "batched", size: 7)?.speed == 1.105)
    }

    @Test func aRunOfOneEngineHasNoPeers() throws {
        let rows = try run().rows.filter { $0.engine == "realm" }
        #expect(PeersTable(rows, samples: [], indirect: nil) == nil)
    }

    @Test func theTableGroupsByWorkload() throws {
        let lines = try TerminalResults.lines(for: run().rows, isWide: true)
        let groups = lines.prefix { !$0.hasPrefix("95 %:") }
            .filter { !$0.hasPrefix(" ") && !$0.hasPrefix("case") }.dropFirst()
        #expect(
            Array(groups) == [
                "sensors", "insert", "lookup", "count", "compact", "sort", "growth",
            ])
        #expect(!lines[0].contains("allocs/op"))
        #expect(lines.contains { $0.hasPrefix("  api") && $0.contains("unsupported") })
    }

    @Test func thePageNeedsNothingBesideIt() throws {
        let copy = try copy()
        let page = try HTMLReport.write(run: copy.run)
        let text = try String(contentsOfFile: page, encoding: .utf8)
        for outside in [" src=", "url(", "@import", "http:", "https:"] {
            #expect(!text.contains(outside))
        }
        #expect(text.matches(of: /href="(.)/).allSatisfy { $0.1 == "#" })
        #expect(text.components(separatedBy: "<script>").count == 2)
        for title in [
            "Results", "Checks", "Engines side by side", "Throughput", "Latency",
            "File size over time", "Growth by cause",
        ] {
            #expect(text.contains("<h2>\(title)</h2>"))
        }
        #expect(text.contains("pinned by 4711 realm-bench, reader"))
        #expect(text.contains("<summary>1 warning</summary><ul><li>Made-up figures"))
        for (name, meaning) in [
            ("latency_p99_us", "99th percentile of the latency; see latency_p50_us."),
            ("file_bytes", "Size of the database file at the end of the run."),
        ] {
            #expect(text.contains("data-note=\"\(name): \(meaning)"))
        }
        #expect(!text.contains("nan") && !text.contains("inf\""))
        let parser = XMLChecker(text)
        #expect(parser.unbalanced.isEmpty)
    }

    @Test func aRunThatEndedEarlySaysSo() throws {
        var run = try run()
        #expect(!(try HTMLReport.text(of: run, indirect: .load())).contains("ended early"))
        run.header.finishedAt = nil
        let text = try HTMLReport.text(of: run, indirect: .load())
        #expect(text.contains("<summary>2 warnings</summary><ul><li>The run ended early"))
        run.rows = []
        #expect(try HTMLReport.text(of: run, indirect: .load()).contains("<h2>Results</h2>"))
    }

    @Test func nothingIsDrawnWithoutData() throws {
        let copy = try copy()
        for name in ["timeline.csv", "growth.csv", "histograms", "samples.csv"] {
            try FileManager.default.removeItem(atPath: copy.run + "/" + name)
        }
        let text = try HTMLReport.text(of: RunFolder(path: copy.run), indirect: .load())
        for title in ["Latency", "File size over time", "Growth by cause"] {
            #expect(!text.contains("<h2>\(title)</h2>"))
        }
    }

    @Test func aFolderThatIsNoRunIsAUsageError() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: BenchmarkError.self) { _ = try RunFolder(path: folder.path) }
        #expect(error?.code == .usage)
    }

    @Test(arguments: ["run.json", "summary.csv"])
    func filesOfAnotherLayoutAreRefused(name: String) throws {
        let copy = try copy()
        let file = copy.run + "/" + name
        let text = try String(contentsOfFile: file, encoding: .utf8)
            .replacing("\"schema_version\": 1", with: "\"schema_version\": 99")
            .replacing("\r\n1,2026", with: "\r\n99,2026")
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let error = #expect(throws: BenchmarkError.self) { _ = try RunFolder(path: copy.run) }
        #expect(error?.code == .notComparable)
        #expect(error?.message.contains("99") == true)
    }

    @Test func theCutOffRowOfAnInterruptedRunIsPassedOver() throws {
        let copy = try copy()
        let file = copy.run + "/timeline.csv"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try Data((text + "20260131T120000Z-1,sensors/batched/fu").utf8)
            .write(to: URL(fileURLWithPath: file))
        let run = try RunFolder(path: copy.run)
        #expect(run.timeline["sensors/batched/full/plain/50000/realm"]?.count == 16)
    }

    @Test func markdownHasEveryTable() throws {
        let run = try run()
        let text = try MarkdownReport.text(of: run)
        #expect(text.hasPrefix("# Run 20260131T120000Z-1\n"))
        #expect(text.contains("## insert\n\n| case | engine |"))
        #expect(text.contains("**2.35 M/s"))
        #expect(text.contains("realm-core (indirect)"))
    }
}

/// Checks that every element that a page opens is closed, in order.
private struct XMLChecker {
    var unbalanced: [String] = []

    init(_ text: String) {
        let empty: Set<Substring> = ["meta", "input", "line", "rect", "polyline", "!DOCTYPE"]
        var open: [Substring] = []
        for match in text.matches(of: /<(\/?)([A-Za-z!][A-Za-z0-9]*)[^>]*>/) {
            let name = match.2
            if empty.contains(name) { continue }
            if match.1.isEmpty {
                open.append(name)
            } else if open.popLast() != name {
                unbalanced.append(String(name))
            }
        }
        unbalanced += open.map(String.init)
    }
}
