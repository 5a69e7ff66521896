import Foundation
import ToolSupport

/// A history as a table, a page and a picture.
struct HistoryText {
    let history: RunHistory
    let log: CommitLog

    /// How a change is found.
    static let rule =
        "Counted metrics: every difference is a change. Times: E-divisive (Matteson and James, "
        + "2014), p at most \(ChangePoints.significance) by "
        + "\(ChangePoints.permutations) permutations, at least \(ChangePoints.fewestValues) runs "
        + "on each side; one series in a hundred that did not change is taken for one that did. "
        + "Before and after are medians of the runs between two changes."

    // MARK: Text

    func lines(all: Bool, width: Int?) -> [String] {
        var lines = history.notes
        if !lines.isEmpty { lines.append("") }
        let changed = history.lines.filter { !$0.changes.isEmpty }
        if all {
            lines += metrics.lines(within: width, keys: 2) + [""]
        }
        if !changed.isEmpty {
            if width == nil {
                lines += changes.lines() + [""]
            } else {
                // The subjects of commits are long, so that each has a line of its own, once.
                let table = changes.selecting(Array(changes.header.indices.dropLast()))
                lines += table.lines(within: width, keys: 2) + [""]
                lines += commits.shorteningLast(within: width).lines() + [""]
            }
        }
        lines.append(
            "\(Display.count(history.runs, "run")): \(Display.count(changed.count, "metric")) of "
                + "\(Display.grouped(history.lines.count)) changed.")
        return lines + PageWidth.lines(of: Self.rule, within: width)
    }

    /// A row for each metric of each case.
    var metrics: TextTable {
        TextTable(
            leftColumns: [0, 1],
            header: ["case", "metric", "first", "last", "change", "runs", "changes"],
            rows: history.lines.map { line in
                let values = line.points.map(\.value)
                return [
                    line.caseId, line.metric, ColumnCatalogue.decimal(values.first),
                    ColumnCatalogue.decimal(values.last),
                    Self.relative(values[0], values[values.count - 1]), String(values.count),
                    String(line.changes.count),
                ]
            })
    }

    /// A row for each change.
    var changes: TextTable {
        TextTable(
            leftColumns: [0, 1, 5, 6],
            header: ["case", "metric", "before", "after", "change", "at", "commit"],
            rows: history.lines.flatMap { line in
                line.changes.map { change in
                    [
                        line.caseId, line.metric, ColumnCatalogue.decimal(change.before),
                        ColumnCatalogue.decimal(change.after),
                        Self.relative(change.before, change.after),
                        line.points[change.position].commit, description(of: change, in: line),
                    ]
                }
            })
    }

    /// A row for each commit at which something changed, in their order.
    private var commits: TextTable {
        let all = history.lines.flatMap { line in line.changes.map { place(of: $0, in: line) } }
        var seen: Set<ChangePlace> = []
        let places = all.filter { seen.insert($0).inserted }.sorted { $0.order < $1.order }
        return TextTable(
            leftColumns: [0, 1, 3], header: ["at", "before", "between", "commit"],
            rows: places.map {
                [$0.at, $0.before, $0.between > 0 ? String($0.between) : "", $0.title]
            })
    }

    /// The commit at which a metric changed, as far as it is known.
    private struct ChangePlace: Hashable {
        /// The first commit that was measured after the change, and the last one before it.
        var at, before: String
        /// How many commits between the two were not measured.
        var between = 0
        /// The day and the subject of the first one; empty if it is not in the history.
        var title = ""
        var order = 0
    }

    private func place(of change: RunHistory.Change, in line: RunHistory.Line) -> ChangePlace {
        let (before, after) = (line.points[change.position - 1], line.points[change.position])
        var place = ChangePlace(at: after.commit, before: before.commit)
        guard let commit = log.commit(beginningWith: after.commit) else { return place }
        place.title = "\(commit.day) \(commit.subject)"
        place.order = log.place(commit.revision) ?? 0
        if let former = log.commit(beginningWith: before.commit) {
            place.between = max(0, place.order - (log.place(former.revision) ?? 0) - 1)
        }
        return place
    }

    private func description(of change: RunHistory.Change, in line: RunHistory.Line) -> String {
        let place = place(of: change, in: line)
        if place.title.isEmpty {
            return place.before == place.at ? "" : "after \(place.before)"
        }
        return place.between == 0
            ? place.title
            : "\(place.title) (or one of the \(place.between) since \(place.before))"
    }

    private static func relative(_ before: Double, _ after: Double) -> String {
        before == 0 || before == after ? "" : Percent.signed((after / before - 1) * 100)
    }

    // MARK: CSV

    static let header = ["case_id", "metric", "run_id", "commit", "value", "segment"]

    /// A row for each point; the segments between changes are counted from 0.
    var csv: String {
        CSV.line(Self.header)
            + history.lines.flatMap { line in
                line.points.enumerated().map { index, point in
                    CSV.line([
                        line.caseId, line.metric, point.run, point.commit,
                        ColumnCatalogue.decimal(point.value),
                        String(line.changes.count { $0.position <= index }),
                    ])
                }
            }.joined()
    }

    // MARK: JSON

    private struct Document: Encodable {
        struct Line: Encodable {
            var caseId, metric: String
            var points: [Point]
            var changes: [Change]
        }
        struct Point: Encodable {
            var runId, commit: String
            var value: Double
        }
        struct Change: Encodable {
            var before, after: Double
            var commit, description: String
            var p: Double?
        }
        var runs: Int
        var notes: [String]
        var metrics: [Line]
    }

    /// All metrics with their points and changes.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let metrics = history.lines.map { line in
            Document.Line(
                caseId: line.caseId, metric: line.metric,
                points: line.points.map {
                    Document.Point(runId: $0.run, commit: $0.commit, value: $0.value)
                },
                changes: line.changes.map {
                    Document.Change(
                        before: $0.before, after: $0.after,
                        commit: line.points[$0.position].commit,
                        description: description(of: $0, in: line), p: $0.p)
                })
        }
        let document = Document(runs: history.runs, notes: history.notes, metrics: metrics)
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    // MARK: Pictures

    static func chart(of line: RunHistory.Line) -> SVG {
        let last = line.points.count - 1
        return LineChart(
            title: "\(line.caseId): \(line.metric)",
            xTitle: "runs, from \(line.points[0].commit) to \(line.points[last].commit)",
            yTitle: line.metric,
            series: [
                LineChart.Series(
                    name: line.metric,
                    points: line.points.enumerated().map { (Double($0), $1.value) },
                    style: .distinct(0))
            ],
            marks: line.changes.map {
                (Double($0.position), line.points[$0.position].commit)
            }
        ).svg()
    }

    static func picture(of line: RunHistory.Line) -> String {
        chart(of: line).file(style: HTMLStyle.sheet)
    }

    /// One page: the changes, and a chart of each metric that changed, or of all.
    func page(all: Bool) -> String {
        let shown = history.lines.filter { all || !$0.changes.isEmpty }
        return HTMLPage(
            title: "History of \(history.runs) runs", warnings: history.notes,
            sections: [
                .init(title: "Changes", parts: [.table(.init(changes)), .text(Self.rule)]),
                .init(title: "Metrics", parts: [.charts(shown.map(Self.chart))]),
            ]
        ).text
    }
}
