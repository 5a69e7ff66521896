import Foundation
import Glibc

/// What the runner asks of a worker, a line each.
package struct WorkerRequest: Codable, Equatable, Sendable {
    package var point: String
    package var directory: String
    package var secondsLeft: Double
}

/// What a worker tells, a line each.
package enum WorkerReply: Codable, Equatable, Sendable {
    /// From now on this point is what the worker is at: if it ends, this ended it.
    case trying(String)
    /// So much of the request has been done.
    case progress(points: Int, states: Int)
    case done(TrialReport)
    /// The layer could not work; `code` is the exit code that this leads to.
    case refused(code: Int32, message: String)
}

enum WorkerChannel {
    static func encode(_ message: some Encodable) -> String {
        // Structures of numbers and strings are always encodable.
        String(decoding: try! JSONEncoder().encode(message), as: UTF8.self)
    }

    static func decode<Message: Decodable>(_ type: Message.Type, from line: String) -> Message? {
        try? JSONDecoder().decode(type, from: Data(line.utf8))
    }

    /// Tells whoever started this process, at once.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            // Nobody listens any more.
            guard count > 0 else { exit(1) }
            written += count
        }
    }
}
