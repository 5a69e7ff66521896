import StorageEngine

/// The sizes of a file before and after it was rewritten without free space.
public struct FileCompaction: Encodable, Sendable {
    public let before: UInt64
    public let after: UInt64

    /// Rewrites a file that nobody has open.
    ///
    /// - Throws: a `BenchmarkError` of the code ``ToolSupport/BenchmarkError/Code/inUse`` if
    ///   somebody has; `StorageError`.
    public static func run(path: String, key: [UInt8]?) throws -> FileCompaction {
        var before: UInt64 = 0
        let options = Database.Options(createIfMissing: false, encryptionKey: key)
        let isDone = try Database.compact(path: path, options: options) { fileBytes, _ in
            before = fileBytes
            return true
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
