import ArgumentParser
import ToolSupport

/// The command `realm-bench stress run`.
struct StressRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs layers until the time is over, and tells what they found.",
        discussion: """
            Layers share the time. Points are tried in worker processes: one that traps or hangs \
            has found something. What is found is made small, and told with a line that replays it.

            Rows are written to --append, or to a file of their own, as soon as there is something \
            to write. A file that has rows is gone on with: rounds that it has of the same seed \
            are not repeated, so a long run may be made of many short ones, interrupted ones \
            included. 'realm-bench stress summary FILE' adds them up.

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

    @Option(help: ArgumentHelp("The folder for a new file of results.", valueName: "folder"))
    var output = "results"

    @OptionGroup var options: StressRunOptions

    func run() throws {
        let chosen = try layers.isEmpty ? LayerCatalogue.all : layers.map(LayerCatalogue.layer)
        if options.append == nil { try FolderFiles.make(output) }
        try options.withFolder { identifier, folder in
            let plan = StressRun.Plan(
                layers: chosen, seconds: duration.seconds, seed: options.seed,
                results: options.append ?? "\(output)/stress-\(identifier).csv", directory: folder,
                limits: options.limits.limits)
            try StressRun(plan, identifier: identifier).run()
        }
    }
}
