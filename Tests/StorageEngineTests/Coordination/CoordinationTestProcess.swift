import Foundation
import ToolSupport

@testable import StorageEngine

/// A child process that runs one scenario of `engine-test-process`.
final class CoordinationTestProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received: [UInt8] = []

    init(_ scenario: String, _ arguments: String...) throws {
        let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        process.executableURL = directory.appendingPathComponent("engine-test-process")
        process.arguments = [scenario] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill() }
    }

    /// The next line that the child reports; nil when it has ended.
    func nextLine() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                return line
            }
            let data = output.nextBytes()
            if data.isEmpty { return nil }
            received.append(contentsOf: data)
        }
    }

    /// Lets the child continue from where it waits.
    func proceed() throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    }

    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits for the child to end, and returns the signal that ended it, or 0.
    func waitForSignal() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
    }

    var processID: UInt32 { UInt32(process.processIdentifier) }

    var isRunning: Bool { process.isRunning }

    /// Whether a signal has stopped the child.
    var isStopped: Bool {
        // "PID (NAME) STATE ...", see proc(5).
        let status = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
        return status?.contains(") T ") == true
    }
}

/// A temporary directory for one test.
struct CoordinationTestDirectory: ~Copyable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/engine-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }
}

/// An open data file with its coordinator. It is recovered at version 1 if this is the sole opener.
final class CoordinationTestFile {
    let descriptor: Int32
    let coordinator: Coordinator
    let role: Coordinator.Role

    init(_ path: String, readOnly: Bool = false, version: UInt64 = 1) throws {
        let flags = readOnly ? O_RDONLY : O_RDWR | O_CREAT
        descriptor = try System.open(path, flags: flags)
        do {
            (coordinator, role) = try Coordinator.open(
                path: path, dataFile: descriptor, readOnly: readOnly)
        } catch {
            System.close(descriptor)
            throw error
        }
        if role == .soleOpener {
            try coordinator.finishRecovery(version: version, sequence: version)
        }
    }

    /// Closes the file. Returns whether this was the last user.
    @discardableResult
    func close() throws -> Bool {
        let isLast = try coordinator.close()
        if isLast { coordinator.releaseFinal() }
        System.close(descriptor)
        return isLast
    }
}

extension Coordinator {
    /// The pinned versions in ascending order.
    var collectedPins: [UInt64] {
        var versions: [UInt64] = []
        collectPinnedVersions(into: &versions)
        return versions
    }
}
