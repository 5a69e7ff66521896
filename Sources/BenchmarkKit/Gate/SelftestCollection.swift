import Foundation
import ToolSupport

/// The collection of the pool of `selftest`, in rounds over all rows. In each round a row runs
/// twice without a slowdown and once with each planted slowdown, that of a tail among them. The
/// order is reversed every other round, so that no variant always comes first. The two plain runs
/// use one program under two names with separate fixtures, as the two builds of a gate do; the
/// planted runs alternate between the two.
struct SelftestCollection {
    /// The number of minutes after which collecting ends with fewer rounds than the requested
    /// number of processes needs, unless `--minutes` is longer.
    private static let longestMinutes = 43.0

    struct Options {
        var suite: String
        /// A regular expression of the case identifiers; nil means all cases.
        var filter: String?
        /// How long to collect.
        var minutes: Double
        /// Whether as few rounds as a trial needs are enough.
        var isQuick = false
        var policy: TimedPolicy
        /// The folder for database files.
        var databases: String
        /// The folder that gets the pool.
        var output: String
    }

    private let options: Options
    private let terminal = Terminal()
    private let key: TimedKey

    init(_ options: Options, _ key: TimedKey) {
        self.options = options
        self.key = key
    }

    func collect() throws -> SelftestPool {
        let runner = try TimedRunner(
            suite: options.suite, filter: options.filter, path: options.databases)
        defer { runner.removeFiles() }
        let stamp = RunReport.now().filter { $0 != "-" && $0 != ":" }
        let file = try CSVFile(
            path: "\(options.output)/selftest-\(stamp).csv", header: SelftestPool.header)
        let sides = (0...1).map {
            TimedRunner.Build(name: "own-\($0)", executable: CaseProcess.ownExecutable)
        }
        try runner.warmUp(sides) { terminal.status($0) }
        var pool = SelftestPool(machine: key.folderName)
        let needed =
            options.isQuick ? options.policy.roundsOfTrial : options.policy.roundsOfFloor
        var least = options.policy
        least.runs = TimedPolicy.fewestRuns
        let fewest = least.roundsOfFloor
        let start = monotonicNanoseconds()
        let limit = options.minutes * 60
        let lastRound = max(options.minutes, Self.longestMinutes) * 60
        var round = 0
        while true {
            let elapsed = seconds(from: start, to: monotonicNanoseconds())
            // Stops before a round that would probably exceed the limit.
            let isTimeUp = elapsed + elapsed / Double(max(1, round)) > limit
            if round >= needed, options.isQuick || isTimeUp { break }
            if round >= fewest, elapsed + elapsed / Double(max(1, round)) > lastRound { break }
            terminal.status(
                "Round \(round + 1): \(Int(elapsed / 60)) of \(Int(options.minutes)) minutes")
            for benchmarkCase in runner.cases {
                for (side, planted) in Self.order(round) {
                    var build = sides[side]
                    build.planted = planted
                    let entry = SelftestPool.Entry(
                        round: round, side: side, planted: planted,
                        options: benchmarkCase.options.fingerprint,
                        run: try runner.timed(benchmarkCase, build))
                    try file.append(SelftestPool.fields(entry, machine: pool.machine))
                    pool.entries.append(entry)
                }
            }
            round += 1
        }
        terminal.print("\(pool.entries.count) processes in \(round) rounds: \(file.path)")
        terminal.print(runner.calm.summary + "\n")
        return pool
    }

    private static func order(_ round: Int) -> [(side: Int, planted: PlantedSlowdown)] {
        // One planted run lies between the two plain runs, so that these are as far apart as the
        // runs of two builds are in the gate.
        let all = SelftestPool.plants + [SelftestPool.tailPlant]
        let plants = all.enumerated().map { index, planted in
            (side: (round + index) % 2, planted: planted)
        }
        let shift = round / 2 % plants.count
        var rotated = Array(plants[shift...] + plants[..<shift])
        rotated.insert((side: 0, planted: .none), at: 1)
        rotated.insert((side: 1, planted: .none), at: 3)
        return round % 2 == 0 ? rotated : rotated.reversed()
    }
}

/// The text that `selftest` prints.
struct SelftestReport {
    private let analysis: SelftestAnalysis

    init(_ analysis: SelftestAnalysis) { self.analysis = analysis }

    private var processorBound: [SelftestAnalysis.Row] {
        analysis.rows.filter(\.isProcessorBound)
    }

    static let mostFalseAlarms = 0.01
    static let leastDetections = 0.95
    /// The largest acceptable fraction of processes that ran on a crowded core.
    static let mostCrowded = 0.5
    /// The index of the slowdown of one tenth in `SelftestPool.plants`.
    private static let decisivePlant = 2

    /// One sentence for each reason not to trust the gate on these rows.
    var failures: [String] {
        var failures: [String] = []
        if isCrowded {
            failures.append(
                "\(Percent.plain(analysis.crowdedFraction)) of the processes ran on a core that "
                    + "somebody else used as well: this says more of the machine than of the gate. "
                    + "Repeat it in a calmer hour.")
        }
        let bound = processorBound
        if bound.isEmpty {
            failures.append("No row is processor-bound, so nothing is known of those.")
        } else if 2 * bound.count(where: \.qualifies) < bound.count {
            failures.append(
                "Less than half of the processor-bound rows have a noise floor up to "
                    + "\(Percent.plain(analysis.policy.largestNoiseFloor)). Time them on a quieter "
                    + "machine.")
        }
        let alarms = analysis.falseAlarms
        if alarms.fraction > Self.mostFalseAlarms {
            failures.append(
                "\(Percent.plain(alarms.fraction)) of the comparisons of equal builds are false "
                    + "alarms, more than \(Percent.plain(Self.mostFalseAlarms)).")
        }
        let found = analysis.detections(ofPlant: Self.decisivePlant)
        if let tails = analysis.tails {
            if tails.falseAlarms.fraction > Self.mostFalseAlarms {
                failures.append(
                    "\(Percent.plain(tails.falseAlarms.fraction)) of the comparisons of equal "
                        + "builds are false alarms of tails, more than "
                        + "\(Percent.plain(Self.mostFalseAlarms)).")
            }
            if tails.detections.trials > 0, tails.detections.fraction < Self.leastDetections {
                failures.append(
                    "\(Percent.plain(tails.detections.fraction)) of the slowdowns of one interval "
                        + "in a hundred are found, less than "
                        + "\(Percent.plain(Self.leastDetections)).")
            }
        }
        if found.fraction < Self.leastDetections {
            failures.append(
                "\(Percent.plain(found.fraction)) of the slowdowns by "
                    + Percent.plain(SelftestPool.plants[Self.decisivePlant].fraction)
                    + " are found, less "
                    + "than \(Percent.plain(Self.leastDetections)).")
        }
        return failures
    }

    var isCrowded: Bool { analysis.crowdedFraction > Self.mostCrowded }

    func table() -> TextTable {
        let plants = SelftestPool.plants.map {
            "+\(Int(($0.fraction * 100).rounded())) % found"
        }
        var table = TextTable(
            header: ["case", "bound by", "noise floor", "gated", "trials", "false alarms"] + plants)
        table.leftColumns = [0, 1, 3]
        table.rows = analysis.rows.map { row in
            [
                row.caseId, row.isProcessorBound ? "processor" : "disk",
                Percent.plain(row.noiseFloor), row.qualifies ? "yes" : "no",
                String(row.falseAlarms.trials), Self.text(row.falseAlarms),
            ] + row.detections.map(Self.text)
        }
        let total = analysis.falseAlarms
        table.rows.append(
            [
                "all gated rows", "", "", String(analysis.qualifying.count), String(total.trials),
                Self.text(total),
            ] + SelftestPool.plants.indices.map { Self.text(analysis.detections(ofPlant: $0)) })
        return table
    }

    /// What came of the shares of slow intervals; nil of a pool without them.
    func tailTable() -> TextTable? {
        guard let total = analysis.tails else { return nil }
        var table = TextTable(
            header: ["case", "tail floor", "gated", "trials", "false alarms", "1 in 100 found"])
        table.leftColumns = [0, 2]
        table.rows = analysis.rows.compactMap { row in
            row.tail.map { tail in
                [
                    row.caseId, String(format: "%.2f points", tail.noiseFloor * 100),
                    tail.qualifies ? "yes" : "no", String(tail.falseAlarms.trials),
                    Self.text(tail.falseAlarms), Self.text(tail.detections),
                ]
            }
        }
        table.rows.append(
            [
                "all gated rows", "", String(analysis.rows.count { $0.tail?.qualifies == true }),
                String(total.falseAlarms.trials), Self.text(total.falseAlarms),
                Self.text(total.detections),
            ])
        return table
    }

    private var notes: [String] {
        let policy = analysis.policy
        let bound = processorBound
        return [
            "Brackets are exact 95 % binomial intervals. \(policy.runs) processes a side; "
                + "\(analysis.rows.map(\.rounds).min() ?? 0) rounds a row; "
                + "\(Percent.plain(analysis.crowdedFraction)) of the processes ran on a core that "
                + "was shared at their begin or end.",
            "Trials of a row are drawn from the same rounds and share runs, so they are not "
                + "independent: the intervals are narrower than what is really known. Noise "
                + "floors are of the same pool.",
            "The first table is of the time that the quickest tenth of a process's batches stays "
                + "below, with uniform slowdowns"
                + (analysis.tails == nil
                    ? ": nothing here says that a slowdown of some operations only would be "
                        + "noticed."
                    : ". The second one is of the share of batches that take more than twice the "
                        + "median, with every hundredth batch made five times as long. Rows of "
                        + "fewer than \(LatencySummary.fewestForSlowShare) batches have none."),
            "\(bound.count(where: \.qualifies)) of \(bound.count) processor-bound rows, and "
                + "\(analysis.qualifying.count) of all \(analysis.rows.count), have a noise floor "
                + "up to \(Percent.plain(policy.largestNoiseFloor)); the others are not gated by "
                + "time.",
        ]
    }

    func lines() -> [String] {
        table().lines() + [""] + (tailTable().map { $0.lines() + [""] } ?? []) + notes
    }

    func markdown() -> [String] {
        table().markdown() + [""] + (tailTable().map { $0.markdown() + [""] } ?? [])
            + notes.flatMap { [$0, ""] }.dropLast()
    }

    private static func text(_ rate: SelftestAnalysis.Rate) -> String {
        guard let interval = rate.interval else { return "" }
        return Percent.plain(rate.fraction)
            + String(format: " [%.1f, %.1f]", interval.low * 100, interval.high * 100)
    }
}
