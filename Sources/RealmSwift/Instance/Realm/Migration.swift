import StorageEngine

/// The function that a migration calls; see ``Realm/Configuration/migrationBlock``.
///
/// - Parameters:
///   - migration: Gives access to the objects before and after the migration.
///   - oldSchemaVersion: The schema version of the file.
public typealias MigrationBlock =
    @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) -> Void

/// A migration of a file to the present classes of the application.
///
/// A migration is given to a ``Realm/Configuration/migrationBlock``. When the block is called, the
/// classes have their new properties, which are zero, empty or nil. Defaults of the classes are not
/// applied. Properties keep their values if their name and type have stayed, also if they have
/// become optional or required; nil becomes zero then. Properties that are gone, or of another
/// type, have their values in the old objects only.
///
/// Objects have no Swift class here. Properties of old ``MigrationObject``s have the names under
/// which they are stored, those of new ones the names in the application's classes.
///
/// A migration, and its objects, can be used only on the thread, and until the end, of the block.
/// Use elsewhere stops the program. What a block does becomes part of the file as a whole, when the
/// file is opened successfully, or not at all.
public final class Migration {
    /// The file as it was.
    let oldRealm: RealmInstance
    /// The transaction that makes it what it is to be.
    let newRealm: RealmInstance
    let changes: SchemaMigration
    let newClasses: SchemaModel
    /// Names that properties had between two versions, given by one renaming and not yet taken by
    /// another: for each class, the names in the file.
    var intermediate: [String: [String: String]] = [:]
    /// The classes whose objects were all deleted.
    var emptied: Set<String> = []
    /// Whether objects are being enumerated.
    var isEnumerating = false
    let progress: MigrationProgress
    /// Managed classes of objects that properties were renamed of. Objects that were made before
    /// refer to them.
    private var former: [ManagedClass] = []

    private init(
        to classes: SchemaModel, as configuration: Realm.Configuration, on connection: Connection,
        telling progress: MigrationProgress
    ) throws {
        self.progress = progress
        func instance(_ connection: Connection) throws -> RealmInstance {
            RealmInstance(
                configuration: configuration, path: try configuration.path,
                schema: SchemaModel([]), connection: connection, confinement: .current)
        }
        oldRealm = try instance(Connection(readingLike: connection))
        newRealm = try instance(connection)
        newClasses = classes
        changes = try SchemaMigration(connection, to: classes.classes.map(\.definition))
        changes.progress = progress.note
        newRealm.adoptTransaction(to: classes)
    }

    /// Migrates a file in the open write transaction of a connection.
    ///
    /// - Throws: What failed. The transaction can only be rolled back then.
    static func run(
        _ block: MigrationBlock, from version: UInt64, to classes: SchemaModel,
        as configuration: Realm.Configuration, on connection: Connection,
        telling progress: MigrationProgress
    ) throws {
        let migration = try Migration(
            to: classes, as: configuration, on: connection, telling: progress)
        let (old, new) = (migration.oldRealm, migration.newRealm)
        RealmCache.addMigrating(new)
        block(migration, version)
        RealmCache.remove(new)
        old.invalidate()
        try new.returnTransaction()
        try migration.requireCompleteRenamings()
        try migration.changes.finish()
    }

    /// Throws if a property has a name that the application does not know.
    private func requireCompleteRenamings() throws {
        for (type, names) in intermediate.sorted(by: { $0.key < $1.key }) {
            guard let name = names.keys.min() else { continue }
            throw Realm.Error(
                .fail, path: newRealm.path,
                message: "Renamed property '\(type).\(name)' does not exist.")
        }
    }

    /// Makes objects accessible, in their new form.
    func prepare() { newRealm.change { try changes.prepare() } }

    /// Forgets how the objects of all classes are accessed, because tables have changed.
    func forgetClasses() {
        former += newRealm.dynamicClasses.values
        newRealm.dynamicClasses = [:]
    }
}
