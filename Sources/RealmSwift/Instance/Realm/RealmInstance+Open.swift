import Foundation
import StorageEngine

extension RealmInstance {
    /// Returns the database at a path, which the process may already have open.
    static func openDatabase(
        _ configuration: Realm.Configuration, path: String
    ) throws -> Database {
        // Computing the default URL takes a sixth of the time of opening a file. The file name
        // rules out most other files.
        if path.hasSuffix(Realm.Configuration.defaultFileName),
            configuration.fileURL == Realm.Configuration.defaultFileURL
        {
            try createDirectory(of: path)
        }
        if let seed = configuration.seed, let url = seed.url,
            configuration.inMemoryIdentifier == nil, !configuration.readOnly
        {
            try seed.copy(
                Realm.path(of: url), to: path,
                encryptionKey: configuration.encryptionKey.map(Array.init))
        }
        var options = Database.Options()
        options.createIfMissing = !configuration.readOnly
        options.readOnly = configuration.readOnly
        options.inMemory = configuration.inMemoryIdentifier != nil
        options.encryptionKey = configuration.encryptionKey.map(Array.init)
        let database = try openDatabase(options, configuration, path: path)
        if let warning = database.takeOpeningWarning() { Logger.note(.warn, warning) }
        return database
    }

    private static func openDatabase(
        _ options: Database.Options, _ configuration: Realm.Configuration, path: String
    ) throws -> Database {
        guard let shouldCompact = configuration.shouldCompactOnLaunch else {
            return try Database.open(path: path, options: options)
        }
        return try launchLock.value.withLock {
            try Database.open(path: path, options: options) {
                shouldCompact(Int(clamping: $0), Int(clamping: $1))
            }
        }
    }

    /// A lock held while a file is opened with `shouldCompactOnLaunch` or
    /// `deleteRealmIfMigrationNeeded`. Of two threads that open a file for the first time, only one
    /// asks whether to compact it, and one deletes it while no other looks at it. The lock is
    /// recursive because the function can open other Realms.
    static let launchLock = ProcessLocal { NSRecursiveLock() }

    /// Opens an instance, and creates the classes of `schema` that the file lacks.
    static func open(
        _ database: Database, _ configuration: Realm.Configuration, path: String,
        schema: SchemaModel, confinement: Confinement
    ) throws -> RealmInstance {
        let connection = try connect(to: database, fitting: schema, as: configuration, path: path)
        Logger.note(.debug, "Opened the Realm at path '\(path)'")
        let realm = RealmInstance(
            configuration: configuration, path: path, schema: schema, connection: connection,
            confinement: confinement)
        try realm.follow()
        return realm
    }

    /// Connects to a database, and has it fit the classes.
    private static func connect(
        to database: Database, fitting schema: SchemaModel, as configuration: Realm.Configuration,
        path: String
    ) throws -> Connection {
        while true {
            let connection = try Connection(database)
            let setup = SchemaSetup(
                connection: connection, schema: schema, configuration: configuration, path: path)
            do {
                try setup.run()
                return connection
            } catch let error as StorageError where error.code == .schemaChanged {
                // Another thread or process has migrated the file since this connection was made.
            }
        }
    }

    /// Has the Realm move to newer versions by itself if its queue or run loop can tell it to.
    private func follow() throws {
        guard !configuration.readOnly, confinement.isServed,
            let scheduler = confinement.makeScheduler()
        else { return }
        let notifier = RealmNotifier(self, scheduler)
        self.notifier = notifier
        try notifier.start(self)
    }

    /// Returns whether this instance can be reused for another configuration of its file. If the
    /// schema version differs, opening the file decides whether that version is accepted.
    func suits(_ other: Realm.Configuration, _ schema: SchemaModel) -> Bool {
        !isMigrating && self.schema.covers(schema)
            && configuration.schemaVersion == other.schemaVersion
            && configuration.durability == other.durability
            && !confinement.isDeserted
    }

    /// Returns whether this instance has a class of another one.
    func stores(_ managedClass: ManagedClass) -> Bool {
        !managedClass.model.hasStorage || schema.contains(managedClass.model.type)
    }

    /// Creates the directory of the default Realm, which belongs to the library.
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

/// Says that a file is to be deleted because it does not fit the classes
/// (`deleteRealmIfMigrationNeeded`).
struct NeedsMigration: Error {}

/// The adjustment of a file's schema to the classes of the application, or its rejection.
private struct SchemaSetup {
    let connection: Connection
    let schema: SchemaModel
    let definitions: [TableDefinition]
    let configuration: Realm.Configuration
    let path: String

    init(
        connection: Connection, schema: SchemaModel, configuration: Realm.Configuration,
        path: String
    ) {
        self.connection = connection
        self.schema = schema
        definitions = schema.classes.map(\.definition)
        self.configuration = configuration
        self.path = path
    }

    func run() throws {
        guard try needsChange() else { return }
        if configuration.readOnly { return try refuseUninitialized() }
        if RealmCache.isWriting(to: connection.database) { try refuseChangeInsideTransaction() }
        // Another process may have changed the schema meanwhile, so check again under the write
        // lock.
        try connection.beginWrite()
        do {
            if try needsChange() { try change() }
            try connection.commit()
        } catch {
            if connection.isInWriteTransaction, planted("failed-migration-commits") {
                try connection.commit()
            }
            if connection.isInWriteTransaction { connection.rollback() }
            throw error
        }
    }

    /// Returns whether the file needs a change of its schema.
    ///
    /// - Throws: An error if the schema version is too old, or if the file needs a migration and
    ///   there is no block for one; ``NeedsMigration``.
    private func needsChange() throws -> Bool {
        guard let version = try connection.schemaVersion() else { return true }
        let stored = try storedDefinitions()
        let differences = SchemaComparison.differences(stored: stored, wanted: definitions)
        if configuration.deleteRealmIfMigrationNeeded {
            let isOther = version != configuration.schemaVersion || !differences.isEmpty
            if isOther { throw NeedsMigration() }
        }
        if version > configuration.schemaVersion {
            throw Realm.Error(
                .fail, path: path,
                message: "Provided schema version \(configuration.schemaVersion) is less than "
                    + "last set version \(version).")
        }
        if !differences.isEmpty, configuration.readOnly || !isMigration(from: version) {
            throw Realm.Error(
                .schemaMismatch, path: path,
                message: "Migration is required due to the following errors:"
                    + differences.map { "\n- \($0)" }.joined())
        }
        if configuration.readOnly { return false }
        let hasOtherWidths = try !widthChanges().isEmpty
        return version < configuration.schemaVersion || !missing(from: stored).isEmpty
            || !indexChanges(from: stored).isEmpty || hasOtherWidths
    }

    /// The tables of the file. An integer whose width is not recorded has that of the class if all
    /// values fit.
    private func storedDefinitions() throws -> [TableDefinition] {
        var stored = try connection.tableDefinitions()
        for change in try widthChanges() {
            guard let position = stored.firstIndex(where: { $0.name == change.table }),
                stored[position].columns[change.column].integerBits == 0,
                let table = try connection.table(named: change.table),
                try table.integersFit(change.bits, in: change.column)
            else { continue }
            stored[position].columns[change.column].integerBits = change.bits
        }
        return stored
    }

    private func widthChanges() throws -> [SchemaComparison.WidthChange] {
        SchemaComparison.widthChanges(
            stored: try connection.tableDefinitions(), wanted: definitions)
    }

    /// Records the widths of integers, of all properties or of those that none is recorded of and
    /// whose values fit.
    private func recordWidths() throws {
        let known = try storedDefinitions()
        for change in try widthChanges() {
            guard let table = try connection.table(named: change.table),
                let bits = known.first(where: { $0.name == change.table })?
                    .columns[change.column].integerBits,
                bits != 0, bits <= change.bits
            else { continue }
            try connection.setIntegerBits(change.bits, change.column, of: table)
        }
    }

    private func isMigration(from version: UInt64) -> Bool {
        version < configuration.schemaVersion && configuration.migrationBlock != nil
    }

    private func change() throws {
        try recordWidths()
        var progress: MigrationProgress?
        if let version = try connection.schemaVersion(), isMigration(from: version),
            let block = configuration.migrationBlock
        {
            if RealmCache.isOpen(connection.database) { try refuseOpen() }
            let made = MigrationProgress()
            progress = made
            if planted("schema-version-first") {
                try connection.setSchemaVersion(configuration.schemaVersion)
                try commitEarly()
            }
            try Migration.run(
                block, from: version, to: schema, as: configuration, on: connection, telling: made)
        }
        if planted("migration-commits-twice") { try commitEarly() }
        let stored = try connection.tableDefinitions()
        let missing = missing(from: stored)
        if !missing.isEmpty { try connection.createTables(missing) }
        try changeIndexes(indexChanges(from: stored), telling: progress)
        if try connection.schemaVersion() != configuration.schemaVersion {
            try connection.setSchemaVersion(configuration.schemaVersion)
        }
    }

    /// Makes what was done so far part of the file; for planted bugs.
    private func commitEarly() throws {
        try connection.commit()
        try connection.beginWrite()
    }

    private func changeIndexes(
        _ changes: [SchemaComparison.IndexChange], telling progress: MigrationProgress?
    ) throws {
        if changes.isEmpty { return }
        let progress = progress ?? MigrationProgress()
        for change in changes {
            guard let table = try connection.table(named: change.table) else { continue }
            try connection.setIndexed(
                change.isIndexed, change.column, of: table, progress: progress.noteIndexing)
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

    /// Throws because waiting for a write lock that this thread holds would be a deadlock.
    private func refuseChangeInsideTransaction() throws {
        throw Realm.Error(
            .fail, path: path,
            message: "Realm at path '\(path)' cannot be opened with new classes, other indexes or "
                + "a new schema version while it is in a write transaction on the same thread.")
    }

    /// Throws because other threads, or this one, have objects of the classes before.
    private func refuseOpen() throws {
        throw Realm.Error(
            .alreadyOpen, path: path, message: "Cannot migrate Realms that are already open.")
    }

    private func refuseUninitialized() throws {
        throw Realm.Error(
            .invalidDatabase, path: path,
            message: "Realm at path '\(path)' has not been initialized.")
    }
}

// MARK: - Other Realms of the file

extension RealmInstance {
    /// Returns another Realm of the file, with a connection of its own, that shows what `current`
    /// reads. Whoever has it may use it, in one thread at a time.
    func reader(of current: Connection) throws -> RealmInstance {
        RealmInstance(
            configuration: configuration, path: path, schema: schema,
            connection: try Connection(readingLike: current), confinement: .guarded)
    }

    /// Returns another Realm, for the caller, that shows this one without the changes of its open
    /// write transaction.
    func snapshot() throws -> RealmInstance {
        try reader(of: isWriting ? settledConnection() : connection)
    }
}
