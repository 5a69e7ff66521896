import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// A table whose objects are deleted one by one, holders that refer to them, and the same as plain
/// values.
struct DeletedRowsModel: DatabaseModel {
    /// What the leaves of the table are like.
    enum Kind: CaseIterable {
        /// Narrow columns, and ramps, in leaves of thousands of rows.
        case narrow
        /// A primary key and an index.
        case keyed
        /// Columns in pages of their own, some values in pages of their own.
        case wide
    }

    struct Holder {
        var list: [Int64] = []
        var link: Int64?
        var parts: [Int64] = []
    }

    let kind: Kind
    /// The number of rows that may wait.
    let limit: Int
    /// The number of each object, from which its values follow, by its key.
    private(set) var rows: [Int64: Int] = [:]
    /// What was set afterwards.
    private(set) var halves: [Int64: Double] = [:]
    private(set) var holders: [Int64: Holder] = [:]
    private(set) var deleted: [Int64] = []
    private var nextNumber = 0

    init(_ kind: Kind, limit: Int = DeletedRows.maximumCount) {
        self.kind = kind
        self.limit = limit
    }

    var keys: [Int64] { rows.keys.sorted() }

    // MARK: Tables

    static let wideColumns = 4..<8

    var definitions: [TableDefinition] {
        var columns = [
            ColumnDefinition(name: "number", type: .int, isPrimaryKey: kind == .keyed),
            ColumnDefinition(
                name: "name", type: .string, isOptional: true, isIndexed: kind == .keyed),
            ColumnDefinition(name: "half", type: .double, isIndexed: false),
            ColumnDefinition(name: "third", type: .int),
        ]
        for column in kind == .wide ? Self.wideColumns : 0..<0 {
            columns.append(ColumnDefinition(name: "wide\(column)", type: .data))
        }
        return [
            TableDefinition(name: "Reading", columns: columns),
            TableDefinition(
                name: "Holder",
                columns: [
                    ColumnDefinition(
                        name: "list", type: .link, collection: .list, linkTarget: "Reading"),
                    ColumnDefinition(
                        name: "link", type: .link, isOptional: true, linkTarget: "Reading"),
                    ColumnDefinition(
                        name: "parts", type: .embedded, collection: .list, linkTarget: "Part"),
                ]),
            TableDefinition(
                name: "Part", columns: [ColumnDefinition(name: "size", type: .int)],
                isEmbedded: true),
        ]
    }

    static func name(_ number: Int) -> String? {
        if number % 11 == 0 { return nil }
        let length = number % 97 == 0 ? 700 : number % 31 == 0 ? 300 : number % 13
        return "\(number % 50)" + String(repeating: "x", count: length)
    }

    /// Numbers are in no order of the keys, so that orders by them are others.
    static func stored(_ number: Int) -> Int64 { Int64(number &* 7919 % 100_003) }

    func half(_ key: Int64) -> Double { halves[key] ?? Double(rows[key]!) / 2 }

    mutating func begin(_ connection: Connection) throws {
        try connection.createTables(definitions)
        connection.maximumDeletedRows = limit
        let holderTable = try #require(try connection.table(named: "Holder"))
        for _ in 0..<3 { holders[try holderTable.insert([OwnedValue]()).rawValue] = Holder() }
        for _ in 0..<(kind == .wide ? 900 : 3000) { try insert(readings(connection)) }
    }

    func readings(_ connection: Connection) throws -> Table {
        try #require(try connection.table(named: "Reading"))
    }

    @discardableResult
    mutating func insert(_ table: Table) throws -> Int64 {
        let number = nextNumber
        nextNumber += 1
        var values: [OwnedValue] = [
            .integer(kind == .narrow ? Int64(number) : Self.stored(number)),
            Self.name(number).map { .text($0) } ?? .null, .double(Double(number) / 2),
            .integer(Int64(number / 3 * 3)),
        ]
        if kind == .wide {
            for column in Self.wideColumns {
                let length = number % 89 == 0 ? 5000 : 20 + column
                values.append(.bytes([UInt8](repeating: UInt8(number & 63), count: length)))
            }
        }
        let key = try table.insert(values).rawValue
        rows[key] = number
        return key
    }

    // MARK: Changes

    mutating func step(_ connection: Connection, _ random: inout SeededGenerator) throws {
        connection.maximumDeletedRows = limit
        let table = try readings(connection)
        switch random.next(below: 20) {
        case 0...3: for _ in 0..<random.next(below: 40) { try insert(table) }
        case 4...9:
            let doomed = chosen(&random)
            for key in doomed { try delete(key, table) }
            if random.next(below: 3) == 0 { try checkSome(connection, &random) }
        case 10: try setSome(table, &random)
        case 11...13: try changeList(connection, &random)
        case 14: try setLink(connection, &random)
        case 15, 16: try changeParts(connection, &random)
        case 17:
            let doomed = chosen(&random)
            try table.delete(doomed.shuffled(using: &random).map(ObjectKey.init(rawValue:)))
            for key in doomed { forget(key) }
        case 18: try checkSome(connection, &random)
        default:
            if random.next(below: 25) > 0 { return }
            try table.deleteAll()
            for key in keys { forget(key) }
        }
    }

    /// Objects to be deleted: a run at either end or in the middle, in either direction, scattered
    /// ones, or a single one.
    private func chosen(_ random: inout SeededGenerator) -> [Int64] {
        let keys = keys
        let count = min(keys.count, random.next(below: random.next(below: 8) == 0 ? 600 : 40))
        let first = random.next(below: keys.count - count + 1)
        switch random.next(below: 7) {
        case 0, 1: return Array(keys.prefix(count))
        case 2: return keys.suffix(count).reversed()
        case 3: return Array(keys[first..<first + count])
        case 4: return keys[first..<first + count].reversed()
        case 5: return Array(keys.shuffled(using: &random).prefix(count))
        default: return Array(keys[first..<first + count].prefix(1))
        }
    }

    mutating func delete(_ key: Int64, _ table: Table) throws {
        try table.delete(ObjectKey(rawValue: key))
        forget(key)
    }

    private mutating func forget(_ key: Int64) {
        rows[key] = nil
        halves[key] = nil
        deleted.append(key)
        for holder in holders.keys {
            holders[holder]!.list.removeAll { $0 == key }
            if holders[holder]!.link == key { holders[holder]!.link = nil }
        }
    }

    private mutating func setSome(_ table: Table, _ random: inout SeededGenerator) throws {
        for key in keys.shuffled(using: &random).prefix(5) {
            let value = Double(random.next(below: 1 << 20)) / 4
            try table.set(2, of: ObjectKey(rawValue: key), to: .double(value))
            halves[key] = value
        }
    }

    private func holder(_ random: inout SeededGenerator) -> Int64 {
        holders.keys.sorted().randomElement(using: &random)!
    }

    /// Appends to a list, and removes what is first in it, which is then deleted as well.
    private mutating func changeList(
        _ connection: Connection, _ random: inout SeededGenerator
    ) throws {
        let (table, owner) = (try readings(connection), holder(&random))
        let list = try #require(try connection.table(named: "Holder"))
            .list(0, of: ObjectKey(rawValue: owner))
        for _ in 0..<random.next(below: 30) {
            let key = try insert(table)
            try list.append(.integer(key))
            holders[owner]!.list.append(key)
        }
        for _ in 0..<random.next(below: 25) where !holders[owner]!.list.isEmpty {
            let position = random.next(below: 5) == 0 ? holders[owner]!.list.count - 1 : 0
            let key = holders[owner]!.list.remove(at: position)
            #expect(try list.value(at: position).isIdentical(to: .integer(key)))
            try list.remove(at: position)
            if random.next(below: 6) > 0 { try delete(key, table) }
        }
    }

    private mutating func setLink(
        _ connection: Connection, _ random: inout SeededGenerator
    ) throws {
        let (owner, target) = (holder(&random), keys.randomElement(using: &random))
        try #require(try connection.table(named: "Holder")).set(
            1, of: ObjectKey(rawValue: owner), to: target.map { .integer($0) } ?? .null)
        holders[owner]!.link = target
    }

    /// Embedded objects are deleted by the list that owns them.
    private mutating func changeParts(
        _ connection: Connection, _ random: inout SeededGenerator
    ) throws {
        let owner = holder(&random)
        let list = try #require(try connection.table(named: "Holder"))
            .list(2, of: ObjectKey(rawValue: owner))
        for _ in 0..<random.next(below: 40) {
            let size = Int64(random.next(below: 1000))
            let position = random.next(below: holders[owner]!.parts.count + 1)
            _ = try [Scalar.integer(size)].withUnsafeBufferPointer {
                try list.insertEmbedded($0, at: position)
            }
            holders[owner]!.parts.insert(size, at: position)
        }
        for _ in 0..<random.next(below: 35) where !holders[owner]!.parts.isEmpty {
            let position = random.next(below: holders[owner]!.parts.count)
            try list.remove(at: position)
            holders[owner]!.parts.remove(at: position)
        }
    }

    // MARK: Checks

    /// Reads in a few ways, directly after deletions.
    private func checkSome(_ connection: Connection, _ random: inout SeededGenerator) throws {
        for _ in 0..<2 {
            let reading = DeletedRowsReading.all.randomElement(using: &random)!
            try reading.check(connection, self)
        }
    }

    func check(_ connection: Connection) throws {
        for reading in DeletedRowsReading.all { try reading.check(connection, self) }
        let holderTable = try #require(try connection.table(named: "Holder"))
        let parts = try #require(try connection.table(named: "Part"))
        #expect(try parts.count() == holders.values.reduce(0) { $0 + $1.parts.count })
        for (key, holder) in holders {
            var sizes: [Int64] = []
            try holderTable.list(2, of: ObjectKey(rawValue: key)).forEach {
                value throws(StorageError) in
                guard case .integer(let part) = value,
                    case .integer(let size) = try parts.value(0, of: ObjectKey(rawValue: part))
                else { return false }
                sizes.append(size)
                return true
            }
            #expect(sizes == holder.parts)
        }
    }
}

extension Table {
    /// The number of deleted objects whose rows are still in the tree.
    var waitingRows: Int { deletedRows.count }
}
