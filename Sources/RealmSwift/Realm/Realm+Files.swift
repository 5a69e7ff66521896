import Foundation
import StorageEngine

extension Realm {
    /// Writes a compact copy of the Realm, including the changes of a write transaction under way.
    ///
    /// - Parameter encryptionKey: 64 bytes with which the copy is encrypted; nil for a plain copy,
    ///   also of an encrypted Realm.
    /// - Throws: ``Realm/Error``, among others `.fileExists` if there is a file already, and
    ///   `.invalidInput` for a URL that is not a file URL.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        Self.requireValid(encryptionKey: encryptionKey)
        let path = try Self.path(of: fileURL)
        instance.checkThread()
        instance.resumeReading()
        do {
            try instance.throwFailure()
            try instance.connection.writeCopy(
                toPath: path, encryptionKey: encryptionKey.map(Array.init))
        } catch {
            throw Error.of(error)
        }
    }

    /// Writes a compact copy of the Realm to the file, and with the key, of another configuration.
    ///
    /// - Throws: ``Realm/Error``, among others `.fileExists` if there is a file already, and
    ///   `.invalidInput` for a configuration without a file.
    public func writeCopy(configuration: Realm.Configuration) throws {
        guard let fileURL = configuration.fileURL else {
            throw Error(
                .invalidInput,
                message: "A Realm can be copied only to a configuration with a file.")
        }
        try writeCopy(toFile: fileURL, encryptionKey: configuration.encryptionKey)
    }

    /// Stops if a key has another length than keys have.
    static func requireValid(encryptionKey: Data?) {
        if let encryptionKey, encryptionKey.count != 64 {
            stop("Encryption key must be exactly 64 bytes long")
        }
    }

    /// - Throws: `.invalidInput` for a URL that is not a file URL: its path is not one of this
    ///   machine.
    static func path(of url: URL) throws -> String {
        if url.isFileURL { return url.standardizedFileURL.path }
        throw Error(
            .invalidInput,
            message: "'\(url.absoluteString)' is not a file URL. Make the URL of a Realm with "
                + "URL(fileURLWithPath:).")
    }

    /// Whether the file of a configuration exists.
    public static func fileExists(for config: Configuration) -> Bool {
        guard let url = config.fileURL, url.isFileURL else { return false }
        return FileManager.default.fileExists(atPath: url.path)
    }

    /// Deletes the file of a configuration and the auxiliary files beside it, except the lock
    /// file, which holds no data and is reset by whoever opens the Realm next.
    ///
    /// Only a Realm file is deleted, or an empty one, and nothing but it and the files that this
    /// library makes beside it. A symbolic link stays; what it leads to is deleted. Whoever opens
    /// the Realm meanwhile waits, and then makes a new one.
    ///
    /// - Returns: whether there was a Realm file.
    /// - Throws: `Realm.Error.alreadyOpen` if this process or another one has the Realm open;
    ///   `.invalidDatabase` for a file that is no Realm; `.fileOperationFailed`, for instance for a
    ///   directory; `.filePermissionDenied`; `.invalidInput` for a URL that is not a file URL.
    public static func deleteFiles(for config: Configuration) throws -> Bool {
        guard let url = config.fileURL else { return false }
        let path = try path(of: url)
        do { return try Database.remove(path: path) } catch { throw Error(deleting: error) }
    }
}
