import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// What the Studio shows of the runs in a folder.
@Suite struct StoredRunsTests {
    private let folder: TemporaryFolder
    private static let fixture = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/run").path

    init() throws {
        folder = try TemporaryFolder()
        for name in ["first", "second"] {
            let run = folder.path + "/" + name
            try FileManager.default.copyItem(atPath: Self.fixture, toPath: run)
            // The fixture is older than the column that a history needs.
            let file = URL(fileURLWithPath: run + "/summary.csv")
            let lines = try String(contentsOf: file, encoding: .utf8)
                .split(whereSeparator: \.isNewline)
            let longer = [lines[0] + ",deterministic"] + lines.dropFirst().map { $0 + ",true" }
            try Data((longer.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
    }

    @Test func runsAreListedAndShown() throws {
        try Data("no run".utf8).write(to: URL(fileURLWithPath: folder.path + "/notes.txt"))
        let runs = try StoredRuns(folder: folder.path)
        #expect(runs.list().map(\.name) == ["second", "first"])
        #expect(runs.list().allSatisfy { $0.problem == nil && $0.rows ?? 0 > 0 })
        #expect(try runs.report(of: "first").contains("<h1>Benchmark run "))
        #expect(try runs.history().contains("<h1>History of 2 runs</h1>"))
        // What cannot be compared is left out.
        try FileManager.default.copyItem(
            atPath: Self.fixture, toPath: folder.path + "/older")
        #expect(try runs.history().contains("<h1>History of 2 runs</h1>"))
        let one = try StoredRuns(folder: folder.path + "/first")
        #expect(one.list().map(\.name) == ["first"])
        #expect(throws: BenchmarkError.self) { try one.report(of: "second") }
    }

    @Test(arguments: ["summary.csv", "histograms"])
    func nothingIsReadThroughSymbolicLinks(name: String) throws {
        let path = folder.path + "/first/" + name
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: Self.fixture + "/" + name)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/third", withDestinationPath: Self.fixture)
        let runs = try StoredRuns(folder: folder.path)
        for run in runs.list() {
            #expect((run.problem == nil) == (run.name == "second"), "\(run)")
        }
        #expect(throws: BenchmarkError.self) { try runs.report(of: "first") }
        #expect(throws: BenchmarkError.self) { try runs.report(of: "third") }
        #expect(throws: BenchmarkError.self) { try runs.report(of: "../first") }
        #expect(throws: BenchmarkError.self) { try StoredRuns(folder: folder.path + "/missing") }
    }
}
