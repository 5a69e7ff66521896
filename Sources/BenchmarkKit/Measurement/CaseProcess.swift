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
    /// The models of the suite, which this process has to know.
    var models: [ModelDescription] = []
    /// How perf records the case; nil if it does not.
    var recording: Recording?

    /// A recording of the process by perf.
    struct Recording: Codable {
        /// The path of perf.
        var perf: String
        /// The folder for what it records.
        var folder: String

        /// The file that tells when the measured regions were.
        var spansFile: String { folder + "/spans.json" }
    }

    static let fileName = "request.json"
    static let outcomeFileName = "outcome.json"
    static let verificationFileName = "verification.json"
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
    /// The standard error is a pipe as well: a file would lie on the disk that is measured, and a
    /// full disk would take the message that says so.
    private let errors = Pipe()

    /// The executable file of this program.
    static var ownExecutable: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    }

    /// Starts a process. `command` is a tool with its options and the program that the tool runs;
    /// nil means this program itself.
    convenience init(
        verb: String, argument: String, environment: [String: String] = [:],
        input: Pipe? = nil, command: [String]? = nil
    ) throws {
        let command = command ?? [Self.ownExecutable.path]
        try self.init(
            executable: URL(fileURLWithPath: command[0]),
            arguments: command.dropFirst() + [verb, argument], environment: environment,
            input: input)
    }

    /// Starts a process.
    ///
    /// - Parameters:
    ///   - executable: This program or another build of it.
    ///   - environment: Additional environment variables.
    ///   - input: The standard input; nil means an empty one.
    init(
        executable: URL = ownExecutable, arguments: [String],
        environment: [String: String] = [:], input: Pipe? = nil
    ) throws {
        process.executableURL = executable
        process.arguments = arguments
        // Deterministic hashing gives sets and dictionaries the same order in every run, and
        // thereby the allocations, instructions and writes that depend on it.
        // The variables for what is planted and for encryption are taken from `environment` only:
        // a variable exported in the user's shell must not change ordinary runs.
        process.environment = ProcessInfo.processInfo.environment
            .filter {
                ![PlantedDelay.variable, PlantedCost.variable, FileEncryption.variable]
                    .contains($0.key)
            }
            .merging([
                "SWIFT_DETERMINISTIC_HASHING": "1", ParentDeath.variable: String(getpid()),
            ]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch {
            throw BenchmarkError(
                .internalError,
                "'\(executable.path)' cannot be started: "
                    + "\(error.fileProblem)")
        }
        Interruption.caseStarted(process.processIdentifier)
    }

    /// Passes every line of the process's output to `body` and returns when the process has ended.
    func wait(_ body: (String) -> Void) -> Ending {
        var pending = Data()
        var said = Data()
        // Both pipes are read by this thread, since another one would take part in the measurement
        // of a case that starts processes.
        var isOpen = (output: true, errors: true)
        while isOpen.output || isOpen.errors {
            let ready = waitForBytes(isOpen)
            if ready.output {
                let chunk = output.nextBytes()
                isOpen.output = !chunk.isEmpty
                pending += chunk
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    body(String(decoding: pending[pending.startIndex..<end], as: UTF8.self))
                    pending = Data(pending[(end + 1)...])
                }
            }
            if ready.errors {
                let chunk = errors.nextBytes()
                isOpen.errors = !chunk.isEmpty
                said += chunk
                if said.count > Self.mostErrorBytes { said = Data(said.prefix(said.count / 2)) }
            }
        }
        process.waitUntilExit()
        Interruption.caseEnded()
        return Ending(
            status: process.terminationStatus,
            wasSignal: process.terminationReason == .uncaughtSignal,
            errors: String(decoding: said, as: UTF8.self))
    }

    /// The most that is kept of the standard error, which begins with the cause.
    private static let mostErrorBytes = 4 << 20

    /// Waits until one of the open pipes has bytes, or has ended.
    private func waitForBytes(
        _ isOpen: (output: Bool, errors: Bool)
    ) -> (output: Bool, errors: Bool) {
        // A negative descriptor is passed over.
        var pipes = [(output, isOpen.output), (errors, isOpen.errors)].map { pipe, isOpen in
            pollfd(
                fd: isOpen ? pipe.fileHandleForReading.fileDescriptor : -1,
                events: Int16(POLLIN), revents: 0)
        }
        while poll(&pipes, 2, -1) < 0, errno == EINTR {}
        return (pipes[0].revents != 0, pipes[1].revents != 0)
    }

    struct Ending {
        var status: Int32
        var wasSignal: Bool
        var errors: String

        var isSuccess: Bool { status == 0 && !wasSignal }

        var saysDiskIsFull: Bool { FullDisk.isNamed(in: errors) }

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
