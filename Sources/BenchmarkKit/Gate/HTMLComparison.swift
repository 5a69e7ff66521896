import Foundation
import ToolSupport

/// The page of a comparison of two or more runs.
struct HTMLComparison {
    let comparison: RunComparison
    /// Whether times are shown.
    var showsTimes = true

    var page: HTMLPage {
        var sections = [sides]
        if showsTimes, comparison.pairs.contains(where: { !$0.times.isEmpty }) {
            sections.append(rates)
            sections.append(charts)
            sections.append(times)
        }
        if comparison.pairs.contains(where: { !$0.counted.differences.isEmpty }) {
            sections.append(counted)
        }
        return HTMLPage(
            title: "Compared with \(name(of: comparison.reference))",
            warnings: comparison.wrongResults + comparison.notes, sections: sections)
    }

    // MARK: Names

    private var all: [ComparedSide] { [comparison.reference] + comparison.pairs.map(\.side) }

    /// The last part of a side's path, unless two sides have the same.
    private func name(of side: ComparedSide) -> String {
        func last(_ side: ComparedSide) -> String {
            side.name.split(separator: "/").last.map(String.init) ?? side.name
        }
        return all.count { last($0) == last(side) } == 1 ? last(side) : side.name
    }

    private static func style(_ verdict: RunComparison.Verdict) -> String {
        switch verdict {
        case .faster: "good"
        case .slower: "bad"
        case .unclear, .tooFewRuns: ""
        }
    }

    // MARK: Tables

    private var sides: HTMLPage.Section {
        let columns: [HTMLTable.Column] = [
            .init(title: "run", isLeft: true), .init(title: "started", isLeft: true),
            .init(title: "revision", isLeft: true), .init(title: "suite", isLeft: true),
            .init(title: "rows", meaning: "Rows of the run without those of controls."),
            .init(title: "faster", meaning: "Rows that are clearly faster than in the reference."),
            .init(title: "slower", meaning: "Rows that are clearly slower than in the reference."),
            .init(
                title: "no difference",
                meaning: "Rows that have enough runs, and no clear difference."),
            .init(title: "too few runs", meaning: "Rows with too few runs for a verdict."),
            .init(
                title: "counted differences",
                meaning: "Counted metrics, of rows that repeat exactly, that differ."),
        ]
        let rows = all.enumerated().map { index, side in
            let pair = index == 0 ? nil : comparison.pairs[index - 1]
            func count(_ verdict: RunComparison.Verdict) -> HTMLTable.Cell {
                guard let pair, showsTimes else { return .init("") }
                let count = pair.times.count { $0.verdict == verdict }
                return .init(
                    Display.grouped(count), value: Double(count),
                    style: count == 0 ? "" : Self.style(verdict))
            }
            let differences = pair?.counted.differences.count
            return HTMLTable.Row(cells: [
                .init(name(of: side) + (index == 0 ? " (reference)" : ""), note: side.name),
                .init(side.header?.startedAt ?? "baseline"),
                .init(side.header?.gitRevision ?? ""), .init(side.header?.suite ?? ""),
                .init(Display.grouped(side.rows.count), value: Double(side.rows.count)),
                count(.faster), count(.slower), count(.unclear), count(.tooFewRuns),
                .init(
                    differences.map(Display.grouped) ?? "", value: differences.map(Double.init)),
            ])
        }
        let key = comparison.reference.key
        return HTMLPage.Section(
            title: "Runs",
            parts: [
                .table(
                    HTMLTable(columns: columns, rows: rows).withoutEmptyColumns(keeping: 1)),
                .text("Measured on \(key)."),
            ] + (showsTimes ? [.text(ComparisonText.rule)] : []))
    }

    /// The cases in the order of the reference, then those that other sides add.
    private var cases: [String] {
        var known: Set<String> = []
        return all.flatMap { $0.rows.map(\.caseId) }.filter { known.insert($0).inserted }
    }

    /// All runs side by side: a row for each case, two columns for each run.
    private var rates: HTMLPage.Section {
        let rate = "Operations a second."
        var columns: [HTMLTable.Column] = [
            .init(title: "case", isLeft: true),
            .init(title: name(of: comparison.reference), meaning: rate),
        ]
        for pair in comparison.pairs {
            columns.append(.init(title: name(of: pair.side), meaning: rate))
            columns.append(
                .init(
                    title: "ratio",
                    meaning: "The rate of \(name(of: pair.side)) divided by that of the reference: "
                        + "above 1 it is faster. Coloured where the difference is clear."))
        }
        let former = Dictionary(comparison.reference.rows.map { ($0.caseId, $0) }) { $1 }
        let found = comparison.pairs.map { pair in
            (
                rows: Dictionary(pair.side.rows.map { ($0.caseId, $0) }) { $1 },
                times: Dictionary(pair.times.map { ($0.caseId, $0) }) { $1 }
            )
        }
        let rows = cases.map { id in
            var cells = [HTMLTable.Cell(id), Self.rate(former[id])]
            for (rows, times) in found {
                cells.append(Self.rate(rows[id]))
                cells.append(times[id].map(Self.ratio) ?? .init(""))
            }
            return HTMLTable.Row(cells: cells)
        }
        return HTMLPage.Section(
            title: "Throughput", parts: [.table(.init(columns: columns, rows: rows))])
    }

    private static func rate(_ row: MetricRow?) -> HTMLTable.Cell {
        let rate = row?.timed["throughput_ops_per_s"]
        return .init(PeersTable.text(rate: rate), value: rate)
    }

    private static func ratio(_ times: RunComparison.Times) -> HTMLTable.Cell {
        var note = "\(times.words): \(times.verdict.rawValue)"
        if !times.intervalText.isEmpty { note += "\n95 % interval \(times.intervalText)" }
        if let p = times.correctedP { note += String(format: "\np %.4f, corrected", p) }
        return .init(
            String(format: "%.2fx", times.ratio), value: times.ratio, note: note,
            style: style(times.verdict))
    }

    private var times: HTMLPage.Section {
        let columns: [HTMLTable.Column] = [
            .init(title: "case", isLeft: true), .init(title: "run", isLeft: true),
            .init(
                title: "compared", meaning: "The throughput beside that of the reference.",
                isLeft: true),
            .init(title: "verdict", meaning: ComparisonText.rule, isLeft: true),
            .init(title: "reference", meaning: "Operations a second of the reference."),
            .init(title: "ops/s", meaning: "Operations a second of the run."),
            .init(title: "95 %", meaning: "The 95 % interval of the ratio."),
            .init(
                title: "p",
                meaning: "Of the rank test of Mann and Whitney, corrected for all rows (Holm)."),
            .init(
                title: "p50 ratio",
                meaning: "The median latency divided by that of the reference: above 1 it is "
                    + "longer."),
        ]
        let rows = comparison.pairs.flatMap { pair in
            pair.times.map { row in
                HTMLTable.Row(cells: [
                    .init(row.caseId), .init(name(of: pair.side)),
                    .init(row.words, value: row.ratio, style: Self.style(row.verdict)),
                    .init(row.verdict.rawValue, style: Self.style(row.verdict)),
                    .init(Display.number(row.reference), value: row.reference),
                    .init(Display.number(row.rate), value: row.rate), .init(row.intervalText),
                    .init(
                        row.correctedP.map { String(format: "%.4f", $0) } ?? "",
                        value: row.correctedP),
                    .init(
                        row.latencyRatio.map { String(format: "%.3f", $0) } ?? "",
                        value: row.latencyRatio),
                ])
            }
        }
        return HTMLPage.Section(
            title: "Times",
            parts: [
                .table(.init(columns: columns, rows: rows).withoutEmptyColumns(keeping: 4))
            ])
    }

    private var counted: HTMLPage.Section {
        let meanings = Dictionary(
            ColumnCatalogue.summary.map { ($0.name, $0.meaning) }
        ) { first, _ in first }
        let columns: [HTMLTable.Column] = [
            .init(title: "case", isLeft: true), .init(title: "run", isLeft: true),
            .init(
                title: "metric", meaning: "The column; its meaning is shown on hover.",
                isLeft: true),
            .init(title: "reference"), .init(title: "run's"), .init(title: "change"),
            .init(title: "verdict", isLeft: true),
        ]
        let rows = comparison.pairs.flatMap { pair in
            zip(pair.counted.table().rows, pair.counted.differences).map { fields, difference in
                HTMLTable.Row(cells: [
                    .init(fields[0]), .init(name(of: pair.side)),
                    .init(fields[1], note: meanings[fields[1]] ?? ""),
                    .init(fields[2], value: difference.baseline),
                    .init(fields[3], value: difference.now),
                    .init(fields[4], value: difference.change),
                    .init(
                        fields[5],
                        style: difference.verdict == .regression
                            ? "bad" : difference.verdict == .improvement ? "good" : ""),
                ])
            }
        }
        return HTMLPage.Section(
            title: "Counted metrics that differ",
            parts: [.table(.init(columns: columns, rows: rows))])
    }

    // MARK: Charts

    private var charts: HTMLPage.Section {
        var order: [String] = []
        var points: [String: [RatioChart.Point]] = [:]
        for (color, pair) in comparison.pairs.enumerated() {
            for row in pair.times {
                let parts = row.caseId.split(separator: "/").map(String.init)
                if points[parts[0]] == nil { order.append(parts[0]) }
                let label =
                    parts.dropFirst().filter { $0 != "plain" }.joined(separator: "/")
                    + (comparison.pairs.count > 1 ? " · \(name(of: pair.side))" : "")
                points[parts[0], default: []].append(
                    .init(
                        label: label, ratio: row.ratio,
                        interval: row.interval.map { ($0.low, $0.high) }, color: color))
            }
        }
        let charts = order.map { workload in
            RatioChart(
                title: workload, axisTitle: "ratio to the reference; to the right is faster",
                points: points[workload] ?? []
            ).svg()
        }
        return HTMLPage.Section(
            title: "Ratios",
            parts: [
                .text(
                    "Throughput divided by that of the reference, with the 95 % interval where "
                        + "there are several runs of a case. Each chart has its own scale."),
                .charts(charts),
            ])
    }
}
