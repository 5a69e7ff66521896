import Foundation
import StorageEngine

extension RealmInstance {
    /// Opens the file, or finds that the process has it open.
    static func openDatabase(
        _ configuration: Realm.Configuration, path: String
    ) throws -> Database {
        // Finding the default takes a sixth of the time of opening: the name tells most others apart.
        if path.hasSuffix(Realm.Configuration.defaultFileName),
            configuration.fileURL == Realm.Configuration.defaultFileURL
        {
            try createDirectory(of: path)
        }
        var options = Database.Options()
        options.createIfMissing = !configuration.readOnly
        options.readOnly = configuration.readOnly
        options.inMemory = configuration.inMemoryIdentifier != nil
        options.encryptionKey = configuration.encryptionKey.map(Array.init)
        guard let shouldCompact = configuration.shouldCompactOnLaunch else {
            return try Database.open(path: path, options: options)
        }
        return try launchLock.value.withLock {
            try Database.open(path: path, options: options) {
                shouldCompact(Int(clamping: $0), Int(clamping: $1))
            }
        }
    }

    /// Held while a file is perhaps compacted and then opened, so that of two threads that open it
    /// first, one asks whether to compact it. Recursive, because what asks may open other Realms.
    private static let launchLock = ProcessLocal { NSRecursiveLock() }

    /// Makes the file hold the classes of `schema`.
    static func open(
        _ database: Database, _ configuration: Realm.Configuration, path: String,
        schema: SchemaModel
    ) throws -> RealmInstance {
        let connection = try Connection(database)
        let definitions = schema.classes.map(\.definition)
        let setup = SchemaSetup(
            connection: connection, definitions: definitions, configuration: configuration,
            path: path)
        try setup.run()
        Logger.note(.debug, "Opened the Realm at path '\(path)'")
        return RealmInstance(
            configuration: configuration, path: path, schema: schema, connection: connection)
    }

    /// Whether it serves who opens its file with a configuration. Another schema version is the
    /// file's to accept or to refuse.
    func suits(_ other: Realm.Configuration, _ schema: SchemaModel) -> Bool {
        self.schema.covers(schema) && configuration.schemaVersion == other.schemaVersion
            && configuration.durability == other.durability
    }

    /// The directory of the default Realm is the library's own.
    private static func createDirectory(of path: String) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        } catch {
            throw Realm.Error(
                .fileOperationFailed, path: path,
                message: "Failed to create the directory of the Realm file at path '\(path)': "
                    + error.localizedDescription)
        }
    }
}

/// Brings the schema of a file and the classes of the application together, or refuses.
private struct SchemaSetup {
    let connection: Connection
    let definitions: [TableDefinition]
    let configuration: Realm.Configuration
    let path: String

    func run() throws {
        guard try needsChange() else { return }
        if configuration.readOnly { return try refuseUninitialized() }
        if RealmCache.isWriting(to: connection.database) { try refuseChangeInsideTransaction() }
        // Another process may have been faster: look again, now that nobody else can write.
        try connection.beginWrite()
        do {
            if try needsChange() { try change() }
            try connection.commit()
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            throw error
        }
    }

    /// Throws if only a migration could help.
    private func needsChange() throws -> Bool {
        guard let version = try connection.schemaVersion() else { return true }
        if version > configuration.schemaVersion {
            throw Realm.Error(
                .fail, path: path,
                message: "Provided schema version \(configuration.schemaVersion) is less than "
                    + "last set version \(version).")
        }
        let stored = try connection.tableDefinitions()
        let differences = SchemaComparison.differences(stored: stored, wanted: definitions)
        if !differences.isEmpty {
            throw Realm.Error(
                .schemaMismatch, path: path,
                message: "Migration is required due to the following errors:"
                    + differences.map { "\n- \($0)" }.joined())
        }
        if configuration.readOnly { return false }
        return version < configuration.schemaVersion || !missing(from: stored).isEmpty
            || !indexChanges(from: stored).isEmpty
    }

    private func change() throws {
        let stored = try connection.tableDefinitions()
        let missing = missing(from: stored)
        if !missing.isEmpty { try connection.createTables(missing) }
        for change in indexChanges(from: stored) {
            guard let table = try connection.table(named: change.table) else { continue }
            try connection.setIndexed(change.isIndexed, change.column, of: table)
        }
        if try connection.schemaVersion() != configuration.schemaVersion {
            try connection.setSchemaVersion(configuration.schemaVersion)
        }
    }

    private func missing(from stored: [TableDefinition]) -> [TableDefinition] {
        let names = Set(stored.map(\.name))
        return definitions.filter { !names.contains($0.name) }
    }

    private func indexChanges(
        from stored: [TableDefinition]
    ) -> [SchemaComparison.IndexChange] {
        SchemaComparison.indexChanges(stored: stored, wanted: definitions)
    }

    /// Waiting for the lock that this very thread holds would never end.
    private func refuseChangeInsideTransaction() throws {
        throw Realm.Error(
            .fail, path: path,
            message: "Realm at path '\(path)' cannot be opened with new classes, other indexes or "
                + "a new schema version while it is in a write transaction on the same thread.")
    }

    private func refuseUninitialized() throws {
        throw Realm.Error(
            .invalidDatabase, path: path,
            message: "Realm at path '\(path)' has not been initialized.")
    }
}
