import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Histories of runs that are made up.
@Suite final class RunHistoryTests {
    private let folder: TemporaryFolder
    private let commits = (1...20).map {
        CommitLog.Commit(
            revision: String(format: "%08x", $0) + String(repeating: "0", count: 32),
            day: "2026-01-\(String(format: "%02d", $0))", subject: "Change \($0)")
    }
    private var log: CommitLog { CommitLog(commits) }

    init() throws { folder = try TemporaryFolder() }

    /// Writes a run of one case.
    private func write(
        _ name: String, commit: Int?, fileBytes: Int, rate: Double,
        operations: Int = 1000, _ change: (inout RunReport) -> Void = { _ in }
    ) throws {
        let writer = try RunFolderWriter(parent: folder.path, suffix: "-" + name)
        var result = CaseResult.empty("insert", "api")
        result.isDeterministic = true
        result.operations = operations
        result.elapsedSeconds = Double(operations) / rate
        result.fileBytes = fileBytes
        try writer.append(result)
        var report = RunReport(
            runId: name, startedAt: "2026-02-01T00:00:\(name)Z", finishedAt: nil, arguments: [],
            suite: "counted", seed: 1,
            gitRevision: commit.map { $0 > 20 ? "unknown" : commits[$0 - 1].revision })
        change(&report)
        try writer.write(report)
    }

    private func history(_ metrics: [String] = ["file_bytes", "throughput_ops_per_s"]) throws
        -> RunHistory
    {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try RunHistory(
            of: names.map { try RunFolder(path: "\(folder.path)/\($0)") }, metrics: metrics,
            log: log
        ) { _ in true }
    }

    /// A counted metric changes at the 8th of 16 commits, the rate at the 11th, by a tenth. The
    /// runs begin in another order than that of their commits.
    private func plant() throws {
        var source = NormalSource(generator: SeededGenerator(seed: 9))
        for commit in 1...16 {
            try write(
                String(format: "%02d", 40 - commit), commit: commit,
                fileBytes: commit < 8 ? 1000 : 1001,
                rate: source.next(commit < 11 ? 100_000 : 110_000, spread: 0.01))
        }
    }

    @Test func plantedChangesAreFoundAtTheirCommits() throws {
        try plant()
        let history = try history()
        #expect(history.lines.map(\.metric) == ["file_bytes", "throughput_ops_per_s"])
        let (bytes, rate) = (history.lines[0], history.lines[1])
        let measured = commits.prefix(16).map { CommitLog.short($0.revision) }
        #expect(bytes.points.map(\.commit) == measured)
        #expect(
            bytes.changes == [
                RunHistory.Change(position: 7, before: 1000, after: 1001, p: nil)
            ])
        #expect(rate.changes.map(\.position) == [10])
        #expect(rate.changes[0].after > rate.changes[0].before * 1.05)
        let text = HistoryText(history: history, log: log)
        let lines = text.lines(all: true, width: 100)
        #expect(lines.allSatisfy { TerminalWidth.columns(of: $0) <= 100 })
        #expect(lines.contains { $0.contains("2026-01-08 Change 8") }, "\(lines)")
        #expect(lines.contains("16 runs: 2 metrics of 2 changed."))
        #expect(text.changes.rows[0][4] == "+0.10 %" && text.changes.rows[0][5] == "00000008")
        let csv = try CSVRow.rows(in: text.csv, path: "csv", isWhole: true)
        #expect(csv.count == 32 && csv[7]["segment"] == "1" && csv[6]["segment"] == "0")
        let page = text.page(all: false)
        #expect(page.contains("00000008") && page.contains("E-divisive"))
        #expect(page.components(separatedBy: "<figure>").count == 3)
        #expect(!page.contains("://"))
        let picture = HistoryText.picture(of: bytes)
        #expect(picture.hasPrefix("<svg xmlns=") && picture.contains("class=\"mark\""))
    }

    @Test func commitsThatWereNotMeasuredAreNamed() throws {
        try write("01", commit: 2, fileBytes: 10, rate: 5)
        try write("02", commit: 6, fileBytes: 20, rate: 5)
        let text = HistoryText(history: try history(), log: log)
        #expect(
            text.changes.rows[0][6] == "2026-01-06 Change 6 (or one of the 3 since 00000002)")
        #expect(
            text.lines(all: false, width: 100)
                .contains("00000006  00000002        3  2026-01-06 Change 6"))
    }

    /// They end with an ellipsis where width is limited, and are whole elsewhere.
    @Test func longSubjectsFitIntoTheTable() throws {
        let subject = String(repeating: "Let commits of every kind be durable at once ", count: 6)
        let log = CommitLog(
            commits.map { CommitLog.Commit(revision: $0.revision, day: $0.day, subject: subject) })
        try write("01", commit: 1, fileBytes: 10, rate: 5)
        try write("02", commit: 2, fileBytes: 20, rate: 5)
        let text = HistoryText(history: try history(), log: log)
        let narrow = text.lines(all: true, width: 100)
        #expect(narrow.allSatisfy { TerminalWidth.columns(of: $0) <= 100 }, "\(narrow)")
        #expect(narrow.contains { $0.hasPrefix("00000002") && $0.hasSuffix("\u{2026}") })
        #expect(text.lines(all: true, width: nil).contains { $0.contains(subject.dropLast()) })
        #expect(text.page(all: false).contains(subject))
        #expect(try text.json().contains("2026-01-02 \(subject)"))
    }

    @Test func theDocumentHasPointsAndChanges() throws {
        try plant()
        let text = HistoryText(history: try history(), log: log)
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(text.json().utf8)) as? [String: Any])
        #expect(document["runs"] as? Int == 16)
        let metrics = try #require(document["metrics"] as? [[String: Any]])
        #expect(metrics.map { $0["metric"] as? String } == ["file_bytes", "throughput_ops_per_s"])
        #expect((metrics[0]["points"] as? [Any])?.count == 16)
        let change = try #require((metrics[0]["changes"] as? [[String: Any]])?.first)
        #expect(change["commit"] as? String == "00000008")
        #expect(change["description"] as? String == "2026-01-08 Change 8")
        #expect(change["after"] as? Double == 1001)
    }

    @Test func runsOfUnknownCommitsAreInTheOrderOfTheirStarts() throws {
        try write("02", commit: 21, fileBytes: 20, rate: 5)
        try write("01", commit: 5, fileBytes: 10, rate: 5)
        try write("03", commit: nil, fileBytes: 30, rate: 5)
        let history = try history(["file_bytes"])
        #expect(history.lines[0].points.map(\.value) == [10, 20, 30])
        #expect(history.lines[0].points.map(\.commit) == ["00000005", "unknown", "03"])
        #expect(history.notes.first?.contains("2 runs of no commit") == true)
    }

    @Test func runsThatDidOtherWorkAreNoChange() throws {
        try write("01", commit: 1, fileBytes: 10, rate: 5, operations: 300)
        try write("02", commit: 2, fileBytes: 20, rate: 5)
        try write("03", commit: 3, fileBytes: 20, rate: 5)
        let history = try history()
        #expect(history.lines.map(\.points.count) == [2, 2])
        #expect(history.lines.allSatisfy { $0.changes.isEmpty })
        #expect(history.notes.first?.hasPrefix("1 row with another number of operations") == true)
    }

    @Test func onlyWhatIsComparableIsPutTogether() throws {
        try write("01", commit: 1, fileBytes: 10, rate: 5) { $0.toolchain.swift = "5.0" }
        try write("02", commit: 2, fileBytes: 10, rate: 5) { $0.machine.cores = 999 }
        try write("03", commit: 3, fileBytes: 10, rate: 5)
        let history = try history()
        #expect(history.lines.map(\.points.count) == [2, 1] && history.runs == 2)
        #expect(history.notes.count == 2, "\(history.notes)")
        #expect(history.lines.allSatisfy { $0.changes.isEmpty })
    }
}
