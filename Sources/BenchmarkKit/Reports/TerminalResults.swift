import Foundation
import ToolSupport

/// The result table of a run for a terminal, with a group of lines for each workload.
///
/// Units fit each row, percentiles are shown only where enough samples stand behind them, and by
/// default no line is longer than ``PageWidth/usual``.
enum TerminalResults {
    /// The fewest samples that must lie beyond a percentile, for it to be shown.
    static let samplesBeyond = 10.0

    private struct Column: Sendable {
        let title: String
        /// The lowest is left out first where there is no room; nil for never.
        var rank: Int?
        /// Whether only `--wide` shows it.
        var isWide = false
        let text: @Sendable (RunRow) -> String
    }

    private static let columns: [Column] = [
        Column(title: "engine") { $0.engine },
        Column(title: "objects") { Display.grouped($0.size) },
        Column(title: "ops/s") {
            $0.hasRun ? Display.number($0.number("throughput_ops_per_s")) : $0.status
        },
        Column(title: "95 %", rank: 8) { interval($0) },
        Column(title: "p50") { percentile(50, $0, "latency_p50_us") },
        Column(title: "p90", isWide: true) { percentile(90, $0, "latency_p90_us") },
        Column(title: "p99", rank: 9) { percentile(99, $0, "latency_p99_us") },
        Column(title: "p99.9", isWide: true) { percentile(99.9, $0, "latency_p999_us") },
        Column(title: "p99.99", isWide: true) { percentile(99.99, $0, "latency_p9999_us") },
        Column(title: "max", rank: 2) { duration($0.number("latency_max_us")) },
        Column(title: "samples", rank: 4) { count("latency_samples", $0) },
        Column(title: "seconds", rank: 3) { Display.number($0.number("elapsed_s")) },
        Column(title: "syncs", rank: 7) { Display.number($0.number("syncs_per_commit")) },
        Column(title: "written/commit", rank: 6) { bytes("bytes_written_per_commit", $0) },
        Column(title: "pages/commit", isWide: true) {
            Display.number($0.number("pages_written_per_commit"))
        },
        Column(title: "allocs/op", rank: 5) { Display.number($0.number("allocations_per_op")) },
        Column(title: "file", rank: 1) { bytes("file_bytes", $0) },
        Column(title: "live", isWide: true) { bytes("live_bytes", $0) },
        Column(title: "peak RSS", rank: 0) { bytes("rss_peak_bytes", $0) },
    ]

    /// Returns the table of a run, and what explains it.
    static func lines(for results: [CaseResult], isWide: Bool) -> [String] {
        lines(
            for: results.map { RunRow($0, context: RunContext(runIdentifier: "")) },
            isWide: isWide)
    }

    static func lines(for rows: [RunRow], isWide: Bool) -> [String] {
        var table = TextTable(header: ["case"])
        table.leftColumns = [0, 1]
        let groups = rows.byWorkload
        let ordered = groups.flatMap(\.rows)
        table.rows = groups.flatMap { ResultTable.names(of: $0.rows) }.map { ["  " + $0] }
        var ranks: [(rank: Int, column: Int)] = []
        for column in columns where isWide || !column.isWide {
            let texts = ordered.map { row in
                row.hasRun || column.rank == nil && !column.isWide ? column.text(row) : ""
            }
            guard texts.contains(where: { !$0.isEmpty }) else { continue }
            if let rank = column.rank { ranks.append((rank, table.header.count)) }
            table.header.append(column.title)
            for index in texts.indices { table.rows[index].append(texts[index]) }
        }
        var leftOut: [String] = []
        if !isWide {
            (table, leftOut) = table.fitted(
                to: PageWidth.usual,
                leavingOut: ranks.sorted { $0.rank < $1.rank }.map(\.column))
        }
        return grouped(table.lines(), groups.map { ($0.workload, $0.rows.count) })
            + remarks(leftOut, isWide: isWide)
    }

    /// Puts the name of each workload before its lines.
    private static func grouped(
        _ lines: [String], _ groups: [(workload: String, rows: Int)]
    ) -> [String] {
        var text = Array(lines.prefix(2))
        var next = 2
        for (workload, count) in groups {
            text.append(workload)
            text += lines[next..<next + count]
            next += count
        }
        return text
    }

    private static func remarks(_ leftOut: [String], isWide: Bool) -> [String] {
        let width = isWide ? nil : PageWidth.usual
        var text =
            "95 %: half of the interval around ops/s. A percentile of the latencies is shown where "
            + "at least \(Int(samplesBeyond)) samples lie beyond it: p50 from 20 samples on, p99 "
            + "from 1,000, p99.9 from 10,000."
        if !leftOut.isEmpty {
            text +=
                " Left out for want of room: \(leftOut.joined(separator: ", ")); --wide shows them."
        }
        return PageWidth.lines(of: text, within: width)
    }

    // MARK: Fields

    /// Half of the interval around the throughput, relative to it.
    private static func interval(_ row: RunRow) -> String {
        guard let rate = row.throughput, rate > 0, let low = row.number("throughput_ci_low"),
            let high = row.number("throughput_ci_high")
        else { return "" }
        let percent = (high - low) / 2 / rate * 100
        return "±"
            + (percent < 9.95
                ? String(format: "%.1f", percent)
                : Display.number(
                    percent.rounded())) + " %"
    }

    /// The percentile, if enough samples lie beyond it. Older runs do not tell how many there were.
    static func percentile(_ percent: Double, _ row: RunRow, _ name: String) -> String {
        if let samples = row.number("latency_samples"),
            samples * (1 - percent / 100) < samplesBeyond - 1e-6
        {
            return ""
        }
        return duration(row.number(name))
    }

    /// A duration in microseconds as text in a unit that fits it, with three digits.
    static func duration(_ microseconds: Double?) -> String {
        guard let microseconds else { return "" }
        for (unit, size) in [("ns", 0.001), ("us", 1), ("ms", 1000)] {
            let value = microseconds / size
            if value < 999.5 {
                let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
                return String(format: "%.\(unit == "ns" ? min(digits, 1) : digits)f ", value) + unit
            }
        }
        return Display.number(microseconds / 1e6) + " s"
    }

    private static func bytes(_ column: String, _ row: RunRow) -> String {
        Display.bytes(row.number(column).map { Int($0.rounded()) })
    }

    private static func count(_ column: String, _ row: RunRow) -> String {
        row.number(column).map { Display.grouped(Int($0)) } ?? ""
    }
}

extension TerminalResults {
    /// Returns the checks, each with its line. Where the controls do not fit, they follow below.
    static func lines(
        for outcomes: [SpeedCheck.Outcome], isWide: Bool
    ) -> [(text: String, check: SpeedCheck.Outcome?)] {
        let table = ResultTable.table(of: outcomes)
        let whole = table.lines()
        if isWide || whole.allSatisfy({ TerminalWidth.columns(of: $0) <= PageWidth.usual }) {
            return zip(whole, [nil, nil] + outcomes.map(Optional.some)).map { ($0, $1) }
        }
        let controls = table.header.count - 1
        let short = table.selecting(Array(table.header.indices.dropLast())).lines()
        return short.prefix(2).map { ($0, nil) }
            + zip(short.dropFirst(2), outcomes.indices).flatMap { line, index in
                let beside = table.rows[index][controls]
                return [(line, outcomes[index])]
                    + (beside.isEmpty ? [] : [("  beside: " + beside, nil)])
            }
    }
}
