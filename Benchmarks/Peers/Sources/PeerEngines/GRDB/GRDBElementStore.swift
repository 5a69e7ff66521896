import BenchmarkKit
import GRDB

/// The elements of one owner's collections, with a table of associated records for each collection.
final class GRDBElementStore: ElementStore, GRDBObjectStore {
    private struct ListEntry: Codable, FetchableRecord, PersistableRecord, Sendable {
        var ownerId: Int
        var position: Int
        var value: Int
        static var databaseTableName: String { "listEntry" }
    }

    private struct Member: Codable, FetchableRecord, PersistableRecord, Sendable {
        var id: Int
        var value: Int
        static var databaseTableName: String { "member" }
        static var links: HasManyAssociation<Member, Link> { hasMany(Link.self) }
    }

    private struct Link: Codable, FetchableRecord, PersistableRecord, Sendable {
        var ownerId: Int
        var position: Int
        var memberId: Int
        static var databaseTableName: String { "link" }
    }

    private struct SetEntry: Codable, FetchableRecord, PersistableRecord, Sendable {
        var ownerId: Int
        var text: String
        static var databaseTableName: String { "setEntry" }
    }

    private struct MapEntry: Codable, FetchableRecord, PersistableRecord, Sendable {
        var ownerId: Int
        var key: String
        var value: Int
        static var databaseTableName: String { "mapEntry" }
    }

    private enum Columns {
        static let ownerId = Column("ownerId")
        static let position = Column("position")
    }

    /// The identifier of the single owner.
    private static let owner = 1

    let lease: GRDBDatabase.Lease

    init(path: String, _ durability: Durability) throws {
        lease = try GRDBDatabase.lease(path, durability) { try Self.createTables($0) }
    }

    private static func createTables(_ database: Database) throws {
        try database.create(table: "owner", options: .ifNotExists) { table in
            table.primaryKey("id", .integer)
        }
        try database.execute(
            sql: "INSERT OR IGNORE INTO owner (id) VALUES (?)", arguments: [owner])
        try database.create(table: "member", options: .ifNotExists) { table in
            table.primaryKey("id", .integer)
            table.column("value", .integer).notNull()
        }
        try createEntries("listEntry", key: "position", .integer, database) { table in
            table.column("value", .integer).notNull()
        }
        try createEntries("link", key: "position", .integer, database) { table in
            table.belongsTo("member", onDelete: .cascade).notNull()
        }
        try createEntries("setEntry", key: "text", .text, database) { _ in }
        try createEntries("mapEntry", key: "key", .text, database) { table in
            table.column("value", .integer).notNull()
        }
    }

    /// Creates a table whose rows belong to an owner, by position or text. Its primary key serves
    /// all searches.
    private static func createEntries(
        _ name: String, key: String, _ type: Database.ColumnType, _ database: Database,
        _ addValue: (TableDefinition) -> Void
    ) throws {
        let options: TableOptions = [.ifNotExists, .withoutRowID]
        try database.create(table: name, options: options) { table in
            table.primaryKey {
                table.belongsTo("owner", onDelete: .cascade)
                table.column(key, type)
            }
            addValue(table)
        }
    }

    func add(_ elements: ArraySlice<ElementValues>, to kind: ElementKind) throws {
        try pool.write { database in
            for element in elements { try Self.add(element, to: kind, database) }
        }
    }

    private static func add(
        _ element: ElementValues, to kind: ElementKind, _ database: Database
    ) throws {
        switch kind {
        case .list:
            try ListEntry(ownerId: owner, position: element.position, value: element.value)
                .insert(database)
        case .links:
            try Member(id: element.position, value: element.value).insert(database)
            try Link(ownerId: owner, position: element.position, memberId: element.position)
                .insert(database)
        // An existing element stays in a set and is replaced in a map.
        case .set:
            try SetEntry(ownerId: owner, text: element.text).insert(database, onConflict: .ignore)
        case .map:
            try MapEntry(ownerId: owner, key: element.text, value: element.value)
                .insert(database, onConflict: .replace)
        }
    }

    func sum(of elements: ArraySlice<ElementValues>, in kind: ElementKind) throws -> Int {
        try pool.read { database in
            var sum = 0
            for element in elements { sum += try Self.term(of: element, in: kind, database) }
            return sum
        }
    }

    private static func term(
        of element: ElementValues, in kind: ElementKind, _ database: Database
    ) throws -> Int {
        switch kind {
        case .list:
            return try ListEntry.fetchOne(
                database, key: ["ownerId": owner, "position": element.position])?.value ?? 0
        case .links:
            let links = Member.links
                .filter(Columns.ownerId == owner && Columns.position == element.position)
            return try Member.joining(required: links).fetchOne(database)?.value ?? 0
        case .set:
            let isThere = try SetEntry.exists(
                database, key: ["ownerId": owner, "text": element.text])
            return isThere ? 1 : 0
        case .map:
            return try MapEntry.fetchOne(database, key: ["ownerId": owner, "key": element.text])?
                .value ?? 0
        }
    }

    func forEach(
        in kind: ElementKind, _ body: (_ position: Int, _ text: String, _ value: Int) -> Void
    ) throws {
        try pool.read { database in
            switch kind {
            case .list:
                for entry in try ListEntry.fetchAll(database) {
                    body(entry.position, "", entry.value)
                }
            case .links:
                for link in try Link.fetchAll(database) {
                    body(link.position, "", try Member.find(database, key: link.memberId).value)
                }
            case .set: for entry in try SetEntry.fetchAll(database) { body(0, entry.text, 0) }
            case .map:
                for entry in try MapEntry.fetchAll(database) { body(0, entry.key, entry.value) }
            }
        }
    }
}
