import Foundation
import Glibc

/// A file of comma-separated values. Every row has been passed to the kernel when `append` returns,
/// so that an interrupted run keeps its finished rows.
package final class CSVFile {
    private let descriptor: Int32
    package let path: String

    /// Creates a new file.
    package init(path: String, header: [String]) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure(path) }
        try append(header)
    }

    /// Creates a new file, or continues one that begins with the same header.
    package init(continuing path: String, header: [String]) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure(path) }
        let rows = try Self.rows(of: path)
        guard let first = rows.first else {
            try append(header)
            return
        }
        guard first == header else {
            throw BenchmarkError(
                .notComparable,
                "'\(path)' has other columns than this program writes. Name another file.")
        }
    }

    deinit { close(descriptor) }

    /// Returns all records of a file, the header first; none if it does not exist.
    package static func rows(of path: String) throws -> [[String]] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let text: String
        do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw BenchmarkError(
                .usage,
                "'\(path)' cannot be read: \(error.fileProblem)")
        }
        do { return try CSV.parse(text).map(\.fields) } catch {
            throw BenchmarkError(.usage, "'\(path)', line \(error.line): \(error.message).")
        }
    }

    package func append(_ fields: [String]) throws {
        var bytes = Array(CSV.line(fields).utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.failure(path) }
            bytes = bytes.dropFirst(written)
        }
    }

    private static func failure(_ path: String) -> BenchmarkError {
        BenchmarkError(
            .internalError, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
    }
}
