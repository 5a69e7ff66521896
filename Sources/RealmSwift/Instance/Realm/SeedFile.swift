import Foundation
import StorageEngine

/// The file of which an application's file begins as a copy.
final class SeedFile: Sendable {
    let url: URL?
    /// The key of the file; nil if it has the key of the configuration, or none.
    let encryptionKey: Data?

    /// Returns nil for nothing.
    init?(_ url: URL?, encryptionKey: Data?) {
        if url == nil, encryptionKey == nil { return nil }
        self.url = url
        self.encryptionKey = encryptionKey
    }

    /// Copies the file, whose path is `source`, to a path where no file is, and encrypts the copy
    /// with a key, if any. The copy is complete, and on the disk, when it appears there.
    ///
    /// - Throws: `StorageError` if the file cannot be read, or the copy not be written.
    func copy(_ source: String, to path: String, encryptionKey: [UInt8]?) throws {
        if FileManager.default.fileExists(atPath: path) { return }
        let seed = try connect(to: source, encryptionKey)
        do throws(StorageError) {
            try seed.writeOwnCopy(toPath: path, encryptionKey: encryptionKey)
        } catch {
            // Another thread or process has made the file meanwhile. Not so if the path is a link
            // that leads nowhere.
            let isThere = FileManager.default.fileExists(atPath: path)
            guard error.code == .fileExists, isThere else { throw error }
        }
    }

    /// Opens the file with its key; with that of the copy, or without one, if it has none of its
    /// own.
    private func connect(
        to path: String, _ keyOfCopy: [UInt8]?
    ) throws(StorageError) -> Connection {
        var options = Database.Options()
        options.createIfMissing = false
        options.readOnly = true
        options.encryptionKey = encryptionKey.map(Array.init) ?? keyOfCopy
        do {
            return try Connection(Database.open(path: path, options: options))
        } catch {
            guard encryptionKey == nil, keyOfCopy != nil,
                error.code == .wrongKey || error.code == .notADatabase
            else { throw error }
            options.encryptionKey = nil
            guard let plain = try? Connection(Database.open(path: path, options: options)) else {
                throw error
            }
            return plain
        }
    }
}
