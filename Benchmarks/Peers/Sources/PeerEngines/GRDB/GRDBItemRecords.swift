import BenchmarkKit
import Foundation
import GRDB

/// An item as a GRDB record with a row id as its key. Dates are stored as whole seconds, as for
/// persons.
protocol ItemRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    static var width: ItemWidth { get }
    /// Creates a record from as many values as it has groups.
    init(_ items: ArraySlice<ItemValues>)
    var items: [ItemValues] { get }
}

extension ItemRecord {
    static var databaseTableName: String { "item" }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .secondsSince1970
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }

    static func createTable(_ database: Database) throws {
        try database.create(table: databaseTableName, options: .ifNotExists) { table in
            table.autoIncrementedPrimaryKey("id")
            for group in 0..<width.groups {
                addColumns(table, suffix: group == 0 ? "" : String(group + 1))
            }
        }
    }

    private static func addColumns(_ table: TableDefinition, suffix: String) {
        table.column("name" + suffix, .text).notNull()
        table.column("count" + suffix, .integer).notNull()
        table.column("made" + suffix, .integer).notNull()
        guard width != .three else { return }
        table.column("price" + suffix, .double).notNull()
        table.column("isActive" + suffix, .boolean).notNull()
        table.column("code" + suffix, .text).notNull()
        table.column("weight" + suffix, .double).notNull()
        table.column("rating" + suffix, .integer)
        table.column("note" + suffix, .text)
        table.column("changed" + suffix, .integer).notNull()
    }
}

struct ThreeColumnRecord: ItemRecord {
    static var width: ItemWidth { .three }

    var id: Int64?
    var name: String
    var count: Int
    var made: Date

    init(_ items: ArraySlice<ItemValues>) {
        let item = items[items.startIndex]
        name = item.name
        count = item.count
        made = item.madeAsDate
    }

    var items: [ItemValues] {
        [ItemValues(name: name, count: count, made: Int(made.timeIntervalSince1970))]
    }
}

struct TenColumnRecord: ItemRecord {
    static var width: ItemWidth { .ten }

    var id: Int64?
    var name: String
    var count: Int
    var made: Date
    var price: Double
    var isActive: Bool
    var code: String
    var weight: Float
    var rating: Int?
    var note: String?
    var changed: Date

    init(_ items: ArraySlice<ItemValues>) {
        let item = items[items.startIndex]
        name = item.name
        count = item.count
        made = item.madeAsDate
        price = item.price
        isActive = item.isActive
        code = item.code
        weight = item.weight
        rating = item.rating
        note = item.note
        changed = item.changedAsDate
    }

    var items: [ItemValues] {
        [
            ItemValues(
                name: name, count: count, made: Int(made.timeIntervalSince1970),
                price: price, isActive: isActive, code: code, weight: weight,
                rating: rating, note: note, changed: Int(changed.timeIntervalSince1970))
        ]
    }
}

struct ThirtyColumnRecord: ItemRecord {
    static var width: ItemWidth { .thirty }

    var id: Int64?

    var name: String
    var count: Int
    var made: Date
    var price: Double
    var isActive: Bool
    var code: String
    var weight: Float
    var rating: Int?
    var note: String?
    var changed: Date

    var name2: String
    var count2: Int
    var made2: Date
    var price2: Double
    var isActive2: Bool
    var code2: String
    var weight2: Float
    var rating2: Int?
    var note2: String?
    var changed2: Date

    var name3: String
    var count3: Int
    var made3: Date
    var price3: Double
    var isActive3: Bool
    var code3: String
    var weight3: Float
    var rating3: Int?
    var note3: String?
    var changed3: Date

    init(_ items: ArraySlice<ItemValues>) {
        let first = items[items.startIndex]
        name = first.name
        count = first.count
        made = first.madeAsDate
        price = first.price
        isActive = first.isActive
        code = first.code
        weight = first.weight
        rating = first.rating
        note = first.note
        changed = first.changedAsDate
        let second = items[items.startIndex + 1]
        name2 = second.name
        count2 = second.count
        made2 = second.madeAsDate
        price2 = second.price
        isActive2 = second.isActive
        code2 = second.code
        weight2 = second.weight
        rating2 = second.rating
        note2 = second.note
        changed2 = second.changedAsDate
        let third = items[items.startIndex + 2]
        name3 = third.name
        count3 = third.count
        made3 = third.madeAsDate
        price3 = third.price
        isActive3 = third.isActive
        code3 = third.code
        weight3 = third.weight
        rating3 = third.rating
        note3 = third.note
        changed3 = third.changedAsDate
    }

    var items: [ItemValues] {
        [
            ItemValues(
                name: name, count: count, made: Int(made.timeIntervalSince1970),
                price: price, isActive: isActive, code: code, weight: weight,
                rating: rating, note: note, changed: Int(changed.timeIntervalSince1970)),
            ItemValues(
                name: name2, count: count2, made: Int(made2.timeIntervalSince1970),
                price: price2, isActive: isActive2, code: code2, weight: weight2,
                rating: rating2, note: note2, changed: Int(changed2.timeIntervalSince1970)),
            ItemValues(
                name: name3, count: count3, made: Int(made3.timeIntervalSince1970),
                price: price3, isActive: isActive3, code: code3, weight: weight3,
                rating: rating3, note: note3, changed: Int(changed3.timeIntervalSince1970)),
        ]
    }
}
