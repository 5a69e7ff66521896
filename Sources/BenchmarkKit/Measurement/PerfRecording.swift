import Foundation
import Glibc
import ToolSupport

/// The recording of this process by perf, from a moment on until another.
///
/// The process starts perf, and not the other way round, since it ends with its parent and only
/// its measured part matters.
struct PerfRecording {
    private let process = Process()

    /// The samples a second. The number is a prime, so that samples do not keep step with work that
    /// repeats.
    private static let frequency = 1997

    /// Stacks are found by frame pointers, which the Swift compiler keeps. The clock is that of the
    /// spans of ``MeasuredRegion``.
    static let options = [
        "record", "--quiet", "--clockid=CLOCK_MONOTONIC", "--freq=\(frequency)", "--call-graph=fp",
    ]
    static let fileName = "perf.data"

    /// Begins to record this process into ``fileName`` in a folder, and returns once samples are
    /// taken.
    init(perf: String, in folder: String) throws {
        let (control, answer) = (folder + "/control", folder + "/answer")
        guard mkfifo(control, 0o600) == 0, mkfifo(answer, 0o600) == 0 else {
            throw BenchmarkError(
                .internalError, "No pipe can be made in '\(folder)': error \(errno).")
        }
        process.executableURL = URL(fileURLWithPath: perf)
        // Names are relative, because those of the control pipes are separated by a comma.
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.arguments =
            Self.options
            + [
                "--output=\(Self.fileName)", "--pid=\(getpid())", "--delay=-1",
                "--control=fifo:control,answer",
            ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        // Opened for reading and writing, so that neither side waits for the other to open them.
        let (commands, answers) = (open(control, O_RDWR), open(answer, O_RDWR))
        defer {
            close(commands)
            close(answers)
        }
        try process.run()
        _ = write(commands, "enable\n", 7)
        var wait = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
        let end = monotonicNanoseconds() + 30_000_000_000
        while poll(&wait, 1, 100) <= 0 {
            if process.isRunning, monotonicNanoseconds() < end { continue }
            if process.isRunning { process.terminate() }
            throw BenchmarkError(
                .internalError,
                "perf did not begin to record. "
                    + String(decoding: errors.remainingBytes(), as: UTF8.self))
        }
    }

    /// Ends the recording, after which the file is whole.
    func end() {
        process.interrupt()
        process.waitUntilExit()
    }
}
