import Glibc
import ToolSupport

/// Where a command writes to: standard output, or a file that appears only once it is complete.
final class OutputFile {
    let output: ByteOutput
    private let descriptor: Int32
    /// The path of the file and the one that it has until it is complete; nil for standard output,
    /// and for pipes and devices, which cannot be replaced.
    private let paths: (final: String, temporary: String)?

    /// - Parameter path: nil or `-` for standard output.
    init(_ path: String?) throws(ToolError) {
        guard let path, path != "-" else {
            descriptor = STDOUT_FILENO
            paths = nil
            output = ByteOutput(to: descriptor, name: "standard output")
            return
        }
        var status = stat()
        let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        let opened = isSpecial ? path : path + ".partial"
        let flags = O_WRONLY | O_CLOEXEC | (isSpecial ? 0 : O_CREAT | O_TRUNC)
        descriptor = open(opened, flags, 0o644)
        guard descriptor >= 0 else {
            throw ToolError(
                .internalError, "'\(path)' cannot be written: \(String(cString: strerror(errno))).")
        }
        paths = isSpecial ? nil : (path, opened)
        output = ByteOutput(to: descriptor, name: path)
    }

    /// Writes what is left, and gives the file its name.
    func finish() throws(ToolError) {
        try output.finish()
        guard let paths else { return }
        guard fsync(descriptor) == 0, rename(paths.temporary, paths.final) == 0 else {
            throw ToolError(
                .internalError,
                "'\(paths.final)' cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    /// Removes what was written of a file.
    func abandon() {
        if let paths { unlink(paths.temporary) }
    }

    deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }
}
