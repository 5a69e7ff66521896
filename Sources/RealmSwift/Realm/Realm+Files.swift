import Foundation
import StorageEngine

extension Realm {
    /// Writes a compact copy of the Realm, including the changes of a write transaction under way.
    ///
    /// - Parameter encryptionKey: 64 bytes with which the copy is encrypted; nil for a plain copy,
    ///   also of an encrypted Realm.
    /// - Throws: ``Realm/Error``, among others `.fileExists` if there is a file already.
    public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
        Self.requireValid(encryptionKey: encryptionKey)
        instance.checkThread()
        instance.resumeReading()
        do {
            try instance.throwFailure()
            try instance.connection.writeCopy(
                toPath: fileURL.path, encryptionKey: encryptionKey.map(Array.init))
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

    /// Whether the file of a configuration exists.
    public static func fileExists(for config: Configuration) -> Bool {
        guard let url = config.fileURL else { return false }
        return FileManager.default.fileExists(atPath: url.path)
    }

    /// Deletes the file of a configuration and the auxiliary files beside it, except the lock
    /// file, which holds no data and is reset by whoever opens the Realm next.
    ///
    /// - Returns: whether there was a Realm file.
    /// - Throws: `Realm.Error.alreadyOpen` if this process has the Realm open.
    public static func deleteFiles(for config: Configuration) throws -> Bool {
        guard let url = config.fileURL else { return false }
        return try RealmCache.whileClosed(path: url.path) {
            for name in ["note", "management"] {
                let auxiliary = url.appendingPathExtension(name)
                if FileManager.default.fileExists(atPath: auxiliary.path) {
                    try remove(auxiliary)
                }
            }
            guard FileManager.default.fileExists(atPath: url.path) else { return false }
            try remove(url)
            return true
        }
    }

    private static func remove(_ url: URL) throws {
        do { try FileManager.default.removeItem(at: url) } catch {
            throw Error(
                .fileOperationFailed, path: url.path,
                message: "Failed to delete file at path '\(url.path)': "
                    + error.localizedDescription)
        }
    }
}
