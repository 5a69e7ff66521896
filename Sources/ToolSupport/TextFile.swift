import Foundation
import Glibc

/// Text files named by the user.
package enum TextFile {
    /// Writes lines, replacing the file only once all of them are written.
    package static func write(_ lines: [String], to path: String) throws {
        try write(lines.joined(separator: "\n") + "\n", replacing: path)
    }

    /// Writes a text, replacing the file only once all of it is written. A device or a pipe is
    /// written to: an administrator's program could replace even /dev/null.
    package static func write(_ text: String, replacing path: String) throws {
        if isDevice(path) { return try write(text, into: path) }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw BenchmarkError(
                .internalError,
                "'\(path)' cannot be written: \(error.fileProblem)")
        }
    }

    /// Reads a text, which `gzip` unpacks if the name of the file ends in `.gz`.
    package static func unpacked(_ path: String) throws -> String {
        guard path.hasSuffix(".gz") else {
            do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
                throw BenchmarkError(
                    .usage, "'\(path)' cannot be read: \(error.fileProblem)")
            }
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", "--", path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch {
            throw BenchmarkError(
                .internalError, "gzip cannot run: \(error.fileProblem)")
        }
        let bytes = output.remainingBytes()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(.usage, "'\(path)' cannot be unpacked by gzip.")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Throws if a file cannot be written, before the work whose result it gets. Creates the file.
    package static func checkWritable(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        close(descriptor)
    }

    /// Writes a text into a file or a device, such as a pipe, which cannot be replaced.
    package static func write(_ text: String, into path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure(path) }
            bytes = bytes.dropFirst(written)
        }
    }

    private static func isDevice(_ path: String) -> Bool {
        var present = stat()
        guard stat(path, &present) == 0 else { return false }
        return present.st_mode & S_IFMT != S_IFREG && present.st_mode & S_IFMT != S_IFDIR
    }

    private static func failure(_ path: String) -> BenchmarkError {
        BenchmarkError(
            .internalError, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
    }
}
