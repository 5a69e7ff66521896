import Foundation
import Glibc
import ToolSupport

/// The benchmark runner as people start it: a process of its own, whose main thread it has to
/// itself.
final class BenchmarkProcess {
    private let process = Process()
    private let output = Pipe()
    private var received = Data()

    static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("realm-bench").path

    convenience init(_ arguments: String...) throws { try self.init(arguments) }

    init(program: String = BenchmarkProcess.program, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    /// Reads until `text` was written. False if the process ended without writing it.
    func waits(for text: String) -> Bool {
        while received.range(of: Data(text.utf8)) == nil {
            let chunk = output.nextBytes()
            if chunk.isEmpty { return false }
            received += chunk
        }
        return true
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    func stopReading() { try? output.fileHandleForReading.close() }

    /// Returns the exit code, or the negated number of the signal that ended the process.
    func exitCode() -> Int32 {
        process.waitUntilExit()
        let status = process.terminationStatus
        return process.terminationReason == .uncaughtSignal ? -status : status
    }

    /// Returns the whole output, once the process has ended.
    func text() -> String {
        received += output.remainingBytes()
        return String(decoding: received, as: UTF8.self)
    }
}
