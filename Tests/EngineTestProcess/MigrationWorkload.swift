import StorageEngine
import StressModel

/// Migrations that every process repeats exactly. Each is one transaction, whose number the schema
/// version tells, and changes objects besides the tables.
enum MigrationWorkload {
    static let lastStep = 5

    private static let cities = TableDefinition(
        name: "City", columns: [ColumnDefinition(name: "name", type: .string)])

    private static func persons(_ columns: [ColumnDefinition]) -> TableDefinition {
        TableDefinition(
            name: "Person",
            columns: [
                ColumnDefinition(name: "friend", type: .link, linkTarget: "Person"),
                ColumnDefinition(name: "scores", type: .int, collection: .list),
            ] + columns)
    }

    /// The classes of a step.
    private static func definitions(_ step: Int) -> [TableDefinition] {
        func column(_ name: String, _ type: ValueType, isKey: Bool = false) -> ColumnDefinition {
            ColumnDefinition(name: name, type: type, isPrimaryKey: isKey)
        }
        let home = ColumnDefinition(
            name: "home", type: step == 4 ? .embedded : .link, linkTarget: "City")
        switch step {
        case 1:
            let id = column("id", .int, isKey: true)
            return [cities, persons([id, column("note", .string), home])]
        case 2:
            var note = column("note", .string)
            note.isOptional = true
            return [cities, persons([note, column("key", .int, isKey: true), home])]
        case 3: return [cities, persons([column("key", .string, isKey: true), home])]
        case 4:
            var embedded = cities
            embedded.isEmbedded = true
            return [persons([home, column("key", .string)]), embedded]
        default: return [persons([column("key", .string)]), cities]
        }
    }

    /// The number of migrations that the file has seen.
    static func step(of connection: Connection) throws -> Int {
        Int(try connection.schemaVersion() ?? 0)
    }

    static func digest(of connection: Connection) throws -> UInt64 {
        try DatabaseDigest.of(connection)
    }

    /// Carries out a step in the open write transaction.
    static func migrate(_ step: Int, on connection: Connection) throws {
        let migration = try SchemaMigration(connection, to: definitions(step))
        if step == 2 { try migration.rename("id", to: "key", ofTable: "Person") }
        try migration.prepare()
        guard let persons = try connection.table(named: "Person") else { return }
        if step == 1 {
            try fill(persons, try connection.table(named: "City")!)
        } else {
            try change(persons, step)
        }
        try migration.finish()
        try connection.setSchemaVersion(UInt64(step))
    }

    /// Carries out a step as one commit. Rolls back on failure.
    static func run(_ step: Int, on connection: Connection) throws {
        try connection.beginWrite()
        do {
            try migrate(step, on: connection)
            try connection.commit()
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            throw error
        }
    }

    private static func fill(_ persons: Table, _ cities: Table) throws {
        for number in 0..<200 {
            let city = try insert(cities, [.null], texts: [0: "city \(number)"])
            var note = "note \(number)"
            if number % 20 == 0 { note = String(repeating: note, count: 500) }
            let key = try insert(
                persons, [.null, .null, .integer(Int64(number)), .null, .integer(city.rawValue)],
                texts: [3: note])
            if number > 0 { try persons.set(0, of: key, to: .integer(key.rawValue - 1)) }
            for score in 0..<(number % 50) {
                try persons.list(1, of: key).insert(.integer(Int64(score)), at: 0)
            }
        }
    }

    /// Inserts an object with strings in some columns.
    private static func insert(
        _ table: Table, _ values: [Scalar], texts: [Int: String]
    ) throws -> ObjectKey {
        var values = values
        let (column, text) = texts.first!
        return try Array(text.utf8).withUnsafeBytes { bytes in
            values[column] = .bytes(bytes)
            return try values.withUnsafeBufferPointer { try table.insert($0) }
        }
    }

    private static func change(_ persons: Table, _ step: Int) throws {
        let columns = persons.definition.columns
        let key = columns.firstIndex { $0.name == "key" }
        for position in stride(from: 0, to: try persons.count(), by: step == 3 ? 1 : 7) {
            let person = try persons.key(at: position)
            if step == 3, let key {
                try Array("key \(position)".utf8).withUnsafeBytes {
                    try persons.set(key, of: person, to: .bytes($0))
                }
            } else if let note = columns.firstIndex(where: { $0.name == "note" }) {
                try persons.set(note, of: person, to: .null)
            }
            try persons.list(1, of: person).removeAll()
        }
    }
}
