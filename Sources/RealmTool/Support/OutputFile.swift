import Glibc
import ToolSupport

/// Where a command writes to: standard output, or a file that appears only once it is complete.
final class OutputFile {
    let output: ByteOutput
    private let descriptor: Int32
    /// The path of the file and the one that it has until it is complete; nil for standard output,
    /// and for pipes and devices, which cannot be replaced.
    private let paths: (final: String, temporary: String)?

    /// - Parameters:
    ///   - path: nil or `-` for standard output.
    ///   - source: the file that the command reads, which must not be replaced.
    init(_ path: String?, from source: String) throws(ToolError) {
        guard let path, path != "-" else {
            descriptor = STDOUT_FILENO
            paths = nil
            output = ByteOutput(to: descriptor, name: "standard output")
            return
        }
        let present = Self.status(path)
        if let present, let read = Self.status(source), present.st_dev == read.st_dev,
            present.st_ino == read.st_ino
        {
            throw ToolError(
                .usage, "'\(path)' is the database file itself. Name another file for the output.")
        }
        if let present, present.st_mode & S_IFMT != S_IFREG {
            paths = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else if present != nil, access(path, W_OK) != 0 {
            paths = nil
            descriptor = -1
        } else {
            let final = Self.realPath(path)
            let temporary = "\(final).partial-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
            paths = (final, temporary)
            descriptor = open(temporary, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0o666)
        }
        guard descriptor >= 0 else { throw Self.cannotWrite(path) }
        // Whoever could read the file that is replaced can read the new one, and nobody else.
        if paths != nil, let present { fchmod(descriptor, present.st_mode & 0o777) }
        output = ByteOutput(to: descriptor, name: path)
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// The path of the file that a symbolic link leads to; the path itself where there is none.
    private static func realPath(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private static func cannotWrite(_ path: String) -> ToolError {
        ToolError(
            .internalError, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
    }

    /// Writes what is left, and gives the file its name.
    func finish() throws(ToolError) {
        try output.finish()
        guard let paths else { return }
        guard fsync(descriptor) == 0, rename(paths.temporary, paths.final) == 0 else {
            throw Self.cannotWrite(paths.final)
        }
    }

    /// Removes what was written of a file.
    func abandon() {
        if let paths { unlink(paths.temporary) }
    }

    deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }
}
