import RealmSwift
import StorageEngine

/// Persons as objects of one version of an application. Opening the file migrates it, if it is of
/// the version before.
final class RealmMigratedPersons: MigratedPersons {
    private let realm: Realm
    private let type: any MigratedPersonObject.Type
    private let path: String

    /// Opens the persons after a migration; those before any, if it is nil.
    init(path: String, _ migration: PersonMigration?, _ durability: Durability) throws {
        self.path = path
        type = migration?.model ?? OriginalPerson.self
        var configuration = Realm.Configuration(path: path, durability, objectTypes: [type])
        if let migration {
            configuration.schemaVersion = 1
            configuration.migrationBlock = migration.block
        }
        realm = try Realm(configuration: configuration)
    }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        try realm.write { for values in persons { realm.add(OriginalPerson(values)) } }
    }

    func forEach(_ body: (MigratedPerson) -> Void) { type.forEach(in: realm, body) }

    // The public API does not report these figures; the database underneath, which the Realm keeps
    // open, does.

    func size() throws -> StoreSize {
        StoreSize(try Database.open(path: path, options: .ofCase).statistics())
    }

    func problems() throws -> [String] {
        try Connection(Database.open(path: path, options: .ofCase)).verify()
    }
}
