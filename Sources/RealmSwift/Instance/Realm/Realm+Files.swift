import Foundation
import StorageEngine

extension Realm {
    /// Writes a compact copy of the Realm, including the uncommitted changes of an open write
    /// transaction.
    ///
    /// - Parameters:
    ///   - fileURL: The URL of the copy.
    ///   - encryptionKey: The encryption key of the copy, 64 bytes; nil for an unencrypted copy,
    ///     even of an encrypted Realm.
    /// - Throws: ``Realm/Error``, for example `.fileExists` if the file exists, or `.invalidInput`
    ///   for a URL that is not a file URL.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        Self.requireValid(encryptionKey: encryptionKey)
        let path = try Self.path(of: fileURL)
        instance.checkThread()
        instance.resumeReading()
        do {
            try instance.throwFailure()
            // Copying needs a connection of its own where several threads may be reading.
            let connection =
                try instance.isFrozen
                ? Connection(readingLike: instance.connection) : instance.connection
            try connection.writeCopy(
                toPath: path, encryptionKey: encryptionKey.map(Array.init))
        } catch {
            throw Error.of(error)
        }
    }

    /// Writes a compact copy of the Realm to the file of another configuration, with its encryption
    /// key.
    ///
    /// - Throws: ``Realm/Error``, for example `.fileExists` if the file exists, or `.invalidInput`
    ///   for a configuration without a file.
    public func writeCopy(configuration: Realm.Configuration) throws {
        guard let fileURL = configuration.fileURL else {
            throw Error(
                .invalidInput,
                message: "A Realm can be copied only to a configuration with a file.")
        }
        try writeCopy(toFile: fileURL, encryptionKey: configuration.encryptionKey)
    }

    /// Returns a Boolean value that indicates whether the file of a configuration exists.
    public static func fileExists(for config: Configuration) -> Bool {
        guard let url = config.fileURL, url.isFileURL else { return false }
        return FileManager.default.fileExists(atPath: url.path)
    }

    /// Deletes the file of a configuration and its auxiliary files.
    ///
    /// Only a Realm file or an empty file is deleted, together with the files that this library
    /// creates beside it. The lock file stays: it holds no data, and the next process that opens
    /// the Realm resets it. A symbolic link stays, and its destination is deleted. A thread or
    /// process that opens the Realm in the meantime waits, and then creates a new file.
    ///
    /// - Returns: Whether there was a Realm file.
    /// - Throws: `Realm.Error.alreadyOpen` if this process or another one has the Realm open;
    ///   `.invalidDatabase` for a file that is not a Realm; `.fileOperationFailed`, for example for
    ///   a directory; `.filePermissionDenied`; `.invalidInput` for a URL that is not a file URL.
    public static func deleteFiles(for config: Configuration) throws -> Bool {
        guard let url = config.fileURL else { return false }
        let path = try path(of: url)
        do { return try Database.remove(path: path) } catch { throw Error(deleting: error) }
    }
}
