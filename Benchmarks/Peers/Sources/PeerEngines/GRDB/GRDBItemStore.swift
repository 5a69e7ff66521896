import BenchmarkKit
import Foundation
import GRDB
import ToolSupport

/// A store of objects with an open GRDB database.
protocol GRDBObjectStore: ObjectStore {
    var lease: GRDBDatabase.Lease { get }
}

extension GRDBObjectStore {
    var lastCommit: CommitCost? { nil }
    var pool: DatabasePool { lease.database.pool }
    func size() throws -> StoreSize { try lease.database.size() }
    func problems() throws -> [String] { try lease.database.problems() }
}

/// Items as GRDB records.
final class GRDBItemStore<Item: ItemRecord>: ItemStore, GRDBObjectStore {
    let lease: GRDBDatabase.Lease

    init(path: String, _ durability: Durability) throws {
        lease = try GRDBDatabase.lease(path, durability) { try Item.createTable($0) }
    }

    func add(_ items: ArraySlice<ItemValues>) throws {
        let groups = Item.width.groups
        try pool.write { database in
            for first in stride(from: items.startIndex, to: items.endIndex, by: groups) {
                try Item(items[first..<first + groups]).insert(database)
            }
        }
    }

    /// Returns seconds instead of dates, since the date strategy of a record does not apply to a
    /// dictionary.
    func dictionary(of items: ArraySlice<ItemValues>) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        for (group, item) in items.enumerated() {
            let suffix = group == 0 ? "" : String(group + 1)
            dictionary["name" + suffix] = item.name
            dictionary["count" + suffix] = item.count
            dictionary["made" + suffix] = item.made
            guard Item.width != .three else { continue }
            dictionary["price" + suffix] = item.price
            dictionary["isActive" + suffix] = item.isActive
            dictionary["code" + suffix] = item.code
            dictionary["weight" + suffix] = item.weight
            dictionary["rating" + suffix] = item.rating ?? NSNull()
            dictionary["note" + suffix] = item.note ?? NSNull()
            dictionary["changed" + suffix] = item.changed
        }
        return dictionary
    }

    /// Inserts dictionaries as named arguments of a prepared statement, the shortest path in GRDB
    /// from a dictionary to a row, without a record in between.
    func create(from dictionaries: ArraySlice<[String: Any]>) throws {
        guard let names = dictionaries.first?.keys.sorted() else { return }
        let sql = """
            INSERT INTO \(Item.databaseTableName) (\(names.joined(separator: ", ")))
            VALUES (\(names.map { ":" + $0 }.joined(separator: ", ")))
            """
        try pool.write { database in
            let statement = try database.cachedStatement(sql: sql)
            for dictionary in dictionaries {
                guard let arguments = StatementArguments(dictionary) else {
                    throw BenchmarkError(
                        .internalError, "A dictionary has values that SQLite has no type for.")
                }
                try statement.execute(arguments: arguments)
            }
        }
    }

    func forEach(_ body: (ItemValues) -> Void) throws {
        try pool.read { database in
            let items = try Item.fetchCursor(database)
            while let item = try items.next() { item.items.forEach(body) }
        }
    }
}
