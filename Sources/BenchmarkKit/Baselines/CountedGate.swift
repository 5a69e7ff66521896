import Foundation

/// `gate` over counted metrics: runs the suite and compares it with a baseline.
struct CountedGate {
    private let command: GateCommand
    private let terminal = Terminal()

    init(_ command: GateCommand) { self.command = command }

    func run() throws {
        let suite = command.suite ?? "counted"
        let baseline = try command.location.store().load(command.baseline, for: .current)
        let cases = try CaseFilter.chosen(of: suite, filter: command.filter)
            .filter { $0.isDeterministic || $0.unsupported != nil }
        if command.dryRun {
            let known = Set(baseline.rows.filter(\.isDeterministic).map(\.caseId))
            for identifier in cases.map(\.identifier.description) {
                print(identifier + (known.contains(identifier) ? "" : "  (not in the baseline)"))
            }
            return
        }
        let directory = try RunDirectory(parent: command.output)
        let rows = try results(of: cases, suite, directory).map { try MetricRow($0) }
        let comparison = CountedComparison(
            rows: rows, baseline: baseline.rows, isWhole: command.filter == nil,
            withRequested: command.instructions)
        try tell(comparison, baseline, directory.path)
    }

    /// Runs the cases and leaves the folder of an ordinary run, which can become a baseline.
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

    /// If they were asked for and the case succeeded; else leaves them empty.
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
        _ comparison: CountedComparison, _ baseline: Baseline, _ run: String
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
        terminal.print(
            "\(comparison.comparedMetrics) metrics of \(comparison.comparedRows) rows compared: "
                + "\(comparison.count(.regression)) grew, \(comparison.count(.improvement)) shrank."
        )
        guard let code = comparison.code(isStrict: command.strict) else {
            if comparison.count(.improvement) > 0 { terminal.print(advice(run)) }
            terminal.print(terminal.styled("The gate is passed.", .green))
            return
        }
        throw BenchmarkError(code, message(code, comparison, run))
    }

    private func message(
        _ code: BenchmarkError.Code, _ comparison: CountedComparison, _ run: String
    ) -> String {
        switch code {
        case .caseFailed:
            return (["Results are wrong:"] + comparison.wrongResults).joined(separator: "\n")
        case .regression:
            return "\(comparison.count(.regression)) counted metrics grew. " + advice(run)
        case .improvement:
            return "\(comparison.count(.improvement)) counted metrics shrank, and the baseline "
                + "does not know. " + advice(run)
        default:
            let missing = comparison.differences.filter { $0.verdict == .missing }.map {
                "\($0.caseId): \($0.metric) is in the baseline, but was not measured."
            }
            let nothing =
                comparison.comparedMetrics == 0
                ? ["No row of the run is in the baseline with a metric to compare."] : []
            return (comparison.incomparable + missing + nothing + [advice(run)])
                .joined(separator: "\n")
        }
    }

    private func advice(_ run: String) -> String {
        "If this is intended, make it the baseline and commit that: realm-bench baseline save "
            + "\(command.baseline) --from \(run)"
    }
}
