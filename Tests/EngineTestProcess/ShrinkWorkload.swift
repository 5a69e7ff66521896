import StorageEngine
import StressModel

/// A file of which nine tenths are deleted, followed by small commits. All of it is repeatable, and
/// a step is one commit, so a digest shows how many steps a file holds.
enum ShrinkWorkload {
    private static let definitions = [
        TableDefinition(
            name: "Progress", columns: [ColumnDefinition(name: "step", type: .int)]),
        TableDefinition(
            name: "Item",
            columns: [
                ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                ColumnDefinition(name: "text", type: .string),
                ColumnDefinition(name: "number", type: .int, isIndexed: true),
                ColumnDefinition(name: "friend", type: .link, isOptional: true, linkTarget: "Item"),
                ColumnDefinition(name: "numbers", type: .int, collection: .list),
                ColumnDefinition(name: "names", type: .string, collection: .set),
                ColumnDefinition(name: "facts", type: .mixed, collection: .map),
                ColumnDefinition(name: "anything", type: .mixed, isOptional: true),
                ColumnDefinition(
                    name: "nickname", type: .string, isOptional: true, isIndexed: true),
            ]),
    ]

    private static let (text, number, numbers, names, facts) = (1, 2, 4, 5, 6)
    private static let (anything, nickname) = (7, 8)

    /// Fills a new file. The items that will stay are spread over it, and some have values on pages
    /// of all kinds.
    static func prepare(_ connection: Connection, items: Int) throws {
        try write(connection) {
            try connection.createTables(definitions)
            _ = try connection.table(named: "Progress")!.insert([.integer(0)])
        }
        let table = try connection.table(named: "Item")!
        for first in stride(from: 0, to: items, by: 100) {
            try write(connection) {
                for id in first..<min(first + 100, items) {
                    let friend: OwnedValue =
                        id == 0 ? .null : try .integer(table.key(at: id / 20).rawValue)
                    let key = try table.insert([
                        // Even, because numbers without gaps take no space in the map of keys.
                        .integer(Int64(id) * 2),
                        .text(text(of: id, length: 2900 + id % 3000)),
                        .integer(Int64(id) << 33), friend,
                    ])
                    if id % 3 != 0 {
                        try table.set(nickname, of: key, owned: .text("nickname \(id * 7919)"))
                    }
                    if id % 500 == 0 { try fillCollections(table, key, id) }
                }
            }
        }
    }

    /// Deletes all items except every tenth.
    static func deleteMost(_ connection: Connection) throws {
        try write(connection) {
            let table = try connection.table(named: "Item")!
            let count = try table.count()
            let keys = try (0..<count).filter { $0 % 10 != 0 }.map { try table.key(at: $0) }
            for key in keys { try table.delete(key) }
        }
    }

    /// Makes a small commit that changes a value of one remaining item.
    static func run(
        _ step: Int, on connection: Connection, _ durability: CommitDurability = .full
    ) throws {
        try write(connection, durability) {
            var random = RepeatableRandom(seed: UInt64(step))
            let table = try connection.table(named: "Item")!
            let key = try table.key(at: random.below(try table.count()))
            switch step % 4 {
            case 0:
                let length = 100 + random.below(4000)
                try table.set(text, of: key, owned: .text(text(of: step, length: length)))
            case 1: try table.set(number, of: key, to: .integer(Int64(step)))
            case 2:
                let list = table.list(numbers, of: try table.key(at: 0))
                try list.insert(.integer(Int64(step)), at: random.below(try list.count() + 1))
            default: try table.set(number, of: table.key(at: 0), to: .integer(Int64(step)))
            }
            let progress = try connection.table(named: "Progress")!
            try progress.set(0, of: progress.key(at: 0), to: .integer(Int64(step)))
        }
    }

    static func step(of connection: Connection) throws -> Int {
        let progress = try connection.table(named: "Progress")!
        guard case .integer(let step) = try progress.value(0, of: progress.key(at: 0)) else {
            return -1
        }
        return Int(step)
    }

    // MARK: Parts

    private static func write(
        _ connection: Connection, _ durability: CommitDurability = .full, _ body: () throws -> Void
    ) throws {
        try connection.beginWrite()
        do {
            try body()
            try connection.commit(durability)
        } catch {
            if connection.isInWriteTransaction { connection.rollback() }
            throw error
        }
    }

    private static func text(of number: Int, length: Int) -> String {
        String(repeating: "text \(number), ", count: length / 8)
    }

    /// Fills a list, a set and a map of several pages, with some long values, and nests lists in
    /// them.
    private static func fillCollections(_ table: Table, _ key: ObjectKey, _ id: Int) throws {
        let list = table.list(numbers, of: key)
        for index in 0..<900 {
            try list.insert(.integer(Int64(index &* 0x9E37_79B9_7F4A) &* Int64(id + 1)), at: index)
        }
        for index in 0..<40 {
            let name = text(of: index * 31 + id, length: index % 8 == 0 ? 1500 : 200)
            try OwnedValue.text(name).withScalar { _ = try table.set(names, of: key).insert($0) }
        }
        let map = table.map(facts, of: key)
        for index in 0..<30 {
            var name = text(of: index, length: index % 10 == 0 ? 900 : 60)
            try name.withUTF8 { text in
                let name = UnsafeRawBufferPointer(text)
                guard index % 3 == 0 else {
                    return try MixedValue.string(name).withScalar { try map.set($0, forKey: name) }
                }
                try map.setEmpty(.list, forKey: name)
                try fill(try map.nestedList(forKey: name)!, depth: 2)
            }
        }
        try table.setEmpty(.list, anything, of: key)
        try fill(try table.nestedList(anything, of: key)!, depth: 3)
    }

    /// Fills a list and nests another in its middle. Lists alternate between trees and rows of few
    /// values.
    private static func fill(_ list: ListHandle, depth: Int) throws {
        let long = String(repeating: "long ", count: 400)
        for index in 0..<(depth % 2 == 0 ? 60 : 2) {
            if index == 40 {
                try OwnedValue.text(long).withScalar {
                    guard case .bytes(let bytes) = $0 else { return }
                    try MixedValue.string(bytes).withScalar { try list.insert($0, at: index) }
                }
            } else {
                try MixedValue.int(Int64(index) << 40).withScalar { try list.insert($0, at: index) }
            }
        }
        guard depth > 0 else { return }
        let middle = try list.count() / 2
        try list.insertEmpty(.list, at: middle)
        try fill(try list.nestedList(at: middle)!, depth: depth - 1)
    }
}
