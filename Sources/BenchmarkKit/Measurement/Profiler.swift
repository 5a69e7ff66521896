import Foundation
import ToolSupport

/// The tool that finds out where the time of a case goes.
enum Profiler: Equatable {
    /// perf, with its path: samples of the whole case.
    case perf(String)
    /// callgrind: instructions of the case with less work.
    case callgrind

    /// Returns perf if it can record here, else callgrind. Throws, with what to install, if neither
    /// can be used.
    static func available(
        searching path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
    ) throws -> Profiler {
        var reason = "'perf' was not found in PATH"
        if let perf = InstructionCount.found("perf", searching: path) {
            guard let problem = problem(of: perf) else { return .perf(perf) }
            reason = "'perf' cannot record here (\(problem))"
        }
        if ["valgrind", "strip"].allSatisfy({
            InstructionCount.found($0, searching: path) != nil
        }) {
            return .callgrind
        }
        throw BenchmarkError(
            .internalError,
            "A profile takes perf, or valgrind and binutils: \(reason), and 'valgrind' or 'strip' "
                + "was not found either. Install one of them (on Debian: apt-get install "
                + "linux-perf, on Ubuntu: apt-get install linux-tools-generic; or: apt-get install "
                + "valgrind binutils), or leave out --profile.")
    }

    /// Returns why perf cannot record; nil if it can.
    private static func problem(of perf: String) -> String? {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("realm-bench-perf-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: perf)
        process.arguments = PerfRecording.options + ["--output=\(folder)", "--", "true"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        do { try process.run() } catch { return error.fileProblem }
        let said = String(decoding: errors.remainingBytes(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus != 0 else { return nil }
        return said.split(separator: "\n").first.map(String.init)
            ?? "exit code \(process.terminationStatus)"
    }
}
