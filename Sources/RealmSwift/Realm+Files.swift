import Foundation
import StorageEngine

extension Realm {
    /// Writes a compact copy of the Realm, including the changes of a write transaction under way.
    ///
    /// - Throws: ``Realm/Error``, among others `.fileExists` if there is a file already.
    public func writeCopy(toFile fileURL: URL) throws {
        instance.checkThread()
        instance.resumeReading()
        do {
            try instance.throwFailure()
            try instance.connection.writeCopy(toPath: fileURL.path)
        } catch {
            throw Error.of(error)
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
