import Foundation
import StorageEngine

/// The copy of a file with which an application begins.
enum SeedFile {
    /// Copies a file to a path, unless there is a file, and encrypts the copy with a key, if any.
    /// The copy is complete, and on the disk, when it appears there.
    ///
    /// - Throws: `StorageError` if the file cannot be read, or the copy not be written.
    static func copy(_ seed: String, to path: String, encryptionKey: [UInt8]?) throws {
        let files = FileManager.default
        if files.fileExists(atPath: path) { return }
        let copy = path + ".seed-" + String(UInt64.random(in: 0 ... .max), radix: 16)
        defer { try? files.removeItem(atPath: copy) }
        try connect(to: seed, encryptionKey: encryptionKey)
            .writeCopy(toPath: copy, encryptionKey: encryptionKey)
        do {
            // Unlike a move, this leaves a file alone that another process has made meanwhile.
            try files.linkItem(atPath: copy, toPath: path)
        } catch {
            if files.fileExists(atPath: path) { return }
            throw StorageError(
                .fileAccess, path: path,
                message: "Failed to copy the seed file at path '\(seed)' to '\(path)': "
                    + error.localizedDescription)
        }
    }

    /// Opens a seed, which has the key or is not encrypted.
    private static func connect(
        to path: String, encryptionKey: [UInt8]?
    ) throws(StorageError) -> Connection {
        var options = Database.Options()
        options.createIfMissing = false
        options.readOnly = true
        options.encryptionKey = encryptionKey
        do {
            return try Connection(Database.open(path: path, options: options))
        } catch {
            guard encryptionKey != nil, error.code == .wrongKey || error.code == .notADatabase
            else { throw error }
            options.encryptionKey = nil
            guard let plain = try? Connection(Database.open(path: path, options: options)) else {
                throw error
            }
            return plain
        }
    }
}
