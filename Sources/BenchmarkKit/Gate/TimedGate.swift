import Foundation
import ToolSupport

/// The timed gate (`gate --against`): decides whether this build is slower than another one.
struct TimedGate {
    struct Options {
        var suite = "timed"
        /// A regular expression of the case identifiers; nil means all cases.
        var filter: String?
        /// The program of the other build.
        var against: String
        var policy = TimedPolicy()
        /// The slowdown that this build is given.
        var plantedSlowdown = PlantedSlowdown.none
        /// The folder of baselines, which has the noise floors.
        var store: BaselineStore
        /// Whether to print only what would be compared.
        var isDryRun = false
        /// Whether progress is left out.
        var isQuiet = false
        /// The columns of tables; nil for any number.
        var width: Int?
        /// The folder for database files.
        var databases: String
        /// Writes the outcome for other programs.
        var export: (GateReport) throws -> Void = { _ in }
    }

    private let options: Options
    private let terminal: Terminal
    private let before: TimedRunner.Build
    private let after: TimedRunner.Build

    init(_ options: Options) throws {
        self.options = options
        terminal = Terminal(isQuiet: options.isQuiet)
        let against = options.against
        guard FileManager.default.isExecutableFile(atPath: against) else {
            throw BenchmarkError(.usage, "'\(against)' is not a program that can be started.")
        }
        before = TimedRunner.Build(
            name: "other", executable: URL(fileURLWithPath: against).resolvingSymlinksInPath())
        after = TimedRunner.Build(
            name: "own", executable: CaseProcess.ownExecutable, planted: options.plantedSlowdown)
    }

    func run() throws {
        let folder = options.databases
        try FolderFiles.make(folder)
        let runner = try TimedRunner(
            suite: options.suite, filter: options.filter, path: folder)
        defer { runner.removeFiles() }
        let noise = try options.store.noiseFloors(for: .current(path: folder))
        let gating = Dictionary(
            uniqueKeysWithValues: runner.cases.map {
                ($0.identifier.description, noise.gating(of: $0, by: options.policy))
            })
        let tailFloors = noise.tailFloors(of: runner.cases, by: options.policy)
        if options.isDryRun {
            for identifier in runner.cases.map(\.identifier.description) {
                let text = gating[identifier]!.floor.map { "noise floor " + Percent.plain($0) }
                print(
                    "\(identifier)  "
                        + (text ?? "not gated by time: it \(gating[identifier]!.reason!)")
                        + (tailFloors[identifier].map { ", of tails " + Percent.plain($0) }
                            ?? ", tails not gated"))
            }
            return
        }
        for (identifier, row) in gating.sorted(by: { $0.key < $1.key }) {
            if let reason = row.reason { terminal.print("\(identifier) \(reason): not gated.") }
        }
        guard gating.values.contains(where: { $0.floor != nil }) || !tailFloors.isEmpty else {
            throw BenchmarkError(
                .noBaseline,
                "No row can be gated by time, so a pass would say nothing. Measure noise floors of "
                    + "these cases: \(ToolProgram.current.name) selftest")
        }
        try runner.warmUp([before, after]) { terminal.status($0) }
        let measured = try measure(runner.cases, runner)
        let rows = runner.cases.map(\.identifier.description).map { identifier in
            TimedDecision.Row(
                caseId: identifier, measured: measured[identifier]!,
                noiseFloor: gating[identifier]!.floor, tailFloor: tailFloors[identifier])
        }
        let decision = TimedDecision(policy: options.policy, seed: CaseOptions().seed)
        let outcomes = try decision.outcomes(of: rows) { suspicious in
            terminal.note("Measuring again: \(suspicious.joined(separator: ", "))")
            return try measure(
                runner.cases.filter { suspicious.contains($0.identifier.description) }, runner)
        }
        try tell(outcomes, runner.calm)
    }

    /// Measures the builds interleaved, in the order A B B A A B B A, so that drift of the machine
    /// affects both alike. Every pass runs every case, so that a disturbance does not affect one
    /// case alone.
    private func measure(_ cases: [BenchmarkCase], _ runner: TimedRunner) throws
        -> [String: TimedMeasurement]
    {
        var runs: [String: (before: [TimedRun], after: [TimedRun])] = [:]
        for pass in 0..<options.policy.runs {
            for benchmarkCase in cases {
                let identifier = benchmarkCase.identifier.description
                terminal.status("[\(pass + 1)/\(options.policy.runs)] \(identifier)")
                var row = runs[identifier] ?? ([], [])
                for build in pass % 2 == 0 ? [before, after] : [after, before] {
                    let run = try runner.timed(benchmarkCase, build)
                    if build == before { row.before.append(run) } else { row.after.append(run) }
                }
                runs[identifier] = row
            }
        }
        return runs.mapValues { TimedMeasurement(of: $0.before, $0.after) }
    }

    private func tell(_ outcomes: [TimedDecision.Outcome], _ calm: CalmWatch) throws {
        var table = TextTable(header: [
            "case", "verdict", "ratio", "95 % interval", "p (Holm)", "noise floor", "rerun",
            "spread", "outliers", "tail", "more slow", "tail floor", "tail rerun",
        ])
        table.leftColumns = [0, 1, 9]
        table.rows = outcomes.map { outcome in
            [
                outcome.caseId, outcome.verdict.rawValue, String(format: "%.3f", outcome.ratio),
                String(format: "%.3f to %.3f", outcome.interval.low, outcome.interval.high),
                outcome.verdict == .notGated ? "" : String(format: "%.4f", outcome.correctedP),
                outcome.noiseFloor.map(Percent.plain) ?? "",
                outcome.rerunRatio.map { String(format: "%.3f", $0) } ?? "",
                Percent.plain(outcome.spread), String(outcome.outliers),
                outcome.tail.verdict.rawValue, Self.points(outcome.tail.difference),
                outcome.tail.noiseFloor.map { Percent.plain($0) } ?? "",
                Self.points(outcome.tail.rerun),
            ]
        }
        terminal.print(
            "Time of this build / time of '\(before.executable.path)', medians of "
                + "\(options.policy.runs / TimedPolicy.processesOfSample) samples each, "
                + "the quicker one of \(TimedPolicy.processesOfSample) processes\n")
        for line in table.lines(within: options.width) { terminal.print(line) }
        terminal.print(
            "\ntail: the share of timed intervals that took more than twice their median, in "
                + "percentage points more than before")
        func count(_ verdict: TimedVerdict) -> Int { outcomes.count { $0.verdict == verdict } }
        terminal.print(
            "\n\(count(.steady)) steady, \(count(.inconclusive)) inconclusive, "
                + "\(count(.notGated)) not gated by time, \(count(.slower)) slower, "
                + "\(outcomes.count { $0.tail.verdict == .slower }) with a longer tail\n"
                + calm.summary)
        try options.export(
            GateReport(
                title: "gate against \(before.executable.path)",
                entries: outcomes.map(\.entry), summary: [calm.summary],
                figures: outcomes.map {
                    GateReport.Figure(name: "\($0.caseId) time", unit: "ratio", value: $0.ratio)
                }))
        let slower = outcomes.filter { $0.verdict == .slower }.map {
            "\($0.caseId) by \(Percent.plain($0.ratio - 1))"
        }
        let longer = outcomes.filter { $0.tail.verdict == .slower }.map {
            "\($0.caseId) by \(Self.points($0.tail.difference)) percentage points"
        }
        let sentences =
            (slower.isEmpty ? [] : ["This build is slower: \(slower.joined(separator: ", "))."])
            + (longer.isEmpty
                ? []
                : [
                    "More operations take more than twice the usual time: "
                        + longer.joined(separator: ", ") + "."
                ])
        guard sentences.isEmpty else {
            throw BenchmarkError(.regression, sentences.joined(separator: "\n"))
        }
    }

    /// Returns a share in percentage points, with its sign.
    private static func points(_ share: Double?) -> String {
        share.map { String(format: "%+.2f", $0 * 100) } ?? ""
    }
}
