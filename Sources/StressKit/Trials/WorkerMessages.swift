import Foundation
import Glibc

/// A request of the runner to a worker, a line each.
package struct WorkerRequest: Codable, Equatable, Sendable {
    package var point: String
    package var directory: String
    package var secondsLeft: Double
}

/// A message of a worker, a line each.
package enum WorkerReply: Codable, Equatable, Sendable {
    /// The worker begins to try this point. If the worker ends, this point ended it.
    case trying(String)
    /// The part of the request that is done.
    case progress(points: Int, states: Int)
    case done(TrialReport)
    /// The layer could not work. `code` is the exit code that this leads to.
    case refused(code: Int32, message: String)
}

enum WorkerChannel {
    static func encode(_ message: some Encodable) -> String {
        // Structures of numbers and strings can always be encoded.
        String(decoding: try! JSONEncoder().encode(message), as: UTF8.self)
    }

    static func decode<Message: Decodable>(_ type: Message.Type, from line: String) -> Message? {
        try? JSONDecoder().decode(type, from: Data(line.utf8))
    }

    /// Writes a line to standard output without buffering, for the process that started this one.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            // The reader is gone.
            guard count > 0 else { exit(1) }
            written += count
        }
    }
}
