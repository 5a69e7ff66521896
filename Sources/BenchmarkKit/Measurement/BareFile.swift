import Foundation
import Glibc
import ToolSupport

/// A previously written region of a file, for the control rows of a disk without a database.
/// Threads may write different parts at the same time.
final class BareFile: Sendable {
    static let byteCount = 32 << 20
    private static let longestWrite = 1 << 20

    private let descriptor: Int32
    private let noise: [UInt8]

    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure("open") }
        var generator = SeededGenerator(seed: 1)
        noise = (0..<Self.longestWrite / 8).flatMap { _ in
            withUnsafeBytes(of: generator.next()) { Array($0) }
        }
        for offset in stride(from: 0, to: Self.byteCount, by: Self.longestWrite) {
            try write(bytes: Self.longestWrite, at: offset)
        }
        guard fsync(descriptor) == 0 else { throw Self.failure("fsync") }
    }

    deinit { close(descriptor) }

    /// Writes in one call, or in several calls of at most one MiB.
    func write(bytes: Int, at offset: Int) throws {
        var done = 0
        while done < bytes {
            let count = noise.withUnsafeBytes {
                pwrite(
                    descriptor, $0.baseAddress!, min(bytes - done, $0.count), off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("pwrite") }
            done += count
        }
    }

    func sync() throws {
        guard fdatasync(descriptor) == 0 else { throw Self.failure("fdatasync") }
    }

    private static func failure(_ call: String) -> BenchmarkError {
        let code = errno
        return BenchmarkError(
            .internalError, "The control row's \(call) failed: \(String(cString: strerror(code))).")
    }
}
