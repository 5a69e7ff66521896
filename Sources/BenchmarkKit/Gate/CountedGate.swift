import Foundation

/// The gate over counted metrics (`gate` without `--against`): runs a suite and compares it with a
/// baseline.
struct CountedGate {
    private let command: GateCommand
    private let terminal = Terminal()

    init(_ command: GateCommand) { self.command = command }

    func run() throws {
        let suite = command.suite ?? "counted"
        let baseline = try command.location.store().load(command.baseline, for: .current)
        let all = try CaseFilter.chosen(of: suite, filter: command.filter)
        let cases = all.filter { $0.isDeterministic || $0.unsupported != nil }
        if command.dryRun {
            let known = Set(baseline.rows.filter(\.isDeterministic).map(\.caseId))
            for identifier in cases.map(\.identifier.description) {
                print(identifier + (known.contains(identifier) ? "" : "  (not in the baseline)"))
            }
            return
        }
        let directory = try RunDirectory(parent: command.output)
        let rows = try results(of: cases, suite, directory).map { try MetricRow($0) }
        var comparison = CountedComparison(
            rows: rows, baseline: baseline.rows, isWhole: command.filter == nil,
            withRequested: command.instructions,
            unrepeatable: Set(all.filter { !$0.canRepeat }.map(\.name)))
        var runs = [directory.path]
        let suspects = comparison.casesToConfirm(isStrict: command.strict)
        if !suspects.isEmpty {
            let again = try RunDirectory(parent: command.output, suffix: "-again")
            let rows = try results(of: cases.filter { suspects.contains($0.name) }, suite, again)
                .map { try MetricRow($0) }
            comparison.confirm(
                suspects,
                by: CountedComparison(
                    rows: rows, baseline: baseline.rows, isWhole: false,
                    withRequested: command.instructions))
            runs.append(again.path)
        }
        try tell(comparison, baseline, runs)
    }

    /// Runs the cases and leaves an ordinary run folder, from which a baseline can be saved.
    private func results(of cases: [BenchmarkCase], _ suite: String, _ directory: RunDirectory)
        throws -> [CaseResult]
    {
        let databases = URL(fileURLWithPath: command.path ?? directory.path)
            .appendingPathComponent("databases-\(directory.context.runIdentifier)").path
        let runner = try CaseRunner(databases: databases, failures: directory.path + "/failures")
        defer { runner.removeDatabases() }
        var report = RunReport(
            runId: directory.context.runIdentifier, startedAt: RunReport.now(),
            arguments: CommandLine.arguments, suite: suite,
            seed: cases.first?.options.seed ?? CaseOptions().seed,
            gitRevision: RunReport.currentRevision())
        report.machine.fileSystem = RunReport.Machine.fileSystem(of: databases)
        try directory.write(report)
        var results: [CaseResult] = []
        for (position, benchmarkCase) in cases.enumerated() {
            try Interruption.throwIfRequested()
            terminal.status("[\(position + 1)/\(cases.count)] \(benchmarkCase.identifier)")
            var outcome = try runner.run(benchmarkCase, progress: { _ in })
            try countInstructions(of: benchmarkCase, runner, directory, into: &outcome.results[0])
            for result in outcome.results {
                try directory.append(result)
                results.append(result)
            }
        }
        report.finishedAt = RunReport.now()
        try directory.write(report)
        return results
    }

    /// Counts the instructions of a case that succeeded, if the command asked for them; else leaves
    /// the field empty.
    private func countInstructions(
        of benchmarkCase: BenchmarkCase, _ runner: CaseRunner, _ directory: RunDirectory,
        into row: inout CaseResult
    ) throws {
        guard command.instructions, row.status == .ok else { return }
        do {
            row.instructions = try runner.countInstructions(
                of: benchmarkCase, count: nil, keepingIn: directory.path + "/callgrind"
            ) { _ in terminal.status("counting instructions of \(benchmarkCase.identifier)") }
        } catch let error as BenchmarkError where error.code == .caseFailed {
            row.status = .failed
            row.failure = error.message
        }
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
        tell(unconfirmed: comparison.unconfirmed, runs)
        terminal.print(
            "\(comparison.comparedMetrics) metrics of \(comparison.comparedRows) rows compared: "
                + "\(comparison.count(.regression)) grew, \(comparison.count(.improvement)) shrank."
        )
        guard let code = comparison.code(isStrict: command.strict) else {
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
            "What counts otherwise in two runs of one build should be found and mended. Until then "
                + "the baseline can have all its values: realm-bench baseline save "
                + command.baseline + runs.map { " --from \($0)" }.joined())
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
        "If this is intended, make it the baseline and commit that: realm-bench baseline save "
            + "\(command.baseline) --from \(runs[0])"
    }
}
