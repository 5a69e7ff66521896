import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StressKit

@Suite struct StressSummaryTests {
    private func row(
        _ layer: String, _ scenario: String, run: String = "1795338000-1", revision: String = "abc",
        _ change: (inout LayerTally) -> Void
    ) -> [String] {
        var tally = LayerTally(layer: layer, scenario: scenario, seed: 1, firstRound: 0)
        tally.rounds = 1
        change(&tally)
        return StressTable.fields(of: tally, run: run, revision: revision)
    }

    /// Rows of two runs, the second with a row of another commit.
    private var rows: [[String]] {
        [
            StressTable.header,
            row("power-loss", "full") {
                $0.report.points = 1000
                $0.report.states = 2000
                $0.seconds = 90
            },
            row("disk-full", "tmpfs") {
                $0.report.points = 60
                $0.report.coverage = ["commit (pwritev)": 2, "create (fallocate)": 1]
            },
            row("process-death", "beside", run: "1795424400-2") {
                $0.report.handOverNanoseconds = [300_000, 310_000, 40_000]
                $0.report.failures = [
                    .init(point: "process-death/beside seed=4", kind: .lostCommit, message: "gone")
                ]
            },
            row("power-loss", "full", run: "1795424400-2", revision: "def+changes") {
                $0.report.points = 500
                $0.seconds = 30
            },
        ]
    }

    @Test func slicesAreAddedUp() throws {
        let summary = try StressSummary(rows: rows)
        #expect(summary.layers.map(\.name) == ["power-loss", "disk-full", "process-death"])
        #expect(summary.layers[0].total.points == 1500)
        #expect(summary.layers[0].total.seconds == 120)
        #expect(summary.layers[0].total.rounds == 2)
        #expect(summary.all.points == 1560)
        #expect(summary.all.lostCommits == 1)
        #expect(summary.all.handOvers.total == 3)
        #expect(summary.runs.count == 2)
        #expect(summary.revisions == ["abc", "def+changes"])
        #expect(summary.firstFailures == ["process-death/beside seed=4"])
        #expect(summary.days == ["2026-11-22", "2026-11-23"])
    }

    @Test func rowsOfOneCommitCanBeChosen() throws {
        #expect(try StressSummary(rows: rows, revision: "def").all.points == 500)
        #expect(try StressSummary(rows: rows, revision: "xyz").all == StressSummary.Total())
    }

    @Test func otherColumnsAndOtherTextAreRefused() throws {
        #expect(throws: BenchmarkError.self) { try StressSummary(rows: [["a", "b"]]) }
        var broken = rows
        broken[1][StressTable.header.firstIndex(of: "points")!] = "many"
        let error = #expect(throws: BenchmarkError.self) { try StressSummary(rows: broken) }
        #expect(error?.message.contains("Row 1") == true)
    }

    @Test func tablesHaveEveryFigure() throws {
        let tables = SummaryTables(try StressSummary(rows: rows))
        #expect(tables.markdown(.layers).contains("| power-loss | 1 | 2 | 1,500 | 2,000 |"))
        #expect(tables.markdown(.fullDisks).contains("| commit (pwritev) | 2 |"))
        #expect(tables.markdown(.handOvers).contains("| 64 us | 1 | 33.33 % |"))
        #expect(tables.markdown(.handOvers).contains("| 512 us | 2 | 100.00 % |"))
        #expect(tables.markdown(.run).contains("1 acknowledged commits lost, 1 finding."))
        #expect(tables.markdown(.coverage) == "Nothing yet.")
        let replay = "stress replay 'process-death/beside seed=4'"
        #expect(tables.lines.contains { $0.contains(replay) })
    }

    /// Documents have lines of 120 columns.
    @Test func theSentenceFitsADocument() throws {
        var two = rows
        let revision = StressTable.header.firstIndex(of: "git_revision")!
        for index in 1...3 { two[index][revision] = String(repeating: "a", count: 40) }
        two[4][revision] = String(repeating: "b", count: 40) + "+changes"
        let text = SummaryTables(try StressSummary(rows: two)).markdown(.run)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.count <= 120 }, "\(lines)")
        #expect(lines[0].contains("`aaaaaaaaaaaa`, `bbbbbbbbbbbb+changes`"))
    }

    @Test func aHistogramIsReadAsItWasWritten() throws {
        let histogram = HandOverHistogram(nanoseconds: [0, 999, 1000, 1999, 5_000_000])
        #expect(histogram.description == "1:2 2:2 8192:1")
        #expect(HandOverHistogram(histogram.description) == histogram)
        for wrong in ["1", "3:1", "2:0", "x:1", "2:1:1"] {
            #expect(HandOverHistogram(wrong) == nil, "\(wrong)")
        }
        #expect(CoverageText.coverage(of: "a b 3; c 1") == ["a b": 3, "c": 1])
        #expect(CoverageText.coverage(of: "3") == nil)
    }

    /// The sum of all rounds does not depend on when they are written.
    @Test func aRowTakesOverWhatWasWritten() {
        var row = TallyRow(LayerTally(layer: "l", scenario: "s", seed: 1, firstRound: 7))
        #expect(row.takeUnwritten() == nil)
        row.unwritten.rounds = 2
        row.unwritten.report.points = 10
        #expect(!row.isDue)
        row.unwritten.seconds = 30
        #expect(row.isDue)
        #expect(row.takeUnwritten()?.firstRound == 7)
        #expect(row.unwritten.firstRound == 9)
        #expect(row.takeUnwritten() == nil)
        row.unwritten.rounds = 1
        row.unwritten.report.failures = [.init(point: "p", kind: .crash, message: "m")]
        #expect(row.isDue && !row.mayGoOn)
        #expect(row.whole.rounds == 3)
        #expect(row.takeUnwritten()?.firstRound == 9)
        #expect(!row.mayGoOn)
        #expect(row.whole.report.points == 10)
    }
}
