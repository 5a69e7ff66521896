import Foundation
import Glibc
import ToolSupport

/// The request to a process that runs one case.
struct CaseRequest: Codable {
    enum Mode: String, Codable { case prepare, run }

    var mode: Mode
    var benchmarkCase: BenchmarkCase
    var directory: String
    var fixtures: String

    static let fileName = "request.json"
    static let outcomeFileName = "outcome.json"
    static let verificationFileName = "verification.json"
    static let errorFileName = "standard-error"
}

/// The verbs of the hidden commands, as which this program runs parts of a case.
enum CaseVerb {
    static let run = "run-case"
    static let verify = "verify-run"
    static let writeSensors = "write-sensors"
    static let observePersons = "observe-persons"
    static let time = "time-case"
}

/// A child process, normally of this program, that runs one hidden verb. A trap in a case ends only
/// its own process, and memory and first-use costs are those of the case alone.
final class CaseProcess: @unchecked Sendable {
    // Safe because all properties are set up before the first use, and `wait` is called once, by
    // one thread.
    private let process = Process()
    private let output = Pipe()
    private let errorPath: String

    /// The executable file of this program.
    static var ownExecutable: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    }

    /// Starts a process. `command` is a tool with its options and the program that the tool runs;
    /// nil means this program itself.
    convenience init(
        verb: String, argument: String, directory: String,
        errorFile: String = CaseRequest.errorFileName, environment: [String: String] = [:],
        input: Pipe? = nil, command: [String]? = nil
    ) throws {
        let command = command ?? [Self.ownExecutable.path]
        try self.init(
            executable: URL(fileURLWithPath: command[0]),
            arguments: command.dropFirst() + [verb, argument], environment: environment,
            directory: directory, errorFile: errorFile, input: input)
    }

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - executable: This program or another build of it.
    ///   - environment: Additional environment variables.
    ///   - directory: The folder for the file with the process's standard error.
    ///   - input: The standard input; nil means an empty one.
    init(
        executable: URL = ownExecutable, arguments: [String],
        environment: [String: String] = [:], directory: String,
        errorFile: String = CaseRequest.errorFileName, input: Pipe? = nil
    ) throws {
        errorPath = directory + "/" + errorFile
        process.executableURL = executable
        process.arguments = arguments
        // Deterministic hashing gives sets and dictionaries the same order in every run, and
        // thereby the allocations, instructions and writes that depend on it.
        // The variables for a planted slowdown and for encryption are taken from `environment`
        // only: a variable exported in the user's shell must not change ordinary runs.
        process.environment = ProcessInfo.processInfo.environment
            .filter { ![PlantedDelay.variable, FileEncryption.variable].contains($0.key) }
            .merging([
                "SWIFT_DETERMINISTIC_HASHING": "1", ParentDeath.variable: String(getpid()),
            ]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output
        guard FileManager.default.createFile(atPath: errorPath, contents: nil),
            let errors = FileHandle(forWritingAtPath: errorPath)
        else {
            throw BenchmarkError(.internalError, "'\(errorPath)' cannot be written.")
        }
        process.standardError = errors
        do { try process.run() } catch {
            throw BenchmarkError(
                .internalError,
                "'\(executable.path)' cannot be started: "
                    + "\((error as NSError).localizedDescription)")
        }
        Interruption.caseStarted(process.processIdentifier)
    }

    /// Passes every line of the process's output to `body` and returns when the process has ended.
    func wait(_ body: (String) -> Void) -> Ending {
        var pending = Data()
        while true {
            let chunk = output.nextBytes()
            if chunk.isEmpty { break }
            pending += chunk
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                body(String(decoding: pending[pending.startIndex..<end], as: UTF8.self))
                pending = Data(pending[(end + 1)...])
            }
        }
        process.waitUntilExit()
        Interruption.caseEnded()
        return Ending(
            status: process.terminationStatus,
            wasSignal: process.terminationReason == .uncaughtSignal,
            errors: (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "")
    }

    struct Ending {
        var status: Int32
        var wasSignal: Bool
        var errors: String

        var isSuccess: Bool { status == 0 && !wasSignal }

        /// Whether the errors contain the message of the kernel or of SQLite for a full disk.
        var saysDiskIsFull: Bool {
            errors.contains(String(cString: strerror(ENOSPC)))
                || errors.contains("database or disk is full")
        }

        /// The failure in one line: the message of a trap, else the last line of the standard
        /// error.
        var reason: String {
            let lines = errors.split(separator: "\n").map(String.init)
            let said = lines.first { $0.contains("Fatal error") } ?? lines.last ?? ""
            if wasSignal { return "ended by signal \(status). \(said)" }
            return said.isEmpty ? "ended with exit code \(status)." : said
        }
    }
}

/// The progress reports of a case's process: one JSON object a line on standard output.
struct ProgressChannel: Sendable {
    func send(_ update: ProgressUpdate) {
        guard var line = try? JSONEncoder().encode(update) else { return }
        line.append(UInt8(ascii: "\n"))
        line.withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
