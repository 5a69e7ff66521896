import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Objects with a value, list, set and map of every type, as plain Swift values.
struct TypesModel: DatabaseModel {
    static let types: [ValueType] = [
        .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128, .mixed,
        .link, .typedLink,
    ]
    static let kinds: [CollectionKind] = [.none, .list, .set, .map]

    enum Content: Equatable {
        case single(OracleValue)
        case list([OracleValue])
        /// The elements in ascending order.
        case set([OrderedValue])
        case map([String: OracleValue])
    }

    struct OrderedValue: Equatable {
        var order: Int
        var value: OracleValue
    }

    struct Column {
        var type: ValueType
        var kind: CollectionKind
        /// False for links in lists and sets, which are never null.
        var allowsNull: Bool
    }

    static let columns: [Column] = kinds.flatMap { kind in
        types.map {
            let isLink = $0 == .link || $0 == .typedLink
            return Column(
                type: $0, kind: kind, allowsNull: !isLink || kind == .none || kind == .map)
        }
    }

    /// The numbers of the tables of targets; table 0 is that of the owners.
    static let targetTables = 1...2

    var owners: [Int64: [Content]] = [:]
    var targets: [Int: [Int64]] = [1: [], 2: []]

    static let definitions = [
        TableDefinition(
            name: "Owner",
            columns: columns.enumerated().map { position, column in
                ColumnDefinition(
                    name: "c\(position)", type: column.type, collection: column.kind,
                    isOptional: column.allowsNull,
                    linkTarget: column.type == .link ? "Cat" : nil)
            }),
        TableDefinition(name: "Cat", columns: [ColumnDefinition(name: "n", type: .int)]),
        TableDefinition(name: "Dog", columns: [ColumnDefinition(name: "n", type: .int)]),
    ]

    private static let empty: [Content] = columns.map { column in
        switch column.kind {
        case .none: .single(.null)
        case .list: .list([])
        case .set: .set([])
        case .map: .map([:])
        }
    }

    // MARK: Steps

    mutating func begin(_ connection: Connection) throws {
        try connection.createTables(Self.definitions)
        for _ in 0..<3 { try addOwner(connection) }
    }

    mutating func step(_ connection: Connection, _ random: inout SeededGenerator) throws {
        switch random.next(below: 60) {
        case 0: try addOwner(connection)
        case 1: try deleteOwner(connection, &random)
        case 2...4: try addTarget(connection, &random)
        case 5, 6: try deleteTarget(connection, &random)
        default: try change(connection, &random)
        }
    }

    mutating func addOwner(_ connection: Connection) throws {
        let table = try #require(try connection.table(number: 0))
        let key = try table.insert(owned: [])
        // There are no columns of non-optional values, so all begin as null.
        owners[key.rawValue] = Self.empty
    }

    private mutating func deleteOwner(_ connection: Connection, _ random: inout SeededGenerator)
        throws
    {
        guard owners.count > 2, let key = owners.keys.sorted().randomElement(using: &random)
        else { return }
        try #require(try connection.table(number: 0)).delete(ObjectKey(rawValue: key))
        owners[key] = nil
    }

    private mutating func addTarget(_ connection: Connection, _ random: inout SeededGenerator)
        throws
    {
        let number = 1 + random.next(below: 2)
        let key = try #require(try connection.table(number: number)).insert(owned: [.integer(1)])
        targets[number]!.append(key.rawValue)
    }

    private mutating func deleteTarget(_ connection: Connection, _ random: inout SeededGenerator)
        throws
    {
        let number = 1 + random.next(below: 2)
        guard targets[number]!.count > 5 else { return }
        let key = targets[number]!.remove(at: random.next(below: targets[number]!.count))
        let link = TypedLink(table: number, key: ObjectKey(rawValue: key))
        try #require(try connection.table(number: number)).delete(link.key)
        for owner in owners.keys {
            for position in Self.columns.indices {
                owners[owner]![position] = Self.forget(
                    link, Self.columns[position], owners[owner]![position])
            }
        }
    }

    private static func forget(_ link: TypedLink, _ column: Column, _ content: Content) -> Content {
        guard column.type == .mixed || column.type == .typedLink || link.table == 1,
            column.type == .link || column.type == .typedLink || column.type == .mixed
        else { return content }
        let value = OracleValue.link(link, as: column.type)
        switch content {
        case .single(let old): return .single(old == value ? .null : old)
        case .list(let list):
            return .list(
                column.type == .mixed
                    ? list.map { $0 == value ? .null : $0 } : list.filter { $0 != value })
        case .set(let set): return .set(set.filter { $0.value != value })
        case .map(let map): return .map(map.mapValues { $0 == value ? .null : $0 })
        }
    }

    private func candidate(_ column: Column, _ random: inout SeededGenerator) -> Candidate? {
        if column.allowsNull, random.next(below: 12) == 0 {
            return Candidate(order: -1, value: .null)
        }
        var number = 0
        switch column.type {
        case .link: number = 1
        case .typedLink: number = 1 + random.next(below: 2)
        case .mixed where random.next(below: 4) == 0: number = 1 + random.next(below: 2)
        default: break
        }
        if number == 0 {
            return .make(
                column.type, random.next(below: column.type == .mixed ? 1400 : 300), &random)
        }
        guard let key = targets[number]!.randomElement(using: &random) else { return nil }
        return .link(TypedLink(table: number, key: ObjectKey(rawValue: key)), as: column.type)
    }

    private mutating func change(_ connection: Connection, _ random: inout SeededGenerator) throws {
        // One owner gets most changes, so that its collections outgrow their row.
        let sorted = owners.keys.sorted()
        guard
            let key = random.next(below: 3) > 0
                ? sorted.first : sorted.randomElement(using: &random)
        else { return }
        let position = random.next(below: Self.columns.count)
        guard let candidate = candidate(Self.columns[position], &random) else { return }
        let table = try #require(try connection.table(number: 0))
        let owner = ObjectKey(rawValue: key)
        switch owners[key]![position] {
        case .single:
            try candidate.value.withScalar { try table.set(position, of: owner, to: $0) }
            owners[key]![position] = .single(candidate.value)
        case .list(var list):
            try Self.change(table.list(position, of: owner), &list, candidate, &random)
            owners[key]![position] = .list(list)
        case .set(var set):
            try Self.change(table.set(position, of: owner), &set, candidate, &random)
            owners[key]![position] = .set(set)
        case .map(var map):
            try Self.change(table.map(position, of: owner), &map, candidate, &random)
            owners[key]![position] = .map(map)
        }
    }

    static func change(
        _ handle: ListHandle, _ list: inout [OracleValue], _ candidate: Candidate,
        _ random: inout SeededGenerator
    ) throws {
        let index = random.next(below: list.count + 1)
        switch random.next(below: 12) {
        case 8 where index < list.count:
            list.remove(at: index)
            try handle.remove(at: index)
        case 9 where index < list.count:
            list[index] = candidate.value
            try candidate.value.withScalar { try handle.set($0, at: index) }
        case 10 where index < list.count:
            let to = random.next(below: list.count)
            list.insert(list.remove(at: index), at: to)
            try handle.move(from: index, to: to)
        case 11 where random.next(below: 30) == 0:
            list = []
            try handle.removeAll()
        default:
            list.insert(candidate.value, at: index)
            try candidate.value.withScalar { try handle.insert($0, at: index) }
        }
    }

    static func change(
        _ handle: SetHandle, _ set: inout [OrderedValue], _ candidate: Candidate,
        _ random: inout SeededGenerator
    ) throws {
        let place = set.firstIndex { $0.order >= candidate.order } ?? set.count
        let isFound = place < set.count && set[place].order == candidate.order
        switch random.next(below: 12) {
        case 9:
            let removed = try candidate.value.withScalar { try handle.remove($0) }
            #expect(removed == isFound)
            if isFound { set.remove(at: place) }
        case 10 where !set.isEmpty:
            let index = random.next(below: set.count)
            #expect(try set.remove(at: index).value.withScalar { try handle.remove($0) })
        case 11 where random.next(below: 30) == 0:
            set = []
            try handle.removeAll()
        default:
            let inserted = try candidate.value.withScalar { try handle.insert($0) }
            #expect(inserted == !isFound)
            if !isFound {
                set.insert(OrderedValue(order: candidate.order, value: candidate.value), at: place)
            }
        }
    }

    static func change(
        _ handle: MapHandle, _ map: inout [String: OracleValue], _ candidate: Candidate,
        _ random: inout SeededGenerator
    ) throws {
        let number = random.next(below: 150)
        let key = "\(number)" + String(repeating: "é", count: number % 31 == 0 ? 400 : number % 4)
        let bytes = Array(key.utf8)
        switch random.next(below: 12) {
        case 8...10:
            let removed = try bytes.withUnsafeBytes { try handle.removeValue(forKey: $0) }
            #expect(removed == (map.removeValue(forKey: key) != nil))
        case 11 where random.next(below: 30) == 0:
            map = [:]
            try handle.removeAll()
        default:
            map[key] = candidate.value
            try bytes.withUnsafeBytes { key in
                try candidate.value.withScalar { try handle.set($0, forKey: key) }
            }
        }
    }

    // MARK: Comparison

    func check(_ connection: Connection) throws {
        let table = try #require(try connection.table(number: 0))
        try #require(try table.count() == owners.count)
        for (key, contents) in owners {
            for (position, content) in contents.enumerated() {
                try Self.check(table, position, ObjectKey(rawValue: key), content)
            }
        }
        try checkBacklinks(connection)
    }

    private static func check(
        _ table: Table, _ position: Int, _ owner: ObjectKey, _ content: Content
    ) throws {
        switch content {
        case .single(let value):
            try #require(OracleValue(try table.value(position, of: owner)) == value)
        case .list(let list): try check(table.list(position, of: owner), list)
        case .set(let set): try check(table.set(position, of: owner), set)
        case .map(let map): try check(table.map(position, of: owner), map)
        }
    }

    static func check(_ handle: ListHandle, _ list: [OracleValue]) throws {
        try #require(try handle.count() == list.count)
        var visited: [OracleValue] = []
        // swift-format-ignore: ReplaceForEachWithForLoop
        try handle.forEach {
            visited.append(OracleValue($0))
            return true
        }
        try #require(visited == list)
        for (index, value) in list.enumerated() {
            try #require(OracleValue(try handle.value(at: index)) == value)
        }
        if let last = list.last {
            let index = try last.withScalar { try handle.firstIndex(of: $0) }
            try #require(index == list.firstIndex(of: last))
        }
    }

    static func check(_ handle: SetHandle, _ set: [OrderedValue]) throws {
        try #require(try handle.count() == set.count)
        for (index, element) in set.enumerated() {
            try #require(OracleValue(try handle.value(at: index)) == element.value)
            try #require(try element.value.withScalar { try handle.index(of: $0) } == index)
        }
    }

    static func check(_ handle: MapHandle, _ map: [String: OracleValue]) throws {
        try #require(try handle.count() == map.count)
        let keys = map.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for (index, key) in keys.enumerated() {
            let entry = try handle.entry(at: index)
            try #require(String(decoding: entry.key, as: UTF8.self) == key)
            try #require(OracleValue(entry.value) == map[key])
            try Array(key.utf8).withUnsafeBytes { key in
                try #require(try handle.index(ofKey: key) == index)
            }
        }
        try #require(try handle.value(forKey: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }

    /// Checks that each target has the right number of backlinks.
    private func checkBacklinks(_ connection: Connection) throws {
        for number in Self.targetTables {
            let table = try #require(try connection.table(number: number))
            try #require(try table.count() == targets[number]!.count)
            for key in targets[number]!.prefix(20) {
                let link = TypedLink(table: number, key: ObjectKey(rawValue: key))
                try #require(try table.backlinkCount(of: link.key) == referenceCount(link))
            }
        }
    }

    private func referenceCount(_ link: TypedLink) -> Int {
        var count = 0
        for contents in owners.values {
            for (position, content) in contents.enumerated() {
                let type = Self.columns[position].type
                guard type == .mixed || type == .typedLink || (type == .link && link.table == 1)
                else { continue }
                let value = OracleValue.link(link, as: type)
                switch content {
                case .single(let single): count += single == value ? 1 : 0
                case .list(let list): count += list.count { $0 == value }
                case .set(let set): count += set.count { $0.value == value }
                case .map(let map): count += map.values.count { $0 == value }
                }
            }
        }
        return count
    }
}
