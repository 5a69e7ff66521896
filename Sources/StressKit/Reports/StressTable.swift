import Foundation
import StressModel
import ToolSupport

/// The results as CSV, and as a table for people.
package enum StressTable {
    package static let schemaVersion = 1

    /// Column names. New columns are only ever appended.
    package static let header = [
        "schema_version", "run_id", "git_revision", "layer", "scenario", "seed", "first_round",
        "rounds", "points", "states", "commits", "lost_commits", "reopen_failures",
        "wrong_states", "wrong_errors", "anomalies", "over_limits", "crashes", "hand_overs",
        "hand_over_p50_us", "hand_over_p99_us", "hand_over_max_us", "peak_resident_bytes",
        "seconds", "coverage", "skipped", "first_failure", "hand_over_histogram_us",
    ]

    package static func fields(
        of tally: LayerTally, run: String, revision: String
    ) -> [String] {
        func quantile(_ level: Double) -> String {
            tally.handOverMicroseconds(level).map { String(format: "%.1f", $0) } ?? ""
        }
        let report = tally.report
        let kinds: [Finding.Kind] = [
            .lostCommit, .reopenFailure, .wrongState, .wrongError, .anomaly, .overLimit, .crash,
        ]
        let head = [
            String(schemaVersion), run, revision, tally.layer, tally.scenario,
            String(tally.seed), String(tally.firstRound), String(tally.rounds),
            String(report.points), String(report.states), String(report.commits),
        ]
        let tail = [
            String(report.handOverNanoseconds.count), quantile(0.5), quantile(0.99), quantile(1),
            String(report.peakResidentBytes), String(format: "%.3f", tally.seconds),
            coverage(report), report.skipped ?? "", report.failures.first?.point ?? "",
            HandOverHistogram(nanoseconds: report.handOverNanoseconds).description,
        ]
        return head + kinds.map { String(tally.failures($0)) } + tail
    }

    private static func coverage(_ report: TrialReport) -> String {
        CoverageText.text(of: report.coverage)
    }

    package static func lines(for tallies: [LayerTally]) -> [String] {
        let header = [
            "layer", "scenario", "rounds", "points", "states", "commits", "lost", "failures",
            "hand-over p50/max us", "seconds", "met",
        ]
        let rows = tallies.map { tally in
            let handOver = [tally.handOverMicroseconds(0.5), tally.handOverMicroseconds(1)]
                .compactMap { $0 }.map { Display.number($0) }.joined(separator: " / ")
            return [
                tally.layer, tally.scenario, String(tally.rounds),
                Display.grouped(tally.report.points), Display.grouped(tally.report.states),
                Display.grouped(tally.report.commits), String(tally.failures(.lostCommit)),
                String(tally.report.failures.count), handOver, Display.number(tally.seconds),
                tally.report.skipped.map { "skipped: \($0)" } ?? coverage(tally.report),
            ]
        }
        return TextTable(leftColumns: [0, 1, 10], header: header, rows: rows).lines()
    }

    /// Returns the round after the last one that the results contain for a scenario with this seed.
    package static func nextRound(
        in rows: [[String]], layer: String, scenario: String, seed: UInt64
    ) -> Int {
        guard let header = rows.first else { return 0 }
        func field(_ name: String, _ row: [String]) -> String {
            header.firstIndex(of: name).flatMap { $0 < row.count ? row[$0] : nil } ?? ""
        }
        return rows.dropFirst().reduce(0) { next, row in
            guard field("layer", row) == layer, field("scenario", row) == scenario,
                field("seed", row) == String(seed), let first = Int(field("first_round", row)),
                let rounds = Int(field("rounds", row))
            else { return next }
            return max(next, first + rounds)
        }
    }
}
