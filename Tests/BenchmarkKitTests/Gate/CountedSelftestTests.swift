import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// The trial of the counted gate on itself, from outcomes that are made up.
@Suite struct CountedSelftestTests {
    private static let metrics = [
        "allocations_per_op": 2.0, "bytes_written_per_commit": 4096,
        "write_calls_per_commit": 1, "pages_written_per_commit": 3, "instructions": 1000,
    ]

    private func row(_ id: String, _ change: (inout [String: Double]) -> Void = { _ in }) throws
        -> MetricRow
    {
        var result = CaseResult.empty(id, "api")
        result.isDeterministic = true
        result.operations = 10
        var row = try MetricRow(result)
        row.counted = Self.metrics
        change(&row.counted)
        return row
    }

    private func trial(_ rows: [MetricRow], _ baseline: [MetricRow]) -> CountedRuns.Trial {
        CountedRuns.Trial(
            comparison: CountedComparison(
                rows: rows, baseline: baseline, isWhole: true, withRequested: true),
            runs: ["results/1"], rows: rows)
    }

    /// Returns a report with every plant found.
    private func whole(_ baseline: [MetricRow]) throws -> CountedSelftestReport {
        var report = CountedSelftestReport(
            baseline: baseline, costs: PlantedCost.allCases, load: "nothing")
        for cost in PlantedCost.allCases {
            var rows = baseline
            for index in rows.indices {
                for metric in cost.metrics { rows[index].counted[metric]? *= 1.01 }
            }
            report.add(trial(rows, baseline), with: cost)
        }
        return report
    }

    @Test func equalBuildsAndFoundPlantsPass() throws {
        let baseline = [try row("insert"), try row("lookup")]
        var report = try whole(baseline)
        #expect(report.failures == ["No gate ran without a plant."])
        report.add(trial(baseline, baseline))
        #expect(report.failures == [])
        let lines = report.lines().joined(separator: "\n")
        #expect(lines.contains("False alarms: 0 of 1 gates beside nothing"), "\(lines)")
        #expect(lines.contains("2 of 2"))
        let page = report.markdown()
        #expect(page.first?.hasPrefix("False alarms: 0 of 1 gates") == true, "\(page)")
        #expect(page.contains("| page | pages_written_per_commit | 1 | 2 | 2 of 2 |"), "\(page)")
    }

    @Test(arguments: [1.0, -1.0])
    func aMetricThatChangesByItselfIsAFalseAlarm(change: Double) throws {
        let baseline = [try row("insert"), try row("lookup")]
        var report = try whole(baseline)
        let other = try row("lookup") { $0["allocations_per_op"]? += change }
        report.add(trial([baseline[0], other], baseline))
        #expect(report.failures == ["1 gate of one build failed."])
        #expect(
            report.lines().contains {
                $0.hasPrefix("Gate 1 failed: ") && $0.contains("allocations_per_op was")
                    && $0.hasSuffix("(results/1)")
            })
    }

    @Test func aPlantThatOneRowDoesNotShowIsMissed() throws {
        let baseline = [try row("insert"), try row("lookup")]
        var report = try whole(baseline)
        report.add(trial(baseline, baseline))
        let grown = try row("insert") { $0["write_calls_per_commit"]? += 1 }
        report.add(trial([grown, baseline[1]], baseline), with: .write)
        let missed = try #require(report.failures.first)
        #expect(missed.hasPrefix("What was planted in bytes_written_per_commit was not found in "))
        #expect(missed.contains("insert/api/") && missed.contains("lookup/api/"))
        #expect(report.failures.count == 2)
        #expect(report.failures[1].contains("write_calls_per_commit was not found in lookup/api/"))
        #expect(report.lines().contains { $0.contains("3 of 4") })
    }

    /// Allocations of sensors are not gated, so that none can be found there.
    @Test func onlyRowsThatAreGatedHaveToShowAPlant() throws {
        let baseline = [try row("sensors")]
        let report = try whole(baseline)
        #expect(
            report.failures.contains(
                "No row has allocations_per_op, so nothing was planted there."))
    }
}
