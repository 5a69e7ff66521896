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
        /// The columns of tables; nil for any number.
        var width: Int?
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
        let runs = CountedRuns(
            suite: options.suite, instructions: options.instructions,
            databases: options.databases, output: options.output, terminal: terminal)
        let trial = try runs.trial(
            of: cases, against: baseline.rows, isWhole: options.filter == nil,
            unrepeatable: Set(all.filter { !$0.canRepeat }.map(\.name)),
            isStrict: options.isStrict)
        let comparison = trial.comparison
        try options.export(
            GateReport(
                title: "gate \(options.suite)",
                entries: comparison.entries(isStrict: options.isStrict),
                summary: [
                    "Baseline '\(baseline.name)' (\(baseline.key.counted)), from the run "
                        + "\(baseline.runId).", summary(of: comparison),
                ], figures: trial.rows.flatMap(\.countedFigures)))
        try tell(comparison, baseline, trial.runs)
    }

    private func summary(of comparison: CountedComparison) -> String {
        "\(comparison.comparedMetrics) metrics of \(comparison.comparedRows) rows compared: "
            + "\(comparison.count(.regression)) grew, \(comparison.count(.improvement)) shrank."
    }

    private func tell(
        _ comparison: CountedComparison, _ baseline: Baseline, _ runs: [String]
    ) throws {
        terminal.print(
            "Baseline '\(baseline.name)' (\(baseline.key.counted)), from the run "
                + "\(baseline.runId)\n")
        if !comparison.differences.isEmpty {
            for line in comparison.table().lines(within: options.width, keys: 2) {
                terminal.print(line)
            }
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
