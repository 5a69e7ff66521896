import StorageEngine
import ToolSupport

/// The sizes of a file before and after it was rewritten without free space.
public struct FileCompaction: Encodable, Sendable {
    public let before: UInt64
    public let after: UInt64

    /// Rewrites a file that nobody has open.
    ///
    /// - Parameters:
    ///   - stop: ends it, and the file is as it was.
    ///   - progress: is told how many bytes of about how many are written.
    /// - Throws: a `BenchmarkError` of the code ``ToolSupport/BenchmarkError/Code/inUse`` if
    ///   somebody has; `StorageError`, of the code `.interrupted` if it was stopped.
    public static func run(
        path: String, key: [UInt8]?, until stop: StopRequest,
        progress: @escaping (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
    ) throws -> FileCompaction {
        // A small file is rewritten before its progress is told.
        try stop.check(path)
        let before = UInt64(fileSize(path) ?? 0)
        let isDone: Bool
        do throws(StorageError) {
            isDone = try Database.rewrite(
                path: path, options: .init(createIfMissing: false, encryptionKey: key),
                encryptionKey: key,
                progress: { done, all throws(StorageError) in
                    progress(done, all)
                    try stop.check(path)
                })
        } catch {
            guard error.code == .outOfDiskSpace else { throw error }
            var failure = ToolError(error)
            failure.message += "\n'\(path)' is unchanged."
            throw failure
        }
        guard isDone else {
            throw ToolError(
                .inUse,
                "'\(path)' cannot be compacted: another process has it open, or it has several "
                    + "names. 'realm pins' shows who reads it.")
        }
        let database = try Database.open(
            path: path,
            options: .init(createIfMissing: false, readOnly: true, encryptionKey: key))
        return FileCompaction(before: before, after: try database.fileSize)
    }
}
