import Foundation
import ToolSupport

/// The result of one planted bug, or of the control, which has none.
package struct SelftestRow: Equatable, Sendable {
    package static let controlName = "(none)"

    /// The bug, or nil for the control.
    package var bug: PlantedBugEntry?
    package var outcome: BugHunt.Outcome

    package init(bug: PlantedBugEntry?, outcome: BugHunt.Outcome) {
        self.bug = bug
        self.outcome = outcome
    }

    package var name: String { bug?.name ?? Self.controlName }

    /// Whether a planted bug was found, or the control found nothing.
    package var isAsItShouldBe: Bool { (bug != nil) == (outcome.failure != nil) }

    /// Command that shows the finding again.
    package var replay: String {
        guard let failure = outcome.failure else { return "" }
        let environment = bug.map { "\(PlantedBugCatalogue.variable)=\($0.name) " } ?? ""
        return "\(environment)realm-bench stress replay '\(failure.point)'"
    }
}

/// Results of a self-test as CSV, and as a table for people.
package enum SelftestTable {
    package static let schemaVersion = 1

    /// Column names. New columns are only ever appended.
    package static let header = [
        "schema_version", "run_id", "git_revision", "bug", "clause", "caught", "found_by", "kind",
        "seed", "points", "seconds", "replay", "message",
    ]

    package static func fields(
        of row: SelftestRow, seed: UInt64, run: String, revision: String
    ) -> [String] {
        let failure = row.outcome.failure
        return [
            String(schemaVersion), run, revision, row.name, row.bug?.clause ?? "",
            failure == nil ? "no" : "yes", row.outcome.finder ?? "", failure?.kind.rawValue ?? "",
            String(seed), String(row.outcome.points), String(format: "%.3f", row.outcome.seconds),
            row.replay, failure?.message ?? "",
        ]
    }

    package static func lines(for rows: [SelftestRow]) -> [String] {
        let cells = rows.map { row in
            [
                row.name, row.bug?.clause.split(separator: ":").first.map(String.init) ?? "",
                row.outcome.finder ?? (row.bug == nil ? "nobody" : "NOT CAUGHT"),
                row.outcome.failure?.kind.rawValue ?? "", Display.grouped(row.outcome.points),
                Display.number(row.outcome.seconds),
            ]
        }
        let table = TextTable(
            leftColumns: [0, 1, 2, 3],
            header: ["bug", "clause", "caught by", "as", "tries", "seconds"], rows: cells)
        return table.lines()
    }
}
