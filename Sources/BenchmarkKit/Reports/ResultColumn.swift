import Foundation
import ToolSupport

/// A column of the tables that people read. Units fit each row, and percentiles are shown only
/// where enough samples stand behind them.
struct ResultColumn: Sendable {
    let title: String
    /// The column of ``ColumnCatalogue`` that it shows.
    let source: String
    /// The lowest is left out first where there is no room; nil for never.
    var rank: Int?
    /// Whether it is shown only on request (`--wide`).
    var isWide = false
    let text: @Sendable (RunRow) -> String

    /// The number that the text stands for; nil if it was not measured.
    func value(of row: RunRow) -> Double? {
        source == Self.intervalEnd ? Self.halfInterval(row) : row.number(source)
    }

    /// What the column means.
    var meaning: String {
        if source == Self.intervalEnd {
            return "Half of the 95 % interval of the throughput, in percent of it."
        }
        let column = ColumnCatalogue.summary.first { $0.name == source }
        return "\(source): \(column?.meaning ?? "")"
    }

    /// The fewest samples that must lie beyond a percentile, for it to be shown.
    static let samplesBeyond = 10.0

    static let all: [ResultColumn] = [
        ResultColumn(title: "engine", source: "engine") { $0.engine },
        ResultColumn(title: "objects", source: "size_objects") { Display.grouped($0.size) },
        ResultColumn(title: "ops/s", source: throughput) {
            $0.hasRun ? Display.number($0.number(throughput)) : $0.status
        },
        ResultColumn(title: "95 %", source: intervalEnd, rank: 8) { interval($0) },
        percentile("p50", 50, "latency_p50_us"),
        percentile("p90", 90, "latency_p90_us", isWide: true),
        percentile("p99", 99, "latency_p99_us", rank: 9),
        percentile("p99.9", 99.9, "latency_p999_us", isWide: true),
        percentile("p99.99", 99.99, "latency_p9999_us", isWide: true),
        ResultColumn(title: "max", source: "latency_max_us", rank: 2) {
            duration($0.number("latency_max_us"))
        },
        ResultColumn(title: "samples", source: "latency_samples", rank: 4) { row in
            row.number("latency_samples").map { Display.grouped(Int($0)) } ?? ""
        },
        number("seconds", "elapsed_s", rank: 3),
        number("syncs", "syncs_per_commit", rank: 7),
        bytes("written/commit", "bytes_written_per_commit", rank: 6),
        number("pages/commit", "pages_written_per_commit", isWide: true),
        number("allocs/op", "allocations_per_op", rank: 5),
        bytes("file", "file_bytes", rank: 1),
        bytes("live", "live_bytes", isWide: true),
        bytes("peak RSS", "rss_peak_bytes", rank: 0),
    ]

    private static let throughput = "throughput_ops_per_s"
    private static let intervalEnd = "throughput_ci_high"

    /// Whether the column says something about rows that have not run.
    var isOfEveryRow: Bool { rank == nil && !isWide }

    // MARK: Kinds of columns

    private static func percentile(
        _ title: String, _ percent: Double, _ source: String, rank: Int? = nil,
        isWide: Bool = false
    ) -> ResultColumn {
        ResultColumn(title: title, source: source, rank: rank, isWide: isWide) {
            percentile(percent, $0, source)
        }
    }

    private static func number(
        _ title: String, _ source: String, rank: Int? = nil, isWide: Bool = false
    ) -> ResultColumn {
        ResultColumn(title: title, source: source, rank: rank, isWide: isWide) {
            Display.number($0.number(source))
        }
    }

    private static func bytes(
        _ title: String, _ source: String, rank: Int? = nil, isWide: Bool = false
    ) -> ResultColumn {
        ResultColumn(title: title, source: source, rank: rank, isWide: isWide) { row in
            Display.bytes(row.number(source).map { Int($0.rounded()) })
        }
    }

    // MARK: Fields

    /// Half of the interval around the throughput, in percent of it.
    private static func halfInterval(_ row: RunRow) -> Double? {
        guard let rate = row.throughput, rate > 0, let low = row.number("throughput_ci_low"),
            let high = row.number(intervalEnd)
        else { return nil }
        return (high - low) / 2 / rate * 100
    }

    private static func interval(_ row: RunRow) -> String {
        guard let percent = halfInterval(row) else { return "" }
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
}
