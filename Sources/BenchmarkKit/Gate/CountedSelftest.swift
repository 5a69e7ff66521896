import Foundation
import ToolSupport

/// The trial of the gate of counted metrics on itself (`selftest --counted`): many gates of one
/// build beside load, none of which may fail, and gates with a planted cost, each of which must
/// find it in every row that has one of the cost's metrics.
struct CountedSelftest {
    struct Options {
        var suite: String
        /// A regular expression of the case identifiers; nil means all cases.
        var filter: String?
        /// Whether instructions are counted and planted as well.
        var instructions = false
        /// How many gates to run without a plant.
        var times: Int
        /// After how long no further gate begins; nil means never.
        var minutes: Double?
        /// The folder for database files; nil means one in the folders of the runs.
        var databases: String?
        /// The folder that gets the folders of the runs.
        var output: String
    }

    private let options: Options
    private let terminal = Terminal()

    init(_ options: Options) { self.options = options }

    func run() throws -> CountedSelftestReport {
        let cases = try CaseFilter.chosen(of: options.suite, filter: options.filter)
            .filter(\.isDeterministic)
        guard !cases.isEmpty else {
            throw BenchmarkError(
                .usage, "No case of the suite '\(options.suite)' repeats exactly.")
        }
        let start = monotonicNanoseconds()
        terminal.note("Measuring \(cases.count) cases, with which all gates are compared.")
        let runs = CountedRuns(
            suite: options.suite, instructions: options.instructions,
            databases: options.databases, output: options.output, terminal: terminal)
        let baseline = try runs.measure(cases)
        let minutes = seconds(from: start, to: monotonicNanoseconds()) / 60
        let load = try BusyMachine(writingIn: options.output)
        defer { load.stop() }
        let costs = PlantedCost.allCases.filter { options.instructions || $0 != .instructions }
        var report = CountedSelftestReport(
            baseline: baseline.rows, costs: costs, load: load.description)
        let gates = options.times + costs.count * plants
        terminal.note(
            "\(gates) gates beside \(load.description). One without load took "
                + "\(Display.number(minutes * 60)) s.")
        for number in 0..<options.times {
            if isOver(since: start) { break }
            terminal.note("Gate \(number + 1) of \(options.times)")
            report.add(try gate(runs, cases, baseline.rows))
        }
        let instructions = baseline.rows.compactMap { row in
            row.counted["instructions"].map { (row.caseId, $0) }
        }
        for cost in costs {
            var planted = runs
            planted.planted = CaseRunner.Plant(
                cost: cost, instructions: Dictionary(instructions) { first, _ in first })
            for number in 0..<plants {
                terminal.note("Planted: \(cost.rawValue), \(number + 1) of \(plants)")
                report.add(try gate(planted, cases, baseline.rows), with: cost)
            }
        }
        try? FileManager.default.removeItem(atPath: baseline.path)
        return report
    }

    /// How many gates run with each planted cost.
    private var plants: Int { max(1, options.times / 10) }

    private func isOver(since start: UInt64) -> Bool {
        guard let minutes = options.minutes else { return false }
        return seconds(from: start, to: monotonicNanoseconds()) > minutes * 60
    }

    /// Runs one gate, and removes its folders unless a row is wrong by itself.
    private func gate(
        _ runs: CountedRuns, _ cases: [BenchmarkCase], _ baseline: [MetricRow]
    ) throws -> CountedRuns.Trial {
        let trial = try runs.trial(of: cases, against: baseline, isWhole: true, isStrict: true)
        if runs.planted != nil || trial.comparison.code(isStrict: true) == nil {
            for path in trial.runs { try? FileManager.default.removeItem(atPath: path) }
        }
        return trial
    }
}

/// What came of the trials.
struct CountedSelftestReport {
    /// What came of a planted cost in one of its metrics.
    private struct Plant {
        var gates = 0
        /// How often a row had to show the cost, and did.
        var expected = 0
        var found = 0
        /// The rows that did not show it, each once.
        var missed: [String] = []
    }

    private let baseline: [MetricRow]
    private let costs: [PlantedCost]
    private let load: String
    private var gates = 0
    /// A sentence for each gate that failed without a plant.
    private var alarms: [String] = []
    /// The metrics that differed once and not again, each with how often.
    private var unconfirmed: [String: Int] = [:]
    /// By the name of the metric.
    private var plants: [String: Plant] = [:]

    init(baseline: [MetricRow], costs: [PlantedCost], load: String) {
        self.baseline = baseline
        self.costs = costs
        self.load = load
    }

    /// Notes a gate without a plant.
    mutating func add(_ trial: CountedRuns.Trial) {
        gates += 1
        let comparison = trial.comparison
        for difference in comparison.unconfirmed {
            unconfirmed["\(difference.caseId) \(difference.metric)", default: 0] += 1
        }
        guard comparison.code(isStrict: true) != nil else { return }
        let reasons =
            comparison.wrongResults + comparison.incomparable
            + comparison.differences.map {
                "\($0.caseId): \($0.metric) was \(ColumnCatalogue.decimal($0.now)) instead of "
                    + "\(ColumnCatalogue.decimal($0.baseline))."
            }
        alarms.append("Gate \(gates) failed: \(reasons.joined(separator: " ")) (\(trial.runs[0]))")
    }

    /// Notes a gate with a planted cost.
    mutating func add(_ trial: CountedRuns.Trial, with cost: PlantedCost) {
        for metric in cost.metrics { add(trial, metric) }
    }

    private mutating func add(_ trial: CountedRuns.Trial, _ metric: String) {
        var plant = plants[metric] ?? Plant()
        plant.gates += 1
        for row in rows(with: metric) {
            plant.expected += 1
            let isFound = trial.comparison.differences.contains {
                $0.caseId == row && $0.metric == metric && $0.verdict == .regression
            }
            if isFound {
                plant.found += 1
            } else if !plant.missed.contains(row) {
                plant.missed.append(row)
            }
        }
        plants[metric] = plant
    }

    /// The rows in which the gate compares a metric.
    private func rows(with metric: String) -> [String] {
        let gated = GatedMetric.all.first { $0.name == metric }
        return baseline.filter { row in
            let workload = String(row.caseId.prefix { $0 != "/" })
            return row.isDeterministic && row.counted[metric] != nil
                && gated?.excludedWorkloads.contains(workload) == false
        }.map(\.caseId)
    }

    func lines() -> [String] { sentences + [""] + table.lines() }

    func markdown() -> [String] { sentences.flatMap { [$0, ""] } + table.markdown() }

    private var sentences: [String] {
        var lines: [String] = []
        if gates > 0 {
            let interval = BinomialInterval(hits: alarms.count, trials: gates)
            lines.append(
                "False alarms: \(alarms.count) of \(gates) gates beside \(load) (95 %: "
                    + "\(Percent.plain(interval.low)) to \(Percent.plain(interval.high))).")
        }
        lines += alarms
        for (metric, times) in unconfirmed.sorted(by: { $0.key < $1.key }) {
            lines.append("\(metric) differed \(Display.count(times, "time")), and not again.")
        }
        return lines
    }

    private var table: TextTable {
        var table = TextTable(header: ["planted", "metric", "gates", "rows", "found"])
        table.leftColumns = [0, 1]
        table.rows = costs.flatMap { cost in
            cost.metrics.map { metric in
                let plant = plants[metric] ?? Plant()
                return [
                    cost.rawValue, metric, "\(plant.gates)", "\(rows(with: metric).count)",
                    "\(plant.found) of \(plant.expected)",
                ]
            }
        }
        return table
    }

    /// Why the self-test fails, as sentences; empty if it passes.
    var failures: [String] {
        var failures: [String] = []
        if gates == 0 { failures.append("No gate ran without a plant.") }
        if !alarms.isEmpty {
            failures.append("\(Display.count(alarms.count, "gate")) of one build failed.")
        }
        for metric in costs.flatMap(\.metrics) {
            let plant = plants[metric] ?? Plant()
            if plant.expected == 0 {
                failures.append("No row has \(metric), so nothing was planted there.")
            } else if !plant.missed.isEmpty {
                failures.append(
                    "What was planted in \(metric) was not found in "
                        + plant.missed.joined(separator: ", ") + ".")
            }
        }
        return failures
    }
}
