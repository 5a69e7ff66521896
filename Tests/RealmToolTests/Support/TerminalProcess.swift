import Foundation
import Glibc
import ToolSupport

/// The tool as people start it on a terminal of some columns.
final class TerminalProcess {
    private let process = Process()
    private let input = Pipe()
    /// The side of the terminal from which the screen is read.
    private let screen: Int32

    init(_ arguments: [String], columns: UInt16) throws {
        var (screen, terminal): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&screen, &terminal, nil, nil, &size) == 0 else {
            throw ToolTestFailure("There is no terminal: \(String(cString: strerror(errno))).")
        }
        self.screen = screen
        defer { close(terminal) }
        process.executableURL = URL(fileURLWithPath: ToolProcess.program)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = FileHandle(fileDescriptor: terminal, closeOnDealloc: false)
        process.standardError = process.standardOutput
        try process.run()
    }

    deinit { close(screen) }

    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Reads what appears on the terminal until `text` does; all of it without one, and if the
    /// process ends.
    func output(until text: String? = nil) -> String {
        var received = Data()
        var block = [UInt8](repeating: 0, count: 4096)
        while true {
            if let text, received.range(of: Data(text.utf8)) != nil { break }
            let count = read(screen, &block, block.count)
            // The last process that has the terminal open ends it by an error.
            if count <= 0, errno != EINTR || count == 0 { break }
            received += block.prefix(max(0, count))
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Ends the input, and waits for the end. Returns what has appeared since, and the exit code.
    func finish() -> (output: String, code: Int32) {
        try? input.fileHandleForWriting.close()
        let rest = output()
        process.waitUntilExit()
        return (rest, process.terminationStatus)
    }
}

struct ToolTestFailure: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
