import Foundation
import Glibc
import StressModel
import ToolSupport

/// A worker as the runner sees it. It is started when it is needed, and again after it has ended.
///
/// Used by one thread, the one that the worker dies with.
package final class WorkerProcess {
    private let executable: String
    private let directory: String
    private let limits: StressLimits
    private let environment: [String: String]
    private var child: ChildProcess?

    /// Creates a worker that is not started yet.
    ///
    /// - Parameter directory: the directory for the files of points, on the file system to be
    ///   tested.
    /// - Parameter environment: variables added to those of this process.
    package init(
        executable: String, directory: String, limits: StressLimits,
        environment: [String: String] = [:]
    ) {
        self.executable = executable
        self.directory = directory
        self.limits = limits
        self.environment = environment
    }

    private var errorFile: String { directory + "/errors" }

    private func started() throws -> ChildProcess {
        if let child { return child }
        unlink(errorFile)
        let child = try ChildProcess(
            executable: executable,
            arguments: [
                HelperCommand.worker, "--file-bytes", String(limits.fileBytes),
                "--memory-bytes", String(limits.memoryBytes),
            ],
            errorFile: errorFile, environment: environment)
        Interruption.caseStarted(child.identifier)
        self.child = child
        return child
    }

    /// Tries a point. A worker that ends, hangs or exceeds its memory limit is a finding.
    package func run(
        _ point: StressPoint, secondsLeft: Double,
        _ progress: (_ points: Int, _ states: Int) -> Void = { _, _ in }
    ) throws -> TrialReport {
        let child = try started()
        child.send(
            WorkerChannel.encode(
                WorkerRequest(
                    point: point.description, directory: directory, secondsLeft: secondsLeft)))
        var report = TrialReport()
        var underWay = point.description
        while true {
            switch child.nextLine(silentFor: limits.silenceSeconds) {
            case .text(let line):
                switch WorkerChannel.decode(WorkerReply.self, from: line) {
                case .trying(let point): underWay = point
                case .progress(let points, let states):
                    report.points = points
                    report.states = states
                    progress(points, states)
                case .done(let report): return checked(report, underWay)
                case .refused(let code, let message):
                    throw BenchmarkError(.init(rawValue: code), message)
                case nil:
                    throw BenchmarkError(.internalError, "A worker said '\(line)'.")
                }
            case .silence:
                end()
                report.failures.append(
                    .init(
                        point: underWay, kind: .overLimit,
                        message: "a worker said nothing for \(Int(limits.silenceSeconds)) s."))
                return report
            case .end:
                try Interruption.throwIfRequested()
                report.failures.append(
                    .init(
                        point: underWay, kind: .crash,
                        message: "the process \(child.lastWords(in: errorFile))"))
                end()
                return report
            }
        }
    }

    private func checked(_ report: TrialReport, _ point: String) -> TrialReport {
        guard report.peakResidentBytes > limits.memoryBytes else { return report }
        var report = report
        report.failures.append(
            .init(
                point: point, kind: .overLimit,
                message: "\(report.peakResidentBytes) bytes of memory were resident, "
                    + "\(limits.memoryBytes) are allowed."))
        // The next report would have the same peak, which is that of the process's whole life.
        end()
        return report
    }

    /// Ends the worker, if there is one.
    package func end() {
        child?.kill()
        child?.wait()
        child = nil
        Interruption.caseEnded()
    }
}
