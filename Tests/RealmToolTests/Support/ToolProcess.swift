import Foundation
import Glibc
import ToolSupport

/// The tool as people start it: a process of its own.
final class ToolProcess {
    static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("realm").path

    /// What a process has left.
    struct Result {
        let output: String
        let error: String
        /// The exit code, or the negated number of the signal that ended the process.
        let code: Int32
    }

    private let process = Process()
    private let output = Pipe()
    private let error = Pipe()
    private let input = Pipe()
    private var received = Data()

    init(
        _ arguments: [String], program: String = ToolProcess.program,
        environment: [String: String] = [:]
    ) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = error
        try process.run()
    }

    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    func endInput() { try? input.fileHandleForWriting.close() }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Reads standard output until `text` was written. False if the process ended without it.
    func waits(for text: String) -> Bool {
        while received.range(of: Data(text.utf8)) == nil {
            let chunk = output.nextBytes()
            if chunk.isEmpty { return false }
            received += chunk
        }
        return true
    }

    /// Waits for the end of the process.
    func finish() throws -> Result {
        endInput()
        let errors = BackgroundThread { [error] _ in error.remainingBytes() }
        received += output.remainingBytes()
        let text = String(decoding: received, as: UTF8.self)
        let errorText = String(decoding: try errors.wait(), as: UTF8.self)
        process.waitUntilExit()
        let status = process.terminationStatus
        return Result(
            output: text, error: errorText,
            code: process.terminationReason == .uncaughtSignal ? -status : status)
    }

    /// Runs the tool.
    static func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) throws -> Result {
        let process = try ToolProcess(arguments, environment: environment)
        // More than a pipe holds would wait for a reader that waits for us.
        if !input.isEmpty { try process.write(input) }
        return try process.finish()
    }

    /// Runs a command of the shell, in which `realm` is the tool. Its exit code is that of the
    /// first command of a pipe that failed.
    static func shell(_ command: String, in folder: String) throws -> Result {
        let script = "cd '\(folder)'; realm() { '\(program)' \"$@\"; }; set -o pipefail; \(command)"
        return try ToolProcess(["-c", script], program: "/bin/bash").finish()
    }
}

extension ToolProcess {
    var isRunning: Bool { process.isRunning }

    /// Whether the process waits for something.
    var isAsleep: Bool { ProcessStatus.state(of: processIdentifier) == "S" }

    private var processIdentifier: Int32 { process.processIdentifier }
}
