import Foundation
import ToolSupport

/// The result table of a run for a terminal, with a group of lines for each workload.
///
/// Units fit each row, percentiles are shown only where enough samples stand behind them, and by
/// default no line is longer than ``PageWidth/usual``.
enum TerminalResults {
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
        for column in ResultColumn.all where isWide || !column.isWide {
            let texts = ordered.map { row in
                row.hasRun || column.isOfEveryRow ? column.text(row) : ""
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
            + "at least \(Int(ResultColumn.samplesBeyond)) samples lie beyond it: p50 from 20 "
            + "samples on, p99 from 1,000, p99.9 from 10,000."
        if !leftOut.isEmpty {
            text +=
                " Left out for want of room: \(leftOut.joined(separator: ", ")); --wide shows them."
        }
        return PageWidth.lines(of: text, within: width)
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
