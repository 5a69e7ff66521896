import Foundation
import ToolSupport

/// A summary as tables, for a terminal or a document.
package struct SummaryTables {
    /// Sections of a document that are kept up to date. Raw values are the names in its marks.
    package enum Section: String, CaseIterable {
        /// One sentence about the runs.
        case run
        /// Table with a row for each layer.
        case layers
        /// Table with a row for each scenario.
        case scenarios
        /// Times of handing over the write lock.
        case handOvers = "hand-overs"
        /// Phases of work in which, and calls by which, a full disk was noticed.
        case fullDisks = "full-disks"
        /// Coverage of the other layers.
        case coverage
    }

    private struct Table {
        var header: [String]
        /// Left-aligned columns, which hold text.
        var left: Set<Int>
        var rows: [[String]]
    }

    /// Characters of a commit's hash, so that a line with the hashes of two runs is not too long.
    private static let hashLength = 12

    private let summary: StressSummary

    package init(_ summary: StressSummary) { self.summary = summary }

    private static let fullDiskLayer = "disk-full"

    // MARK: Text

    package var lines: [String] {
        Section.allCases.flatMap { section -> [String] in
            guard let table = table(section) else { return section == .run ? [sentence] : [] }
            if table.rows.isEmpty { return [] }
            let text = TextTable(leftColumns: table.left, header: table.header, rows: table.rows)
            return [""] + text.lines()
        } + summary.firstFailures.map { "  realm-bench stress replay '\($0)'" }
    }

    package func markdown(_ section: Section) -> String {
        guard let table = table(section) else { return sentence }
        if table.rows.isEmpty { return "Nothing yet." }
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        let rule = table.header.indices.map { table.left.contains($0) ? "---" : "---:" }
        return ([line(table.header), line(rule)] + table.rows.map(line)).joined(separator: "\n")
    }

    private var sentence: String {
        let all = summary.all
        let revisions = summary.revisions.map { "`\(Self.short($0))`" }.joined(separator: ", ")
        let findings = all.lostCommits + all.reopenFailures + all.others
        let skipped =
            summary.skipped.isEmpty ? "" : " Skipped: " + summary.skipped.joined(separator: "; ")
        let runs = summary.runs.count == 1 ? "1 run" : "\(summary.runs.count) runs"
        return "\(Self.duration(all.seconds)) in \(runs) "
            + "(\(summary.days.joined(separator: " to ")), \(revisions)):\n"
            + "\(Display.grouped(all.points)) points, \(Display.grouped(all.states)) states, "
            + "\(all.lostCommits) acknowledged commits lost, "
            + (findings == 1 ? "1 finding." : "\(findings) findings.") + skipped
    }

    /// A commit's name with a short hash; what follows the hash says that files were changed.
    private static func short(_ revision: String) -> String {
        let hash = revision.prefix { $0 != "+" }
        return String(hash.prefix(hashLength) + revision.dropFirst(hash.count))
    }

    private static func duration(_ seconds: Double) -> String {
        let minutes = Int(seconds / 60)
        return minutes < 60 ? "\(minutes) minutes" : String(format: "%.1f hours", seconds / 3600)
    }

    // MARK: Tables

    private func table(_ section: Section) -> Table? {
        switch section {
        case .run: nil
        case .layers:
            Table(
                header: ["layer", "scenarios"] + Self.counts, left: [0],
                rows: summary.layers.map { [$0.name, "\($0.scenarios)"] + Self.cells($0.total) }
                    + [["all", "\(summary.scenarios.count)"] + Self.cells(summary.all)])
        case .scenarios:
            Table(
                header: ["scenario"] + Self.counts, left: [0],
                rows: summary.scenarios.map {
                    ["\($0.layer)/\($0.scenario)"] + Self.cells($0.total)
                })
        case .handOvers: handOvers
        case .fullDisks: fullDisks
        case .coverage: coverage
        }
    }

    private static let counts = [
        "rounds", "points tried", "states rebuilt", "commits looked for", "lost",
        "reopen failures", "other findings", "seconds",
    ]

    private static func cells(_ total: StressSummary.Total) -> [String] {
        [
            Display.grouped(total.rounds), Display.grouped(total.points),
            Display.grouped(total.states), Display.grouped(total.commits),
            String(total.lostCommits), String(total.reopenFailures), String(total.others),
            Display.grouped(Int(total.seconds.rounded())),
        ]
    }

    private var handOvers: Table {
        let histogram = summary.all.handOvers
        var seen = 0
        let rows = histogram.bars.map { bar in
            seen += bar.count
            let share = Double(seen) / Double(histogram.total) * 100
            return [
                "\(Display.grouped(bar.below)) us", Display.grouped(bar.count),
                String(format: "%.2f %%", share),
            ]
        }
        return Table(header: ["below", "hand-overs", "so far"], left: [], rows: rows)
    }

    /// Table with a row for each phase and call, and a column for each file system.
    private var fullDisks: Table {
        let parts = summary.scenarios.filter { $0.layer == Self.fullDiskLayer }
        let names = Set(parts.flatMap { $0.total.coverage.keys }).sorted()
        return Table(
            header: ["phase (call)"] + parts.map(\.scenario), left: [0],
            rows: names.map { name in
                [name] + parts.map { Display.grouped($0.total.coverage[name] ?? 0) }
            })
    }

    private var coverage: Table {
        let parts = summary.scenarios.filter { $0.layer != Self.fullDiskLayer }
        return Table(
            header: ["scenario", "met", "times"], left: [0, 1],
            rows: parts.flatMap { part in
                part.total.coverage.sorted { $0.key < $1.key }.map {
                    ["\(part.layer)/\(part.scenario)", $0.key, Display.grouped($0.value)]
                }
            })
    }
}
