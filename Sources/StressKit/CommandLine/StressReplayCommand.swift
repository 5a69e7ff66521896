import ArgumentParser
import Foundation
import Glibc
import ToolSupport

/// The command `realm-bench stress replay`.
struct StressReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Tries one point again, as a run has told it.",
        discussion: """
            Ends with exit code 3 if it fails again, and 0 if not. Points about threads and random \
            times depend on the machine as well: --times tries them until they fail. What the line \
            leaves out is as in the first round of a run; without a place, all are tried.

            EXAMPLES
              realm-bench stress replay 'power-loss/full seed=3 moment=4 image=subset:5:1'
              realm-bench stress replay process-death/alone seed=7 kill=before:17
            """)

    @Argument(help: ArgumentHelp("The point; quoted or not.", valueName: "point"))
    var words: [String]

    @Option(help: ArgumentHelp("How often to try at most.", valueName: "number"))
    var times = 1

    @Option(help: ArgumentHelp("The folder for database files.", valueName: "folder"))
    var path: String?

    @OptionGroup var limits: StressLimitOptions

    func validate() throws {
        if times < 1 { throw ValidationError("--times must be at least 1.") }
    }

    /// Returns the point, whose layer, scenario and settings are known. A workload that it leaves
    /// out is that of the first round of a run.
    func point() throws -> StressPoint {
        let text = words.joined(separator: " ")
        guard let point = StressPoint(text) else {
            throw BenchmarkError(
                .usage, "'\(text)' is not a point, such as 'power-loss/full seed=3 moment=4'.")
        }
        return try LayerCatalogue.layer(of: point).completed(point)
    }

    func run() throws {
        let point = try point()
        Interruption.watch()
        let folder = try StressFolder.make(below: path, identifier: "replay-\(getpid())")
        defer { folder.remove() }
        let worker = WorkerProcess(
            executable: ChildProcess.ownExecutable, directory: folder.path, limits: limits.limits)
        defer { worker.end() }
        for _ in 0..<times {
            try Interruption.throwIfRequested()
            let report = try worker.run(point, secondsLeft: StressDuration.longestSeconds)
            if let reason = report.skipped { return print("Skipped: \(reason)") }
            if let failure = report.failures.first {
                throw BenchmarkError(
                    .caseFailed,
                    "\(failure.kind.rawValue) in \(failure.point): \(failure.message)")
            }
            let met = CoverageText.text(of: report.coverage)
            print(
                "\(report.points) points, \(report.states) states: nothing found."
                    + (met.isEmpty ? "" : " Met: \(met)."))
        }
    }
}
