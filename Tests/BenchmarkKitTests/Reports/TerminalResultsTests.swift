import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// Tests of the tables that `run` prints.
@Suite struct TerminalResultsTests {
    private static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/run").path

    private func row(samples: Int?) -> RunRow {
        var result = CaseResult.empty("lookup", "api")
        result.operations = 5000
        result.elapsedSeconds = 2
        result.interval = ThroughputInterval(ratesOfEqualTimes: [2400, 2500, 2600])
        result.latency = LatencySummary(
            p50: 0.25, p90: 9, p99: 12.34, p999: 5678, p9999: 1_234_567, max: 2_000_000,
            samples: samples)
        (result.fileBytes, result.peakResidentBytes) = (12_300_000, 45_600_000)
        (result.syncsPerCommit, result.bytesWrittenPerCommit) = (1, 8192)
        result.allocationsPerOperation = 1.5
        return RunRow(result, context: RunContext(runIdentifier: ""))
    }

    private func width(_ lines: [String]) -> Int {
        lines.map { TerminalWidth.columns(of: $0) }.max() ?? 0
    }

    @Test func tablesFitAHundredColumnsAndTellWhatTheyLeaveOut() throws {
        let run = try RunFolder(path: Self.fixture)
        for rows in [run.rows, [row(samples: 5000)]] {
            let lines = TerminalResults.lines(for: rows, isWide: false)
            #expect(width(lines) <= 100, "\(lines.joined(separator: "\n"))")
            #expect(!lines[0].contains("peak RSS") && lines[0].contains("ops/s"))
        }
        let narrow = TerminalResults.lines(for: [row(samples: 5000)], isWide: false)
        let text = narrow.joined(separator: " ")
        #expect(text.contains("peak RSS; --wide shows them."), "\(text)")
        let wide = TerminalResults.lines(for: [row(samples: 5_000_000)], isWide: true)
        for column in ["p99.99", "peak RSS", "samples", "seconds", "file"] {
            #expect(wide[0].contains(column), "\(wide[0])")
        }
        #expect(wide.last?.contains("Left out") == false)
    }

    @Test(
        arguments: [
            (19, "", ""), (20, "250 ns", ""), (999, "250 ns", ""), (1000, "250 ns", "12.3 us"),
            (nil, "250 ns", "12.3 us"),
        ] as [(Int?, String, String)])
    func percentilesNeedSamplesBeyondThem(samples: Int?, p50: String, p99: String) {
        let row = row(samples: samples)
        #expect(ResultColumn.percentile(50, row, "latency_p50_us") == p50)
        #expect(ResultColumn.percentile(99, row, "latency_p99_us") == p99)
        let few = TerminalResults.lines(for: [row], isWide: false)[0]
        #expect(few.contains("p99") == !p99.isEmpty)
    }

    @Test(arguments: [
        (0.0004, "0.4 ns"), (0.25, "250 ns"), (0.9996, "1.00 us"), (12.34, "12.3 us"),
        (999.4, "999 us"), (5678, "5.68 ms"), (2_000_000, "2 s"), (99.96, "100 us"),
    ])
    func durationsHaveAUnitThatFits(microseconds: Double, text: String) {
        #expect(ResultColumn.duration(microseconds) == text)
    }

    @Test func aSearchThatFoundNoRateSaysSo() {
        var result = CaseResult.empty("ycsb-a", "api-rate")
        result.status = .noRate
        let row = RunRow(result, context: RunContext(runIdentifier: ""))
        let lines = TerminalResults.lines(for: [row], isWide: false)
        #expect(lines.contains { $0.contains("api-rate") && $0.contains("no-rate") }, "\(lines)")
    }

    @Test func rowsOfClosedLoopsSaySo() {
        var result = CaseResult.empty("commit", "api")
        #expect(ResultTable.remarks(on: [result]).first?.hasPrefix("Closed loops: ") == true)
        result.offeredRate = 100
        #expect(ResultTable.remarks(on: [result]) == [])
        // The latencies of the table count from when an operation began.
        result.operations = 300
        result.elapsedSeconds = 6
        result.measure("intended_p50_us", 250_000)
        result.measure("intended_p99_us", 508_000)
        let late = ResultTable.remarks(on: [result])
        #expect(late.count == 1, "\(late)")
        #expect(
            late.first?.hasSuffix("realm p50 250 ms (50 of 100 ops/s: it did not keep up).")
                == true, "\(late)")
        result.operations = 599
        result.latency = LatencySummary(
            p50: 1, p90: 1, p99: 1, p999: 1, p9999: 1, max: 1, samples: 1000)
        let kept = ResultTable.remarks(on: [result])
        #expect(kept.first?.hasSuffix("realm p50 250 ms, p99 508 ms.") == true, "\(kept)")
        // There, nothing could be delayed.
        #expect(ResultTable.remarks(on: [CaseResult.empty("lookup", "api")]) == [])
    }

    @Test func intervalsAreRelative() {
        let lines = TerminalResults.lines(for: [row(samples: 5000)], isWide: false)
        #expect(lines.contains { $0.contains("±") && $0.contains(" %") })
    }

    @Test func controlsOfChecksFollowBelowWhereTheyDoNotFit() {
        func lines(_ name: String, isWide: Bool = false) -> [String] {
            let check = CheckOutcome(
                title: "commit", unit: "", bound: .atLeast, target: 1, measured: 2,
                controls: [CheckOutcome.Control(name: name, measured: 3)])
            return TerminalResults.lines(for: [check], isWide: isWide).map(\.text)
        }
        let long = String(repeating: "x", count: 80)
        #expect(lines("short").count == 3 && lines("short")[2].contains("short 3"))
        #expect(lines(long).count == 4 && lines(long)[3] == "  beside: \(long) 3")
        #expect(lines(long, isWide: true).count == 3)
    }

    @Test func durationsOfTransactionsCountOnce() throws {
        var recorder = LatencyRecorder()
        recorder.record(1000, count: 500)
        recorder.record(2000, count: 500)
        var other = try JSONDecoder().decode(
            LatencyRecorder.self, from: JSONEncoder().encode(recorder))
        #expect(other.summary() == recorder.summary() && other.summary()?.samples == 2)
        other.add(recorder)
        #expect(other.count == 2000 && other.summary()?.samples == 4)
        other.reset()
        other.record(1)
        #expect(other.summary()?.divided(by: 10).samples == 1)
    }
}
