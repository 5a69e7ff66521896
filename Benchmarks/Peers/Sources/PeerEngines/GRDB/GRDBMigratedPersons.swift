import BenchmarkKit
import GRDB

/// Persons whose table is made and changed by the migrations of a `DatabaseMigrator`.
final class GRDBMigratedPersons: MigratedPersons {
    private let lease: GRDBDatabase.Lease
    private let migration: PersonMigration?

    init(path: String, _ migration: PersonMigration?, _ durability: Durability) throws {
        self.migration = migration
        lease = try GRDBDatabase.lease(path, durability) { _ in }
        try Self.migrator(migration).migrate(pool)
    }

    private var pool: DatabasePool { lease.database.pool }

    private static func migrator(_ migration: PersonMigration?) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first") {
            try $0.execute(sql: MigratedPersonTable.creation)
        }
        guard let migration else { return migrator }
        migrator.registerMigration("second") { database in
            switch migration {
            case .add:
                try database.alter(table: "person") {
                    $0.add(column: "score", .integer).notNull().defaults(to: 0)
                }
            case .remove: try database.alter(table: "person") { $0.drop(column: "age") }
            case .rename:
                try database.alter(table: "person") { $0.rename(column: "age", to: "years") }
            case .addBlock, .retype, .retypeBlock, .intKey, .stringKey, .stringKeyBlock:
                for statement in MigratedPersonTable.statements(migration) {
                    try database.execute(sql: statement)
                }
            }
        }
        return migrator
    }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        try pool.write { database in
            let insert = try database.cachedStatement(sql: MigratedPersonTable.insertion)
            for person in persons {
                try insert.execute(
                    arguments: [person.number, person.name, person.birthdate, person.age])
            }
        }
    }

    func forEach(_ body: (MigratedPerson) -> Void) throws {
        try pool.read { database in
            let rows = try Row.fetchCursor(
                database, sql: MigratedPersonTable.selection(migration))
            while let row = try rows.next() {
                body(
                    MigratedPersonTable.person(
                        migration, integer: { row[$0] }, text: { row[$0] }))
            }
        }
    }

    func size() throws -> StoreSize { try lease.database.size() }
    func problems() throws -> [String] { try lease.database.problems() }
}
