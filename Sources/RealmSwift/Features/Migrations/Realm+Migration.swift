import Foundation
import StorageEngine

/// Returns the schema version of a file.
///
/// - Parameters:
///   - fileURL: The URL of the file.
///   - encryptionKey: The encryption key of the file, 64 bytes; nil for an unencrypted file.
/// - Throws: `.invalidDatabase` if there is no file, or a file that no Realm was opened of;
///   ``Realm/Error`` if the file cannot be opened.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
    Realm.requireValid(encryptionKey: encryptionKey)
    let path = try Realm.path(of: fileURL)
    var options = Database.Options()
    options.createIfMissing = false
    options.readOnly = true
    options.encryptionKey = encryptionKey.map(Array.init)
    do {
        let connection = try Connection(Database.open(path: path, options: options))
        if let version = try connection.schemaVersion() { return version }
    } catch {
        if error.code != .fileNotFound { throw Realm.Error(error) }
    }
    throw Realm.Error(
        .invalidDatabase, path: path,
        message: "Realm at path '\(path)' has not been initialized.")
}

extension Realm {
    /// Migrates the file of a configuration, as opening it would.
    ///
    /// ```swift
    /// try Realm.performMigration(for: configuration)
    /// ```
    /// - Throws: ``Realm/Error`` if the file cannot be opened or migrated.
    /// - Precondition: No Realm of the file is open in this process.
    public static func performMigration(
        for configuration: Configuration = .defaultConfiguration
    ) throws {
        if RealmCache.isOpen(path: try configuration.path) {
            stop("Cannot migrate Realms that are already open.")
        }
        _ = try Realm(configuration: configuration)
    }
}
