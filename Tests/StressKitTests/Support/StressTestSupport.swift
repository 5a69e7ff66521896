import Foundation
import StressModel
import ToolSupport

@testable import StressKit

/// Path of the `realm-bench` executable beside the tests.
let runnerPath = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("realm-bench").path

/// A folder that is removed when this object is released. It is in memory where possible.
final class ScratchFolder {
    let path: String

    init() throws {
        let isInMemory = FileManager.default.isWritableFile(atPath: "/dev/shm")
        path =
            (isInMemory ? "/dev/shm/" : NSTemporaryDirectory()) + "stress-tests-"
            + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Runs `realm-bench`. Returns what it wrote and its exit code.
func runRunner(_ arguments: String...) throws -> (text: String, exitCode: Int32) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: runnerPath)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.remainingBytes()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
}

/// Returns the report of a worker process on a point.
func report(
    on point: StressPoint, seconds: Double, limits: StressLimits = .init()
) throws -> TrialReport {
    let folder = try ScratchFolder()
    let worker = WorkerProcess(executable: runnerPath, directory: folder.path, limits: limits)
    defer { worker.end() }
    return try worker.run(point, secondsLeft: seconds)
}

/// Returns the points that are tried in this process for a point.
func pointsTried(for point: StressPoint, seconds: Double) throws -> [String] {
    let folder = try ScratchFolder()
    var tried: [String] = []
    _ = try StressWorker.run(point, directory: folder.path, secondsLeft: seconds) {
        if case .trying(let point) = $0 { tried.append(point) }
    }
    return tried
}
