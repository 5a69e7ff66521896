import BenchmarkKit

/// The table of persons before and after a migration, for engines that speak SQL. What `ALTER
/// TABLE` cannot do, a copy of the table does, as the documentation of SQLite recommends.
enum MigratedPersonTable {
    private static let common = "number INTEGER NOT NULL, name TEXT NOT NULL"
    private static let values = "birthdate INTEGER NOT NULL, age INTEGER NOT NULL"

    static let creation = "CREATE TABLE IF NOT EXISTS person (\(common), \(values))"
    static let insertion = "INSERT INTO person (number, name, birthdate, age) VALUES (?, ?, ?, ?)"

    /// Returns the statements of a migration, which are one transaction.
    static func statements(_ migration: PersonMigration) -> [String] {
        let add = "ALTER TABLE person ADD COLUMN"
        return switch migration {
        case .add: ["\(add) score INTEGER NOT NULL DEFAULT 0"]
        case .addBlock:
            [
                "\(add) score INTEGER NOT NULL DEFAULT 0",
                "UPDATE person SET score = length(name)",
            ]
        case .remove: ["ALTER TABLE person DROP COLUMN age"]
        case .rename: ["ALTER TABLE person RENAME COLUMN age TO years"]
        case .retype:
            ["ALTER TABLE person DROP COLUMN age", "\(add) age TEXT NOT NULL DEFAULT ''"]
        case .retypeBlock:
            copy(
                "(\(common), birthdate INTEGER NOT NULL, age TEXT NOT NULL)",
                "number, name, birthdate, CAST(age AS TEXT)")
        case .intKey:
            copy(
                "(number INTEGER PRIMARY KEY, name TEXT NOT NULL, \(values))",
                "number, name, birthdate, age")
        case .stringKey:
            copy(
                "(name TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL, \(values)) "
                    + "WITHOUT ROWID", "name, number, birthdate, age", order: "name")
        case .stringKeyBlock:
            copy(
                "(key TEXT PRIMARY KEY NOT NULL, \(common), \(values)) WITHOUT ROWID",
                "CAST(number AS TEXT) AS key, number, name, birthdate, age", order: "key")
        }
    }

    /// Returns the statements that replace the table by a copy. One with a key for rows is filled
    /// in the order of the key, so that pages are written once.
    private static func copy(
        _ definition: String, _ columns: String, order: String? = nil
    ) -> [String] {
        let order = order.map { " ORDER BY \($0)" } ?? ""
        return [
            "CREATE TABLE person_new \(definition)",
            "INSERT INTO person_new SELECT \(columns) FROM person\(order)",
            "DROP TABLE person", "ALTER TABLE person_new RENAME TO person",
        ]
    }

    /// Returns the statement that reads number, name and birth date, and then what else there is.
    static func selection(_ migration: PersonMigration?) -> String {
        let columns =
            switch migration {
            case nil, .intKey, .stringKey: ", age"
            case .add, .addBlock: ", age, score"
            case .remove: ""
            case .rename: ", years"
            case .retype, .retypeBlock: ", age"
            case .stringKeyBlock: ", age, key"
            }
        return "SELECT number, name, birthdate\(columns) FROM person"
    }

    /// Returns the person of a row of that statement.
    static func person(
        _ migration: PersonMigration?, integer: (Int) -> Int, text: (Int) -> String
    ) -> MigratedPerson {
        var person = MigratedPerson(number: integer(0), name: text(1), birthdate: integer(2))
        switch migration {
        case nil, .intKey, .stringKey, .rename: person.age = integer(3)
        case .add, .addBlock: (person.age, person.score) = (integer(3), integer(4))
        case .remove: break
        case .retype, .retypeBlock: person.text = text(3)
        case .stringKeyBlock: (person.age, person.text) = (integer(3), text(4))
        }
        return person
    }
}
