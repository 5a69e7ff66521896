import Foundation
import ToolSupport

/// Runs of counted cases, as the gate makes them: a run, and another one of the cases in which a
/// metric seems to have changed.
struct CountedRuns {
    /// The name of the suite, for the folders of the runs.
    var suite: String
    /// Whether to count instructions.
    var instructions = false
    /// The folder for database files; nil means one in the folder of the run.
    var databases: String?
    /// The folder that gets the folders of the runs.
    var output: String
    /// What `selftest` adds to the cases.
    var planted: CaseRunner.Plant?
    let terminal: Terminal

    /// The outcome of a gate.
    struct Trial {
        var comparison: CountedComparison
        /// The folders of the runs.
        var runs: [String]
        /// The rows of the first run.
        var rows: [MetricRow]
    }

    /// Measures the cases, and those again that would fail the gate because of a metric.
    func trial(
        of cases: [BenchmarkCase], against baseline: [MetricRow], isWhole: Bool,
        unrepeatable: Set<String> = [], isStrict: Bool
    ) throws -> Trial {
        let (rows, path) = try measure(cases)
        var comparison = CountedComparison(
            rows: rows, baseline: baseline, isWhole: isWhole, withRequested: instructions,
            unrepeatable: unrepeatable)
        let suspects = comparison.casesToConfirm(isStrict: isStrict)
        guard !suspects.isEmpty else {
            return Trial(comparison: comparison, runs: [path], rows: rows)
        }
        let again = try measure(cases.filter { suspects.contains($0.name) }, suffix: "-again")
        comparison.confirm(
            suspects,
            by: CountedComparison(
                rows: again.rows, baseline: baseline, isWhole: false,
                withRequested: instructions))
        return Trial(comparison: comparison, runs: [path, again.path], rows: rows)
    }

    /// Runs the cases and leaves an ordinary run folder, from which a baseline can be saved.
    func measure(
        _ cases: [BenchmarkCase], suffix: String = ""
    ) throws -> (rows: [MetricRow], path: String) {
        let directory = try RunFolderWriter(parent: output, suffix: suffix)
        var runner = try CaseRunner(databasesBelow: databases, of: directory)
        runner.planted = planted
        defer { runner.removeDatabases() }
        if runner.removed.folders > 0 { terminal.note(runner.removed.sentence) }
        var report = RunReport(
            of: cases, suite: suite, in: directory, databases: runner.databases)
        try directory.write(report)
        var rows: [MetricRow] = []
        for (position, benchmarkCase) in cases.enumerated() {
            try Interruption.throwIfRequested()
            terminal.status("[\(position + 1)/\(cases.count)] \(benchmarkCase.identifier)")
            var outcome = try runner.run(benchmarkCase, progress: { _ in })
            if instructions {
                try runner.countInstructions(
                    of: benchmarkCase, into: &outcome.results[0], in: directory
                ) { _ in terminal.status("counting instructions of \(benchmarkCase.identifier)") }
            }
            for result in outcome.results {
                try directory.append(result)
                rows.append(try MetricRow(result))
            }
            if let fullDisk = outcome.fullDisk { throw fullDisk.error }
        }
        report.finishedAt = RunReport.now()
        try directory.write(report)
        return (rows, directory.path)
    }
}
