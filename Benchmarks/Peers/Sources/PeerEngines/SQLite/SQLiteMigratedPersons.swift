import BenchmarkKit

/// Persons in a table of SQLite, whose user version tells whether they are migrated.
final class SQLiteMigratedPersons: MigratedPersons {
    private let connection: SQLiteConnection
    private let migration: PersonMigration?

    init(path: String, _ migration: PersonMigration?, _ settings: SQLiteSettings) throws {
        self.migration = migration
        connection = try SQLiteConnection(
            path: path, settings,
            schema: migration == nil ? [MigratedPersonTable.creation] : [])
        guard let migration, try connection.integer("PRAGMA user_version") == 0 else { return }
        try connection.write {
            for statement in MigratedPersonTable.statements(migration) {
                try connection.execute(statement)
            }
            try connection.execute("PRAGMA user_version = 1")
        }
    }

    func insert(_ persons: ArraySlice<PersonValues>) throws {
        let insert = try connection.prepare(MigratedPersonTable.insertion)
        try connection.write {
            for person in persons {
                insert.bind(person.number, at: 1)
                insert.bind(person.birthdate, at: 3)
                insert.bind(person.age, at: 4)
                try insert.withText(person.name, at: 2) { try insert.run() }
            }
        }
    }

    func forEach(_ body: (MigratedPerson) -> Void) throws {
        let all = try connection.prepare(MigratedPersonTable.selection(migration))
        while try all.step() {
            body(
                MigratedPersonTable.person(
                    migration, integer: { all.integer(Int32($0)) }, text: { all.text(Int32($0)) }))
        }
    }

    func size() throws -> StoreSize { try connection.size() }
    func problems() throws -> [String] { try connection.problems() }
}
