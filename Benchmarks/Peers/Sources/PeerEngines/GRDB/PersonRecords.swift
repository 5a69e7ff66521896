import BenchmarkKit
import Foundation
import GRDB

/// A person as a GRDB record. Dates are stored as whole seconds instead of GRDB's text, which is
/// larger and several times slower to read.
protocol PersonRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    var name: String { get }
    var birthdate: Date { get }
    var age: Int { get set }

    init(_ values: PersonValues)
    static func createTable(_ database: Database) throws
}

enum PersonColumns {
    static let number = Column("number")
    static let name = Column("name")
    static let birthdate = Column("birthdate")
    static let age = Column("age")
}

extension PersonRecord {
    static var databaseTableName: String { "person" }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .secondsSince1970
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }

    static func addValues(_ table: TableDefinition) {
        table.column("birthdate", .integer).notNull()
        table.column("age", .integer).notNull()
    }
}

struct UnkeyedPersonRecord: PersonRecord {
    var id: Int64?
    var name: String
    var birthdate: Date
    var age: Int

    init(_ values: PersonValues) {
        name = values.name
        birthdate = Date(timeIntervalSince1970: Double(values.birthdate))
        age = values.age
    }

    static func createTable(_ database: Database) throws {
        try database.create(table: databaseTableName, options: .ifNotExists) { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("name", .text).notNull()
            addValues(table)
        }
    }
}

struct NumberedPersonRecord: PersonRecord {
    var number: Int
    var name: String
    var birthdate: Date
    var age: Int

    init(_ values: PersonValues) {
        number = values.number
        name = values.name
        birthdate = Date(timeIntervalSince1970: Double(values.birthdate))
        age = values.age
    }

    static func createTable(_ database: Database) throws {
        try database.create(table: databaseTableName, options: .ifNotExists) { table in
            table.primaryKey("number", .integer)
            table.column("name", .text).notNull()
            addValues(table)
        }
    }
}

struct IndexedNumberPersonRecord: PersonRecord {
    var id: Int64?
    var number: Int
    var name: String
    var birthdate: Date
    var age: Int

    init(_ values: PersonValues) {
        number = values.number
        name = values.name
        birthdate = Date(timeIntervalSince1970: Double(values.birthdate))
        age = values.age
    }

    static func createTable(_ database: Database) throws {
        try database.create(table: databaseTableName, options: .ifNotExists) { table in
            table.autoIncrementedPrimaryKey("id")
            table.column("number", .integer).notNull()
            table.column("name", .text).notNull()
            addValues(table)
        }
    }
}

struct NamedPersonRecord: PersonRecord {
    var name: String
    var birthdate: Date
    var age: Int

    init(_ values: PersonValues) {
        name = values.name
        birthdate = Date(timeIntervalSince1970: Double(values.birthdate))
        age = values.age
    }

    static func createTable(_ database: Database) throws {
        try database.create(table: databaseTableName, options: .ifNotExists) { table in
            table.primaryKey("name", .text)
            addValues(table)
        }
    }
}
