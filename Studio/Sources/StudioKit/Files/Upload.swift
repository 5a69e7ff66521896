import Foundation
import Glibc
import NIOCore

/// The body of a request in a file without a name, so that it takes no memory, and is gone with its
/// descriptor.
// Safe because it is used by one task.
final class Upload: @unchecked Sendable {
    private let descriptor: Int32

    /// - Parameter path: the database file, beside which there must be room.
    init(beside path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var template = Array("\(folder)/.realm-studio-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw UploadFailure(
                message: "'\(folder)' takes no new files: \(String(cString: strerror(errno))).")
        }
        unlink(template)
        // The browser that is started must not keep it.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    func append(_ bytes: ByteBuffer) throws {
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
            .write(contentsOf: Data(bytes.readableBytesView))
    }

    /// Opens the file for reading from its beginning. Whoever gets it closes it.
    func reader() -> Int32 {
        lseek(descriptor, 0, SEEK_SET)
        return dup(descriptor)
    }
}

struct UploadFailure: Error {
    let message: String
}
