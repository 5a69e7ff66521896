import ArgumentParser
import Foundation
import ToolSupport

/// The command `realm-bench gate`.
struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract:
            "Fails when a counted metric grew, or when another build was faster beyond doubt.",
        discussion: """
            Without --against, runs the suite of counted cases and compares every row with a \
            baseline: syncs, write calls, bytes, pages, file and live bytes, allocations and the \
            result's digest exactly; with --instructions also instructions, within 0.5 %. Noise \
            does not touch these. A case with a metric that grew is measured again, and the gate \
            fails only if the metric grew both times.

            With --against, times the cases of the suite 'timed' in processes of this build and \
            of the other one, interleaved A B B A. A row is red only if the 95 % interval of the \
            ratio of medians clears the threshold, the rank test's p after correction for all \
            rows is below 0.01, the effect is above twice the row's stored noise floor, and a \
            rerun agrees. What is not steady either is inconclusive, which passes. The time of a \
            row is that of its quickest tenth. A longer tail is red as well: half a percent more \
            batches that take more than twice the median, with the same p, floor and rerun.

            EXAMPLES
              \(tool) gate
              \(tool) gate --strict
              \(tool) gate --export-markdown gate.md --export-junit gate.xml
              \(tool) gate --against ../before/.build/release/\(tool)

            EXIT CODES
              0   nothing got worse
              1   the tool itself could not do its work
              2   a regression
              3   a case failed, or the digest of a result differs
              4   an improvement, with --strict: save a new baseline
              5   there is no baseline yet, or no noise floor by which a row could be gated
              6   the baseline is of another machine class, toolchain or layout
              64  the command line asks for something that does not exist
            """)

    @Option(
        help: ArgumentHelp(
            "The baseline of counted metrics. Default: counted.", valueName: "name"))
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "A suite of Benchmarks/Suites, or the path of a JSON file.",
            discussion: "The default is 'counted', with --against 'timed'.", valueName: "name"))
    var suite: String?

    @Option(
        help: ArgumentHelp(
            "Another build of \(tool), to be compared with this one by time.",
            valueName: "program"))
    var against: String?

    @Option(
        help: ArgumentHelp(
            "Only cases whose id matches this regular expression.", valueName: "regex"))
    var filter: String?

    @Flag(help: "An improvement of a counted metric fails as well, so that the baseline follows.")
    var strict = false

    @Flag(
        help: ArgumentHelp(
            "Count the instructions as well, with valgrind.",
            discussion: "A row of the baseline that has them and of this run that has not is no "
                + "pass (6). Takes minutes longer."))
    var instructions = false

    @Flag(help: "Leave out the progress, which goes to standard error; warnings stay.")
    var quiet = false

    @OptionGroup var table: TableOptions

    @Flag(help: "Print what would be compared with what, and stop.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Processes of each build, with --against: an even number, at least "
                + "\(TimedPolicy.fewestRuns). Default: \(TimedPolicy().runs).",
            valueName: "number"))
    var runs: Int?

    @Option(
        help: ArgumentHelp(
            "The slowdown that matters, in percent, with --against. Default: "
                + Display.number(TimedPolicy().threshold * 100) + ".", valueName: "percent"))
    var threshold: Double?

    @Option(help: ArgumentHelp("The folder for database files.", valueName: "folder"))
    var path: String?

    @Option(help: ArgumentHelp("The folder that gets the folder of this run.", valueName: "folder"))
    var output = "results"

    @OptionGroup(title: "FILES FOR OTHER PROGRAMS") var exports: ReportExports

    @Option(help: .hidden)
    var plantedSlowdown: PlantedSlowdown?

    @OptionGroup var location: BaselineCommand.Location

    func validate() throws {
        if let runs, let problem = TimedPolicy.problem(withRuns: runs) {
            throw ValidationError(problem)
        }
        if let threshold, !(0...100).contains(threshold) {
            throw ValidationError("--threshold must be from 0 to 100.")
        }
        let ofCounts = [
            ("instructions", instructions), ("strict", strict), ("baseline", baseline != nil),
        ]
        let ofTimes = [
            ("runs", runs != nil), ("threshold", threshold != nil),
            ("planted-slowdown", plantedSlowdown != nil),
        ]
        for (name, isGiven) in ofCounts where isGiven && against != nil {
            throw ValidationError("--\(name) is about counted metrics, not about --against.")
        }
        for (name, isGiven) in ofTimes where isGiven && against == nil {
            throw ValidationError("--\(name) has an effect with --against only.")
        }
    }

    func run() throws {
        Interruption.watch()
        if !dryRun { try exports.check() }
        let store = try location.store()
        guard let against else {
            var options = CountedGate.Options(
                filter: filter, baseline: baseline ?? "counted", store: store,
                instructions: instructions,
                isStrict: strict, isDryRun: dryRun, isQuiet: quiet, width: table.width,
                databases: path, output: output)
            if let suite { options.suite = suite }
            options.export = exports.write
            return try CountedGate(options).run()
        }
        var options = TimedGate.Options(
            filter: filter, against: against, plantedSlowdown: plantedSlowdown ?? .none,
            store: store, isDryRun: dryRun, isQuiet: quiet, width: table.width,
            databases: path ?? output)
        if let suite { options.suite = suite }
        if let runs { options.policy.runs = runs }
        options.export = exports.write
        if let threshold { options.policy.threshold = threshold / 100 }
        try TimedGate(options).run()
    }
}

extension PlantedSlowdown: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}
