import Foundation

/// A program of the examples that runs beside the test.
final class ExampleProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received = Data()
    /// Ends a program that hangs, so that its test fails.
    private let limit: DispatchWorkItem

    private static let longestSeconds = 60.0

    init(_ program: String, _ arguments: [String]) throws {
        process.executableURL = programsFolder.appendingPathComponent(program)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        // Otherwise programs that are started later keep this one's input open.
        for handle in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        try process.run()
        let number = process.processIdentifier
        limit = DispatchWorkItem { kill(number, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestSeconds, execute: limit)
    }

    deinit {
        if process.isRunning { end() }
    }

    /// The next line that the program prints; nil when it has ended.
    func nextLine() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[received.startIndex..<end], as: UTF8.self)
                received = Data(received[(end + 1)...])
                return line
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            received.append(data)
        }
    }

    func write(line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// Ends the input, waits for the program to end, and returns its exit code.
    func finish() throws -> Int32 {
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        limit.cancel()
        return process.terminationStatus
    }

    /// Kills the program in the middle of what it does.
    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        limit.cancel()
    }
}

/// Runs a program to its end and returns the lines that it prints.
func lines(of program: String, _ arguments: [String]) throws -> [String] {
    let process = try ExampleProcess(program, arguments)
    var lines: [String] = []
    while let line = process.nextLine() { lines.append(line) }
    _ = try process.finish()
    return lines
}
