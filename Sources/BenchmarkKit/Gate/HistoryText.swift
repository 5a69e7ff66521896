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
        if !changed.isEmpty { lines += changes.lines(within: width, keys: 2) + [""] }
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

    /// The day and the subject of the first commit that was measured after a change, and the
    /// commit before it unless that was measured as well.
    private func description(of change: RunHistory.Change, in line: RunHistory.Line) -> String {
        let (before, after) = (line.points[change.position - 1], line.points[change.position])
        guard let commit = log.commit(beginningWith: after.commit) else {
            return before.commit == after.commit ? "" : "after \(before.commit)"
        }
        var text = "\(commit.day) \(commit.subject)"
        if let former = log.commit(beginningWith: before.commit),
            let place = log.place(commit.revision), let formerPlace = log.place(former.revision),
            place - formerPlace > 1
        {
            text += " (or one of the \(place - formerPlace - 1) since \(before.commit))"
        }
        return text
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
