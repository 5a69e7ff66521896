import Foundation
import Glibc
import ToolSupport

/// The process in which points are tried. A trap, a fault or a hang ends only this process, not the
/// run.
enum StressWorker {
    /// Answers requests until standard input ends.
    static func serve(_ limits: StressLimits) {
        ParentDeath.follow()
        limits.applyToThisProcess()
        while let line = readLine() {
            guard let request = WorkerChannel.decode(WorkerRequest.self, from: line) else {
                exit(BenchmarkError.Code.usage.rawValue)
            }
            WorkerChannel.say(WorkerChannel.encode(answer(request)))
        }
    }

    private static func answer(_ request: WorkerRequest) -> WorkerReply {
        do {
            guard let point = StressPoint(request.point) else {
                throw BenchmarkError(.usage, "'\(request.point)' is not a point.")
            }
            return .done(
                try run(
                    point, directory: request.directory, secondsLeft: request.secondsLeft
                ) { WorkerChannel.say(WorkerChannel.encode($0)) })
        } catch let error as BenchmarkError {
            return .refused(code: error.code.rawValue, message: error.message)
        } catch {
            return .refused(
                code: BenchmarkError.Code.internalError.rawValue, message: "\(error)")
        }
    }

    /// Tries a point in this process, in a folder of its own below `directory`.
    static func run(
        _ point: StressPoint, directory: String, secondsLeft: Double,
        tell: @escaping (WorkerReply) -> Void
    ) throws -> TrialReport {
        let layer = try LayerCatalogue.layer(of: point)
        let folder = directory + "/point-\(getpid())"
        try? FileManager.default.removeItem(atPath: folder)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError(
                .internalError,
                "The folder '\(folder)' cannot be made: "
                    + "\(error.fileProblem)")
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let trial = Trial(directory: folder, secondsLeft: secondsLeft, tell: tell)
        try trial.keepingFindings(of: point) { try layer.run(point, in: trial) }
        return trial.end()
    }
}
