import Foundation
import ToolSupport

/// The gate over counted metrics (`gate` without `--against`): runs a suite and compares it with a
/// baseline.
struct CountedGate {
    struct Options {
        var suite = "counted"
        /// A regular expression of the case identifiers; nil means all cases.
        var filter: String?
        /// The name of the baseline and the folder of baselines.
        var baseline: String
        var store: BaselineStore
        /// Whether to count instructions.
        var instructions = false
        /// Whether an improvement fails as well.
        var isStrict = false
        /// Whether to print only what would be compared.
        var isDryRun = false
        /// Whether progress is left out.
        var isQuiet = false
        /// The folder for database files; nil means one in the folder of the run.
        var databases: String?
        /// The folder that gets the folder of the run.
        var output: String
        /// Writes the outcome for other programs.
        var export: (GateReport) throws -> Void = { _ in }
    }

    private let options: Options
    private let terminal: Terminal

    init(_ options: Options) {
        self.options = options
        terminal = Terminal(isQuiet: options.isQuiet)
    }

    func run() throws {
        let baseline = try options.store.load(options.baseline, for: .current)
        let all = try CaseFilter.chosen(of: options.suite, filter: options.filter)
        let cases = all.filter { $0.isDeterministic || $0.unsupported != nil }
        if options.isDryRun {
            let known = Set(baseline.rows.filter(\.isDeterministic).map(\.caseId))
            for identifier in cases.map(\.identifier.description) {
                print(identifier + (known.contains(identifier) ? "" : "  (not in the baseline)"))
            }
            return
        }
        let directory = try RunFolderWriter(parent: options.output)
        let rows = try results(of: cases, directory).map { try MetricRow($0) }
        var comparison = CountedComparison(
            rows: rows, baseline: baseline.rows, isWhole: options.filter == nil,
            withRequested: options.instructions,
            unrepeatable: Set(all.filter { !$0.canRepeat }.map(\.name)))
        var runs = [directory.path]
        let figures = rows.flatMap(\.countedFigures)
        let suspects = comparison.casesToConfirm(isStrict: options.isStrict)
        if !suspects.isEmpty {
            let again = try RunFolderWriter(parent: options.output, suffix: "-again")
            let rows = try results(of: cases.filter { suspects.contains($0.name) }, again)
                .map { try MetricRow($0) }
            comparison.confirm(
                suspects,
                by: CountedComparison(
                    rows: rows, baseline: baseline.rows, isWhole: false,
                    withRequested: options.instructions))
            runs.append(again.path)
        }
        try options.export(
            GateReport(
                title: "gate \(options.suite)",
                entries: comparison.entries(isStrict: options.isStrict),
                summary: [
                    "Baseline '\(baseline.name)' (\(baseline.key.counted)), from the run "
                        + "\(baseline.runId).", summary(of: comparison),
                ], figures: figures))
        try tell(comparison, baseline, runs)
    }

    private func summary(of comparison: CountedComparison) -> String {
        "\(comparison.comparedMetrics) metrics of \(comparison.comparedRows) rows compared: "
            + "\(comparison.count(.regression)) grew, \(comparison.count(.improvement)) shrank."
    }

    /// Runs the cases and leaves an ordinary run folder, from which a baseline can be saved.
    private func results(of cases: [BenchmarkCase], _ directory: RunFolderWriter)
        throws -> [CaseResult]
    {
        let runner = try CaseRunner(databasesBelow: options.databases, of: directory)
        defer { runner.removeDatabases() }
        if runner.removed.folders > 0 { terminal.note(runner.removed.sentence) }
        var report = RunReport(
            of: cases, suite: options.suite, in: directory, databases: runner.databases)
        try directory.write(report)
        var results: [CaseResult] = []
        for (position, benchmarkCase) in cases.enumerated() {
            try Interruption.throwIfRequested()
            terminal.status("[\(position + 1)/\(cases.count)] \(benchmarkCase.identifier)")
            var outcome = try runner.run(benchmarkCase, progress: { _ in })
            if options.instructions {
                try runner.countInstructions(
                    of: benchmarkCase, into: &outcome.results[0], in: directory
                ) { _ in terminal.status("counting instructions of \(benchmarkCase.identifier)") }
            }
            for result in outcome.results {
                try directory.append(result)
                results.append(result)
            }
            if let fullDisk = outcome.fullDisk { throw fullDisk.error }
        }
        report.finishedAt = RunReport.now()
        try directory.write(report)
        return results
    }

    private func tell(
        _ comparison: CountedComparison, _ baseline: Baseline, _ runs: [String]
    ) throws {
        terminal.print(
            "Baseline '\(baseline.name)' (\(baseline.key.counted)), from the run "
                + "\(baseline.runId)\n")
        if !comparison.differences.isEmpty {
            for line in comparison.table().lines() { terminal.print(line) }
            terminal.print("")
        }
        for row in comparison.newRows {
            terminal.print("\(row) is not in the baseline: not gated.")
        }
        for sentence in comparison.notGated { terminal.print(sentence + " Not gated.") }
        if !comparison.unrequested.isEmpty {
            terminal.print(
                "The baseline has the instructions of "
                    + "\(Display.count(comparison.unrequested.count, "row")), which are counted "
                    + "with --instructions only. Not gated.")
        }
        tell(unconfirmed: comparison.unconfirmed, runs)
        terminal.print(summary(of: comparison))
        guard let code = comparison.code(isStrict: options.isStrict) else {
            if comparison.count(.improvement) > 0 { terminal.print(advice(runs)) }
            terminal.print(terminal.styled("The gate is passed.", .green))
            return
        }
        throw BenchmarkError(code, message(code, comparison, runs))
    }

    /// Reports the metrics that changed between two runs of this build. They decide nothing, and
    /// their case has to be made deterministic.
    private func tell(unconfirmed: [CountedComparison.Difference], _ runs: [String]) {
        guard !unconfirmed.isEmpty else { return }
        for difference in unconfirmed {
            terminal.print(
                "\(difference.caseId): \(difference.metric) was "
                    + "\(ColumnCatalogue.decimal(difference.now)), in the baseline "
                    + "\(ColumnCatalogue.decimal(difference.baseline)), and was not so again.")
        }
        terminal.print(
            "A metric that differs between two runs of one build has a cause, which should be "
                + "removed. Until then the baseline can have all its values: "
                + "\(ToolProgram.current.name) baseline save "
                + options.baseline + runs.map { " --from \($0)" }.joined())
    }

    private func message(
        _ code: BenchmarkError.Code, _ comparison: CountedComparison, _ runs: [String]
    ) -> String {
        switch code {
        case .caseFailed:
            return (["Results are wrong:"] + comparison.wrongResults).joined(separator: "\n")
        case .regression:
            return "\(comparison.count(.regression)) counted metrics grew, and did so again. "
                + advice(runs)
        case .improvement:
            return "\(comparison.count(.improvement)) counted metrics shrank, and the baseline "
                + "does not know. " + advice(runs)
        default:
            let missing = comparison.differences.filter { $0.verdict == .missing }.map {
                "\($0.caseId): \($0.metric) is in the baseline, but was not measured."
            }
            let nothing =
                comparison.comparedMetrics == 0
                ? ["No row of the run is in the baseline with a metric to compare."] : []
            return (comparison.incomparable + missing + nothing + [advice(runs)])
                .joined(separator: "\n")
        }
    }

    private func advice(_ runs: [String]) -> String {
        "If this is intended, make it the baseline and commit that: "
            + "\(ToolProgram.current.name) baseline save \(options.baseline) --from \(runs[0])"
    }
}
