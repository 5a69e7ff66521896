import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench selftest`.
struct SelftestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest",
        abstract: "Tries the gate on itself: how often it errs, and what it notices.",
        discussion: """
            Times every row of the suite in many short processes, some of them slowed down by a \
            planted busy-wait of 2, 5, 10 and 20 % of the measured operation. From this pool it \
            draws pairs whose truth is known and asks the gate's own rule, rerun included. \
            Prints each row's noise floor and stores it for the gate; then false alarms and \
            detections with exact binomial intervals.

            Another plant makes one batch in a hundred five times as long. It is for the gate's \
            second statistic, the share of batches that take more than twice the median.

            Ends with exit code 2 if no row is processor-bound, fewer than half of those that are \
            qualify, more than 1 % of the comparisons of equal builds are false alarms, less than \
            95 % of the slowdowns by 10 % are found (the same of tails), or more than half of the \
            processes ran on a core that somebody else used as well. Floors are stored beside \
            those of other cases; not with --quick, and not from so crowded a machine.

            The pool is written as CSV: --from reads it again, without measuring.

            With --counted, tries the gate of counted metrics instead: 50 gates of this build \
            (--times) beside threads that compute, write and sync, with a baseline of this build. \
            Then five with each planted cost: an allocation for each operation; a write of one \
            byte, and a page, for each commit; with --instructions, a loop of a hundredth of the \
            case's instructions. Ends with 2 if a gate without a plant fails, or if a row that \
            has the metric does not show the plant. The suite 'counted' takes about an hour and a \
            half, --filter part of it.

            EXAMPLES
              \(tool) selftest
              \(tool) selftest --counted --filter '^\(exampleWorkload)/'
              \(tool) selftest --counted --instructions --times 10
              \(tool) selftest --minutes 10
              \(tool) selftest --from results/selftest-20260131T235959Z.csv
            """)

    static let usualTrials = 400
    static let usualTimes = 50
    static let usualSeed: UInt64 = 20_190_409

    @Flag(help: "Try the gate of counted metrics instead of that of times.")
    var counted = false

    @Flag(help: "Count and plant instructions as well, with --counted and valgrind.")
    var instructions = false

    @Option(
        help: ArgumentHelp(
            "Gates without a plant, with --counted, a tenth of them with each plant. "
                + "Default: \(SelftestCommand.usualTimes).", valueName: "number"))
    var times: Int?

    @Option(
        help: ArgumentHelp(
            "A suite of Benchmarks/Suites, or a JSON file. Default: timed; with --counted counted, "
                + "and with --instructions instructions.",
            valueName: "name"))
    var suite: String?

    @Option(
        help: ArgumentHelp(
            "Only cases whose id matches this regular expression.", valueName: "regex"))
    var filter: String?

    @Option(
        help: ArgumentHelp(
            "How long to collect; more rounds tell more. Default: 30.",
            discussion: "With --counted, no gate without a plant begins later; by default, all "
                + "do. Otherwise at least the rounds that a noise floor needs (2 * runs + 4, so "
                + "64) are run, which takes 37 to 43 minutes; where they take longer, fewer "
                + "processes a side are compared.",
            valueName: "minutes"))
    var minutes: Double?

    @Flag(
        help: ArgumentHelp(
            "To see that everything works: \(TimedPolicy.fewestRuns) processes a side, and as few "
                + "rounds as a trial needs; stores nothing."))
    var quick = false

    @Option(help: ArgumentHelp("Analyses this pool instead of measuring.", valueName: "file"))
    var from: String?

    @Option(
        help: ArgumentHelp(
            "Pairs drawn for each row and plant. Default: \(SelftestCommand.usualTrials).",
            valueName: "number"))
    var trials: Int?

    @Option(
        help: ArgumentHelp(
            "Processes of each side, as of the gate: an even number, at least "
                + "\(TimedPolicy.fewestRuns). Default: \(TimedPolicy().runs).",
            valueName: "number"))
    var runs: Int?

    @Option(
        help: ArgumentHelp(
            "Seed of the draws. Default: \(SelftestCommand.usualSeed).", valueName: "number"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("Also write the tables as Markdown.", valueName: "file"))
    var exportMarkdown: String?

    @Option(help: ArgumentHelp("The folder for database files.", valueName: "folder"))
    var path: String?

    @Option(
        help: ArgumentHelp("The folder that gets the pool. Default: results.", valueName: "folder"))
    var output: String?

    @OptionGroup var location: BaselineCommand.Location

    var policy: TimedPolicy {
        var policy = TimedPolicy()
        if quick { policy.runs = TimedPolicy.fewestRuns }
        if let runs { policy.runs = runs }
        return policy
    }

    func validate() throws {
        if let problem = TimedPolicy.problem(withRuns: policy.runs) {
            throw ValidationError(problem)
        }
        if let trials, trials < 1 { throw ValidationError("--trials must be at least 1.") }
        if let minutes, !(minutes > 0 && minutes <= 600) {
            throw ValidationError("--minutes must be above 0 and at most 600.")
        }
        if let times, !(1...10_000).contains(times) {
            throw ValidationError("--times must be from 1 to 10000.")
        }
        let ofTimes = [
            ("quick", quick), ("from", from != nil), ("trials", trials != nil),
            ("runs", runs != nil), ("seed", seed != nil),
            ("baselines", location.baselines != nil),
        ]
        for (name, isGiven) in ofTimes where isGiven && counted {
            throw ValidationError("--\(name) is about times, not about --counted.")
        }
        for (name, isGiven) in [("times", times != nil), ("instructions", instructions)]
        where isGiven && !counted {
            throw ValidationError("--\(name) has an effect with --counted only.")
        }
        let ofCollecting = [
            ("suite", suite != nil), ("filter", filter != nil), ("minutes", minutes != nil),
            ("path", path != nil), ("output", output != nil),
        ]
        for (name, isGiven) in ofCollecting where isGiven && from != nil {
            throw ValidationError("--\(name) has no effect with --from, which measures nothing.")
        }
    }

    func run() throws {
        Interruption.watch()
        if let exportMarkdown { try TextFile.checkWritable(exportMarkdown) }
        if counted { return try tryCountedGate() }
        let store = try location.store()
        let output = output ?? "results"
        let folder = path ?? output
        try FolderFiles.make(folder)
        let key = TimedKey.current(path: folder)
        let options = SelftestCollection.Options(
            suite: suite ?? "timed", filter: filter, minutes: minutes ?? 30, isQuick: quick,
            policy: policy,
            databases: folder, output: output)
        let pool = try from.map(SelftestPool.load) ?? SelftestCollection(options, key).collect()
        let analysis = try SelftestAnalysis(
            pool, policy: policy.fitting(rounds: pool.rounds), trials: trials ?? Self.usualTrials,
            seed: seed ?? Self.usualSeed)
        let report = SelftestReport(analysis)
        for line in report.lines() { print(line) }
        if let exportMarkdown { try TextFile.write(report.markdown(), to: exportMarkdown) }
        if report.isCrowded {
            print("\nNo noise floors are stored, for the machine was too crowded.")
        } else {
            try save(analysis, of: pool, key, in: store)
        }
        let failures = report.failures
        guard failures.isEmpty else {
            throw BenchmarkError(.regression, failures.joined(separator: "\n"))
        }
    }

    /// The suite of `--counted`. A user's package has one for both.
    private var usualSuite: String {
        instructions && OwnWorkloads.all == nil ? "instructions" : "counted"
    }

    private func tryCountedGate() throws {
        let output = output ?? "results"
        if instructions { try InstructionCount.checkTools() }
        try FolderFiles.make(output)
        let report = try CountedSelftest(
            CountedSelftest.Options(
                suite: suite ?? usualSuite, filter: filter,
                instructions: instructions, times: times ?? Self.usualTimes,
                minutes: minutes, databases: path, output: output)
        ).run()
        for line in report.lines() { print(line) }
        if let exportMarkdown { try TextFile.write(report.markdown(), to: exportMarkdown) }
        guard report.failures.isEmpty else {
            throw BenchmarkError(.regression, report.failures.joined(separator: "\n"))
        }
    }

    private func save(
        _ analysis: SelftestAnalysis, of pool: SelftestPool, _ key: TimedKey,
        in store: BaselineStore
    ) throws {
        guard pool.machine == key.folderName else {
            print("\nThe pool is of another machine class; its noise floors are not stored.")
            return
        }
        let floors = analysis.floors
        guard !quick, !floors.isEmpty else {
            print("\nNo noise floors are stored; they need \(policy.roundsOfFloor) rounds.")
            return
        }
        print("\nNoise floors: \(try store.merge(floors, for: key))")
    }
}
