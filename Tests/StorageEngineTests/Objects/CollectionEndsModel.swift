import ToolSupport

@testable import StorageEngine

/// Lists of links, numbers and texts, and sets of numbers, of more owners than have writers of
/// their own, as arrays. Most changes are at the ends of lists that have several leaves.
struct CollectionEndsModel: DatabaseModel {
    static let links = 0
    static let numbers = 1
    static let texts = 2
    static let members = 3

    struct Owner {
        var links: [ObjectKey] = []
        var numbers: [Int64] = []
        var texts: [String] = []
        var members: Set<Int64> = []
    }

    private(set) var owners: [ObjectKey: Owner] = [:]
    private(set) var targets: [ObjectKey] = []
    private let ownerCount = 19

    mutating func begin(_ connection: Connection) throws {
        try connection.createTables([
            TableDefinition(
                name: "Target", columns: [ColumnDefinition(name: "number", type: .int)]),
            TableDefinition(
                name: "Owner",
                columns: [
                    ColumnDefinition(
                        name: "links", type: .link, collection: .list, linkTarget: "Target"),
                    ColumnDefinition(name: "numbers", type: .int, collection: .list),
                    ColumnDefinition(name: "texts", type: .string, collection: .list),
                    ColumnDefinition(name: "members", type: .int, collection: .set),
                ]),
        ])
        for _ in 0..<ownerCount { try insertOwner(connection) }
        for number in 0..<50 { try insertTarget(connection, number) }
    }

    mutating func step(_ connection: Connection, _ random: inout SeededGenerator) throws {
        // Some owners are in use for a while, so that their lists grow long.
        let keys = owners.keys.sorted { $0.rawValue < $1.rawValue }
        let key = keys[random.next(below: random.next(below: 3) == 0 ? keys.count : 4)]
        switch random.next(below: 100) {
        case ..<40: try append(connection, key, &random)
        case ..<70: try removeFromEnd(connection, key, &random)
        case ..<86: try changeInside(connection, key, &random)
        case ..<89: try clear(connection, key)
        case ..<92: try deleteTarget(connection, &random)
        case ..<93:
            try connection.table("Owner").delete(key)
            owners[key] = nil
            try insertOwner(connection)
        default: try insertTarget(connection, random.next(below: 1000))
        }
        try compareEnds(connection, key, &random)
    }

    // MARK: Changes

    private mutating func insertOwner(_ connection: Connection) throws {
        owners[try connection.table("Owner").insertRow([])] = Owner()
    }

    private mutating func insertTarget(_ connection: Connection, _ number: Int) throws {
        targets.append(try connection.table("Target").insertRow([Scalar.integer(Int64(number))]))
    }

    private func text(_ random: inout SeededGenerator) -> String {
        let length = random.next(below: 40) == 0 ? 1500 : random.next(below: 60)
        return String(repeating: ["a", "b", "c"][random.next(below: 3)], count: length)
    }

    /// Appends several elements, also new objects, to the lists of an owner in turn.
    private mutating func append(
        _ connection: Connection, _ key: ObjectKey, _ random: inout SeededGenerator
    ) throws {
        let table = try connection.table("Owner")
        for _ in 0..<random.next(below: random.next(below: 6) == 0 ? 400 : 8) {
            if random.next(below: 2) == 0 { try insertTarget(connection, 0) }
            let isNewest = random.next(below: 2) == 0
            let target = isNewest ? targets.last! : targets[random.next(below: targets.count)]
            try table.list(Self.links, of: key).append(.integer(target.rawValue))
            owners[key]!.links.append(target)
            let number = Int64(bitPattern: random.next()) >> random.next(below: 60)
            try table.list(Self.numbers, of: key).append(.integer(number))
            owners[key]!.numbers.append(number)
            let text = text(&random)
            try text.withScalar { try table.list(Self.texts, of: key).append($0) }
            owners[key]!.texts.append(text)
            _ = try table.set(Self.members, of: key).insert(.integer(number))
            owners[key]!.members.insert(number)
        }
    }

    private mutating func removeFromEnd(
        _ connection: Connection, _ key: ObjectKey, _ random: inout SeededGenerator
    ) throws {
        let table = try connection.table("Owner")
        let isAtBeginning = random.next(below: 3) > 0
        for _ in 0..<random.next(below: random.next(below: 6) == 0 ? 300 : 8) {
            guard !owners[key]!.links.isEmpty else { return }
            let position = isAtBeginning ? 0 : owners[key]!.links.count - 1
            for column in Self.links...Self.texts {
                try table.list(column, of: key).remove(at: position)
            }
            let target = owners[key]!.links.remove(at: position)
            owners[key]!.numbers.remove(at: position)
            owners[key]!.texts.remove(at: position)
            // As programs do that keep the newest elements.
            let references = owners.values.reduce(0) { $0 + $1.links.count { $0 == target } }
            guard
                try connection.table("Target").backlinkCount(of: target) == references
            else { throw TestFailure("\(target) has other backlinks") }
            if references == 0 { try delete(connection, target) }
        }
    }

    private mutating func changeInside(
        _ connection: Connection, _ key: ObjectKey, _ random: inout SeededGenerator
    ) throws {
        let table = try connection.table("Owner")
        let count = owners[key]!.numbers.count
        guard count > 0 else { return }
        let (position, other) = (random.next(below: count), random.next(below: count))
        let number = Int64(random.next(below: 1_000_000))
        let numbers = table.list(Self.numbers, of: key)
        let texts = table.list(Self.texts, of: key)
        switch random.next(below: 3) {
        case 0:
            try numbers.set(.integer(number), at: position)
            owners[key]!.numbers[position] = number
            let text = text(&random)
            try text.withScalar { try texts.set($0, at: position) }
            owners[key]!.texts[position] = text
        case 1:
            for list in [numbers, texts] { try list.move(from: position, to: other) }
            let moved = owners[key]!.numbers.remove(at: position)
            owners[key]!.numbers.insert(moved, at: other)
            let text = owners[key]!.texts.remove(at: position)
            owners[key]!.texts.insert(text, at: other)
        default:
            // The lists stay equally long.
            try numbers.insert(.integer(number), at: position)
            owners[key]!.numbers.insert(number, at: position)
            try numbers.remove(at: other)
            owners[key]!.numbers.remove(at: other)
        }
        if let member = owners[key]!.members.randomElement(using: &random) {
            _ = try table.set(Self.members, of: key).remove(.integer(member))
            owners[key]!.members.remove(member)
        }
    }

    private mutating func clear(_ connection: Connection, _ key: ObjectKey) throws {
        let table = try connection.table("Owner")
        for column in Self.links...Self.texts { try table.list(column, of: key).removeAll() }
        owners[key]!.links = []
        owners[key]!.numbers = []
        owners[key]!.texts = []
    }

    private mutating func deleteTarget(
        _ connection: Connection, _ random: inout SeededGenerator
    ) throws {
        let target = targets[random.next(below: targets.count)]
        // Lists lose the object, so the others of their owner would have other lengths.
        let holds = owners.values.contains { $0.links.contains(target) }
        if !holds, targets.count > 1 { return try delete(connection, target) }
        for key in owners.keys where owners[key]!.links.contains(target) {
            owners[key]!.links.removeAll { $0 == target }
            let count = owners[key]!.links.count
            let table = try connection.table("Owner")
            while owners[key]!.numbers.count > count {
                for column in [Self.numbers, Self.texts] {
                    try table.list(column, of: key).remove(at: 0)
                }
                owners[key]!.numbers.removeFirst()
                owners[key]!.texts.removeFirst()
            }
        }
        if targets.count == 1 { try insertTarget(connection, 1) }
        try delete(connection, target)
    }

    private mutating func delete(_ connection: Connection, _ target: ObjectKey) throws {
        if targets.count == 1 { try insertTarget(connection, 1) }
        try connection.table("Target").delete(target)
        targets.removeAll { $0 == target }
    }

    // MARK: Comparison

    /// Reads one owner's lists by position.
    private func compareEnds(
        _ connection: Connection, _ key: ObjectKey, _ random: inout SeededGenerator
    ) throws {
        guard let owner = owners[key] else { return }
        let list = try connection.table("Owner").list(Self.numbers, of: key)
        let links = try connection.table("Owner").list(Self.links, of: key)
        let count = owner.numbers.count
        guard try list.count() == count, try links.count() == owner.links.count else {
            throw TestFailure("a list of \(key) has another count")
        }
        for position in [0, 1, count / 2, count - 1, count, -1, random.next(below: count + 1)] {
            let isInside = owner.numbers.indices.contains(position)
            guard
                try isSame(list.value(ifAt: position), isInside ? owner.numbers[position] : nil),
                try isSame(
                    links.value(ifAt: position), isInside ? owner.links[position].rawValue : nil)
            else { throw TestFailure("\(key) has something else at \(position) of \(count)") }
        }
    }

    private func isSame(_ scalar: Scalar?, _ integer: Int64?) -> Bool {
        guard let scalar, let integer else { return scalar == nil && integer == nil }
        return scalar.isIdentical(to: .integer(integer))
    }

    func check(_ connection: Connection) throws {
        let (table, things) = (try connection.table("Owner"), try connection.table("Target"))
        guard try table.count() == owners.count, try things.count() == targets.count else {
            throw TestFailure("other numbers of objects")
        }
        var references: [ObjectKey: Int] = [:]
        for (key, owner) in owners {
            for target in owner.links { references[target, default: 0] += 1 }
            let links = try integers(table.list(Self.links, of: key).forEach)
            let numbers = try integers(table.list(Self.numbers, of: key).forEach)
            let members = try integers(table.set(Self.members, of: key).forEach)
            var texts: [String] = []
            try table.list(Self.texts, of: key).forEach {
                guard case .bytes(let bytes) = $0 else { return false }
                texts.append(String(decoding: bytes, as: UTF8.self))
                return true
            }
            guard links == owner.links.map(\.rawValue), numbers == owner.numbers,
                texts == owner.texts, members == owner.members.sorted()
            else { throw TestFailure("\(key) holds something else") }
        }
        for target in targets {
            guard try things.backlinkCount(of: target) == references[target, default: 0] else {
                throw TestFailure("\(target) has other backlinks")
            }
        }
    }

    private func integers(
        _ forEach: ((Scalar) throws(StorageError) -> Bool) throws(StorageError) -> Void
    ) throws -> [Int64] {
        var integers: [Int64] = []
        try forEach {
            if case .integer(let integer) = $0 { integers.append(integer) }
            return true
        }
        return integers
    }
}

extension Connection {
    fileprivate func table(_ name: String) throws -> Table {
        guard let table = try table(named: name) else { throw TestFailure("no table \(name)") }
        return table
    }
}

extension Table {
    fileprivate func insertRow(_ values: [Scalar]) throws -> ObjectKey {
        try values.withUnsafeBufferPointer { try insert($0) }
    }
}

extension String {
    fileprivate func withScalar(_ body: (Scalar) throws -> Void) throws {
        var copy = self
        try copy.withUTF8 { try body(.bytes(UnsafeRawBufferPointer($0))) }
    }
}
