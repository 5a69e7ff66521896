import Foundation
import ToolSupport

/// The form in which a comparison is written.
enum ComparisonFormat: String, CaseIterable {
    case text, markdown, json, csv
}

/// A comparison as text for people and for programs.
struct ComparisonText {
    let comparison: RunComparison
    /// Whether times are shown.
    var showsTimes = true
    /// The columns of the text for people; nil for any number.
    var width: Int?

    func text(_ format: ComparisonFormat) throws -> String {
        switch format {
        case .text: lines(isMarkdown: false).joined(separator: "\n") + "\n"
        case .markdown: lines(isMarkdown: true).joined(separator: "\n") + "\n"
        case .json: try json()
        case .csv: CSV.line(Self.header) + values.map { CSV.line($0.fields) }.joined()
        }
    }

    // MARK: For people

    private func lines(isMarkdown: Bool) -> [String] {
        var lines: [String] = []
        if isMarkdown { lines += ["# Compared with \(comparison.reference.name)", ""] }
        for note in comparison.notes {
            lines += isMarkdown ? ["- \(note)"] : PageWidth.lines(of: note, within: width)
        }
        if !comparison.notes.isEmpty { lines.append("") }
        for (index, pair) in comparison.pairs.enumerated() {
            if index > 0 { lines.append("") }
            for (title, table, keys) in tables(of: pair) {
                lines += [isMarkdown ? "## \(title)" : title, ""]
                lines += isMarkdown ? table.markdown() : table.lines(within: width, keys: keys)
                lines.append("")
            }
            lines.append(
                "\(pair.side.name): \(pair.counted.comparedMetrics) counted metrics of "
                    + "\(Display.count(pair.counted.comparedRows, "row")) compared, "
                    + "\(pair.counted.differences.count) differ.")
        }
        if showsTimes {
            lines += [""] + PageWidth.lines(of: Self.rule, within: isMarkdown ? nil : width)
        }
        return lines
    }

    /// How a verdict on times comes about.
    static let rule =
        "Times were taken at different moments, and decide nothing. A difference is called one "
        + "from \(RunComparison.fewestRuns) runs of a case on each side on, if the 95 % interval "
        + "of the ratio leaves out 1 and p, corrected for all rows, is below "
        + "\(Display.number(RunComparison.significance))."

    /// Returns the tables, each with the number of columns that tell its rows apart.
    private func tables(
        of pair: RunComparison.Pair
    ) -> [(title: String, table: TextTable, keys: Int)] {
        var tables: [(String, TextTable, Int)] = []
        if !pair.counted.differences.isEmpty {
            tables.append(
                (
                    "Counted metrics of \(pair.side.name) that differ", pair.counted.table(), 2
                ))
        }
        if showsTimes, !pair.times.isEmpty {
            tables.append(("Times of \(pair.side.name)", Self.table(of: pair.times), 1))
        }
        return tables
    }

    private static func table(of times: [RunComparison.Times]) -> TextTable {
        TextTable(
            leftColumns: [0, 1, 2],
            header: [
                "case", "speed", "verdict", "reference, ops/s", "ops/s", "95 % interval",
                "p (Holm)", "p50 ratio",
            ],
            rows: times.map { row in
                [
                    row.caseId, row.words, row.verdict.rawValue, Display.number(row.reference),
                    Display.number(row.rate),
                    row.intervalText,
                    row.correctedP.map { String(format: "%.4f", $0) } ?? "",
                    row.latencyRatio.map { String(format: "%.3f", $0) } ?? "",
                ]
            })
    }

    // MARK: For programs

    /// One compared figure.
    private struct Value: Encodable {
        var caseId, run, metric: String
        var reference, value, ratio, ratioLow, ratioHigh, p: Double?
        var verdict: String

        var fields: [String] {
            [caseId, run, metric]
                + [reference, value, ratio, ratioLow, ratioHigh, p]
                .map { ColumnCatalogue.decimal($0) } + [verdict]
        }
    }

    static let header = [
        "case_id", "run", "metric", "reference", "value", "ratio", "ratio_ci_low",
        "ratio_ci_high", "p", "verdict",
    ]

    /// The counted metrics that differ, the times, and the rows that one side lacks.
    private var values: [Value] {
        comparison.pairs.flatMap { pair in
            pair.counted.differences.map { difference in
                Value(
                    caseId: difference.caseId, run: pair.side.name, metric: difference.metric,
                    reference: difference.baseline, value: difference.now,
                    ratio: difference.change.map { 1 + $0 / 100 },
                    verdict: difference.verdict.rawValue)
            }
                + (showsTimes ? pair.times : []).map { row in
                    Value(
                        caseId: row.caseId, run: pair.side.name, metric: "throughput_ops_per_s",
                        reference: row.reference, value: row.rate, ratio: row.ratio,
                        ratioLow: row.interval?.low, ratioHigh: row.interval?.high,
                        p: row.correctedP, verdict: row.verdict.rawValue)
                }
                + pair.onlyInReference.map {
                    Value(
                        caseId: $0, run: pair.side.name, metric: "",
                        verdict: "only in the reference")
                }
                + pair.onlyInSide.map {
                    Value(caseId: $0, run: pair.side.name, metric: "", verdict: "only here")
                }
        }
    }

    private struct Document: Encodable {
        var reference: String
        var runs: [String]
        var notes: [String]
        var wrongResults: [String]
        var values: [Value]
    }

    private func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(
            reference: comparison.reference.name, runs: comparison.pairs.map(\.side.name),
            notes: comparison.notes, wrongResults: comparison.wrongResults, values: values)
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }
}
