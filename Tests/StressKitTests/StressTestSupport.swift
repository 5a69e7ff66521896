import Foundation
import StressModel

@testable import StressKit

/// The runner as people start it, beside the tests.
let runnerPath = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("realm-bench").path

/// A folder that goes when the test does, in memory where there is one.
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

/// What a program wrote, and how it ended.
func runRunner(_ arguments: String...) throws -> (text: String, exitCode: Int32) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: runnerPath)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
}

/// What a worker process makes of a point.
func report(
    on point: StressPoint, seconds: Double, limits: StressLimits = .init()
) throws -> TrialReport {
    let folder = try ScratchFolder()
    let worker = WorkerProcess(executable: runnerPath, directory: folder.path, limits: limits)
    defer { worker.end() }
    return try worker.run(point, secondsLeft: seconds)
}

/// The points that this process tries for a point.
func pointsTried(for point: StressPoint, seconds: Double) throws -> [String] {
    let folder = try ScratchFolder()
    var tried: [String] = []
    _ = try StressWorker.run(point, directory: folder.path, secondsLeft: seconds) {
        if case .trying(let point) = $0 { tried.append(point) }
    }
    return tried
}
