import Foundation
import Glibc
import ToolSupport

/// The disk of the databases at the moment at which a case could not write any more.
struct FullDisk: Codable, Sendable {
    var folder: String
    /// The bytes that were free, and those of the whole disk; nil if unknown.
    var freeBytes, wholeBytes: Int?

    init(of folder: String) {
        self.folder = folder
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return }
        freeBytes = Int(status.f_bavail) * Int(status.f_frsize)
        wholeBytes = Int(status.f_blocks) * Int(status.f_frsize)
    }

    /// Whether a text contains the message of the kernel or of SQLite for a full disk.
    static func isNamed(in text: String) -> Bool {
        text.contains(String(cString: strerror(ENOSPC)))
            || text.contains("database or disk is full")
    }

    /// The error that ends a run, whose other cases would meet the full disk as well.
    var error: BenchmarkError {
        let space =
            freeBytes == nil
            ? "" : ": \(Display.bytes(freeBytes)) of \(Display.bytes(wholeBytes)) were free"
        return BenchmarkError(
            .internalError,
            "The disk of '\(folder)' is full\(space). Free some space, or name a folder on another "
                + "disk with --path.")
    }
}
