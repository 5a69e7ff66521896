import ArgumentParser
import BenchmarkKit
import Foundation
import Glibc

/// `realm-bench stress run`.
struct StressRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs layers until the time is over, and tells what they found.",
        discussion: """
            Layers share the time. Points are tried in worker processes: one that traps or hangs \
            has found something. What is found is made small, and told with a line that replays it.

            Rows are written to --append, or to a file of their own. A file that has rows is gone \
            on with: rounds that it has of the same seed are not repeated, so a long run may be \
            made of many short ones.

            EXIT CODES
              0   nothing was found
              1   the tool itself could not do its work
              3   something was found: the lines say what, and how to replay it
              6   the file to append to has other columns
              64  the command line asks for something that does not exist
            """)

    @Argument(help: ArgumentHelp("The layers to run; all without.", valueName: "layer"))
    var layers: [String] = []

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, as 90s, 30m, 2h.", valueName: "time"))
    var duration = StressDuration(seconds: 120)

    @Option(help: ArgumentHelp("Appends the rows to this file.", valueName: "file"))
    var append: String?

    @Option(
        help: ArgumentHelp("Seed of the first round; each round adds one.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "The folder for database files. Default: in memory (/dev/shm) where there is such.",
            valueName: "folder"))
    var path: String?

    @Option(help: ArgumentHelp("The folder for a new file of results.", valueName: "folder"))
    var output = "results"

    @OptionGroup var limits: StressLimitOptions

    func run() throws {
        let chosen = try layers.isEmpty ? LayerCatalogue.all : layers.map(LayerCatalogue.layer)
        let identifier = "\(Int(Date().timeIntervalSince1970))-\(getpid())"
        let folder = try StressFolder(below: path, identifier: identifier)
        defer { folder.remove() }
        if append == nil { try CaseRunner.makeDirectory(output) }
        let plan = StressRun.Plan(
            layers: chosen, seconds: duration.seconds, seed: seed,
            results: append ?? "\(output)/stress-\(identifier).csv", directory: folder.path,
            limits: limits.limits)
        try StressRun(plan, identifier: identifier).run()
    }
}

/// What the workers of a run may take.
struct StressLimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The largest file.", valueName: "bytes"))
    var fileBytes = StressLimits().fileBytes

    @Option(help: ArgumentHelp("The most memory of a worker.", valueName: "bytes"))
    var memoryBytes = StressLimits().memoryBytes

    @Option(help: ArgumentHelp("How long a worker may say nothing.", valueName: "seconds"))
    var silence = StressLimits().silenceSeconds

    func validate() throws {
        guard fileBytes >= 1 << 20, memoryBytes >= 1 << 20, silence >= 1, silence <= 86_400 else {
            throw ValidationError("Limits are at least 1 MiB, and a silence of a second.")
        }
    }

    var limits: StressLimits {
        var limits = StressLimits()
        limits.fileBytes = fileBytes
        limits.memoryBytes = memoryBytes
        limits.silenceSeconds = silence
        return limits
    }
}
