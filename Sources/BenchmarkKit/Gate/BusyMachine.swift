import Foundation
import Glibc
import ToolSupport

/// Load beside cases, made by threads of this process: twice as many threads as cores that compute,
/// and one that writes and syncs a file.
final class BusyMachine: Sendable {
    private static let bytesOfWrite = 65_536
    private static let bytesOfFile = 16 << 20

    private let threads: [BackgroundThread<Void>]

    /// Starts the threads.
    ///
    /// - Parameter folder: Where the file lies, which has no name. The folder exists.
    init(writingIn folder: String) throws {
        let path = "\(folder)/load-\(getpid())"
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
        }
        unlink(path)
        let computing = (0..<2 * ProcessInfo.processInfo.activeProcessorCount).map { number in
            BackgroundThread<Void>(name: "load-\(number)") { isStopped in
                var word = UInt64(number)
                while !isStopped() { for _ in 0..<100_000 { word = mix64(word) } }
                // What is not used would not be computed.
                if word == 0 { Terminal.write("", to: STDERR_FILENO) }
            }
        }
        let writing = BackgroundThread<Void>(name: "load-disk") { isStopped in
            defer { close(file) }
            let bytes = [UInt8](repeating: 1, count: Self.bytesOfWrite)
            var offset = 0
            while !isStopped() {
                pwrite(file, bytes, bytes.count, off_t(offset))
                fdatasync(file)
                offset = (offset + bytes.count) % Self.bytesOfFile
            }
        }
        threads = computing + [writing]
    }

    /// What the load is, as a part of a sentence.
    var description: String {
        "\(threads.count - 1) threads that compute and one that writes and syncs a file"
    }

    /// Ends the threads.
    func stop() { for thread in threads { _ = try? thread.finish() } }
}
