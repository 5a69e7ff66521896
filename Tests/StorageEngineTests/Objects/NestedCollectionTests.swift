import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Lists and maps inside mixed values, compared with plain Swift values.
@Suite struct NestedCollectionTests {
    private let directory = TestDirectory()

    private func open() throws -> Connection {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables(NestedModel.definitions)
        return connection
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func nestedCollectionsBehaveLikeSwiftOnes(seed: UInt64) throws {
        let connection = try ModelCourse(
            directory: directory, seed: seed, rounds: 15, steps: 100..<200
        ).run(NestedModel())
        try connection.beginWrite()
        try connection.table(number: 0)!.deleteAll()
        try connection.commit()
        #expect(try connection.verify() == [])
        let target = try #require(try connection.table(number: 1))
        for position in 0..<(try target.count()) {
            #expect(try target.backlinkCount(of: target.key(at: position)) == 0)
        }
    }

    @Test func handlesFollowTheirCollectionAndNoticeItsEnd() throws {
        let connection = try open()
        let table = try #require(try connection.table(named: "Owner"))
        let key = try table.insert(owned: [])
        let list = table.list(1, of: key)
        for index in 0..<3 { try list.insertEmpty(.list, at: index) }
        let second = try #require(try list.nestedList(at: 1))
        try OracleValue(.int(7)).withScalar { try second.insert($0, at: 0) }
        try OracleValue(.int(1)).withScalar { try list.insert($0, at: 0) }
        try list.remove(at: 1)
        try list.move(from: 1, to: 2)
        #expect(try second.count() == 1)
        try OracleValue(.int(8)).withScalar { try second.insert($0, at: 1) }
        #expect(try list.nestedList(at: 2)?.count() == 2)
        #expect(try list.nestedMap(at: 2) == nil)
        #expect(try list.nestedList(at: 0) == nil)
        try list.setEmpty(.list, at: 2)
        #expect(errorCode { _ = try second.count() } == .invalidArgument)
        #expect(errorCode { try second.removeAll() } == .invalidArgument)
        let last = try #require(try list.nestedList(at: 2))
        try table.delete(key)
        #expect(errorCode { _ = try last.count() } == .invalidArgument)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func collectionsNestToAHundredLevelsAndNoFurther() throws {
        let connection = try open()
        let table = try #require(try connection.table(named: "Owner"))
        let target = try #require(try connection.table(named: "Target")).insert(owned: [.integer(1)]
        )
        let key = try table.insert(owned: [])
        try table.setEmpty(.list, 0, of: key)
        var list = try #require(try table.nestedList(0, of: key))
        for _ in 1..<NestedCollection.maximumDepth {
            try list.insertEmpty(.list, at: 0)
            list = try #require(try list.nestedList(at: 0))
        }
        #expect(errorCode { try list.insertEmpty(.list, at: 0) } == .invalidArgument)
        let link = MixedValue.link(TypedLink(table: 1, key: target))
        try link.withScalar { try list.insert($0, at: 0) }
        try connection.commit()
        #expect(try connection.verify() == [])
        try connection.writeCopy(toPath: directory.file("copy"))
        let copy = try Connection(Database.open(path: directory.file("copy")))
        #expect(try copy.verify() == [])
        try connection.beginWrite()
        try #require(try connection.table(named: "Target")).delete(target)
        #expect(try list.value(at: 0).isNull)
        try table.set(0, of: key, to: .null)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func collectionsAreRefusedWhereTheyCannotBe() throws {
        let connection = try open()
        let table = try #require(try connection.table(named: "Owner"))
        let key = try table.insert(owned: [])
        try table.setEmpty(.map, 0, of: key)
        let map = OracleValue(try table.value(0, of: key))
        #expect(errorCode { try table.setEmpty(.set, 0, of: key) } == .invalidArgument)
        #expect(errorCode { try table.setEmpty(.list, 1, of: key) } == .invalidArgument)
        #expect(
            errorCode { try map.withScalar { try table.set(0, of: key, to: $0) } }
                == .invalidArgument)
        #expect(
            errorCode { try map.withScalar { _ = try table.set(3, of: key).insert($0) } }
                == .invalidArgument)
        #expect(
            errorCode { try map.withScalar { try table.list(1, of: key).insert($0, at: 0) } }
                == .invalidArgument)
        #expect(errorCode { _ = try table.insert(owned: [map]) } == .invalidArgument)
        #expect(
            errorCode { _ = try table.insert(owned: [.bytes([2, 0x80])]) } == .invalidArgument)
        let nowhere = OracleValue(.link(TypedLink(table: 5, key: key)))
        #expect(
            errorCode { try nowhere.withScalar { try table.set(0, of: key, to: $0) } }
                == .invalidArgument)
        try connection.commit()
        #expect(try connection.verify() == [])
    }
}

/// Three roots of one object: a mixed value, a list and a map.
private struct NestedModel: DatabaseModel {
    indirect enum Node: Equatable {
        case value(OracleValue)
        case list([Node])
        case map([String: Node])
    }

    var any = Node.value(.null)
    var list: [Node] = []
    var map: [String: Node] = [:]
    var targets: [Int64] = []
    private let owner = ObjectKey(rawValue: 0)

    static let definitions = [
        TableDefinition(
            name: "Owner",
            columns: [
                ColumnDefinition(name: "any", type: .mixed),
                ColumnDefinition(name: "list", type: .mixed, collection: .list),
                ColumnDefinition(name: "map", type: .mixed, collection: .map),
                ColumnDefinition(name: "set", type: .mixed, collection: .set),
            ]),
        TableDefinition(name: "Target", columns: [ColumnDefinition(name: "n", type: .int)]),
    ]

    mutating func begin(_ connection: Connection) throws {
        try connection.createTables(Self.definitions)
        _ = try #require(try connection.table(number: 0)).insert(owned: [])
        for _ in 0..<10 { try addTarget(connection) }
    }

    private mutating func addTarget(_ connection: Connection) throws {
        let key = try #require(try connection.table(number: 1)).insert(owned: [.integer(0)])
        targets.append(key.rawValue)
    }

    mutating func step(_ connection: Connection, _ random: inout SeededGenerator) throws {
        let table = try #require(try connection.table(number: 0))
        switch random.next(below: 40) {
        case 0: try addTarget(connection)
        case 1: try deleteTarget(connection, &random)
        case 2...5: try changeAny(table, &random)
        case 6...24: try change(table.list(1, of: owner), &list, &random, depth: 0)
        default: try change(table.map(2, of: owner), &map, &random, depth: 0)
        }
    }

    private mutating func deleteTarget(_ connection: Connection, _ random: inout SeededGenerator)
        throws
    {
        guard targets.count > 3 else { return }
        let key = targets.remove(at: random.next(below: targets.count))
        let link = TypedLink(table: 1, key: ObjectKey(rawValue: key))
        try #require(try connection.table(number: 1)).delete(link.key)
        let value = OracleValue(.link(link))
        any = Self.forget(value, any)
        list = list.map { Self.forget(value, $0) }
        map = map.mapValues { Self.forget(value, $0) }
    }

    private static func forget(_ value: OracleValue, _ node: Node) -> Node {
        switch node {
        case .value(let old): .value(old == value ? .null : old)
        case .list(let list): .list(list.map { forget(value, $0) })
        case .map(let map): .map(map.mapValues { forget(value, $0) })
        }
    }

    private func value(_ random: inout SeededGenerator) -> OracleValue {
        if random.next(below: 8) == 0 { return .null }
        if random.next(below: 3) == 0, let key = targets.randomElement(using: &random) {
            return OracleValue(.link(TypedLink(table: 1, key: ObjectKey(rawValue: key))))
        }
        return Candidate.make(.mixed, random.next(below: 1400), &random).value
    }

    private mutating func changeAny(_ table: Table, _ random: inout SeededGenerator) throws {
        switch (any, random.next(below: 12)) {
        case (_, 0):
            any = .value(value(&random))
            guard case .value(let value) = any else { return }
            try value.withScalar { try table.set(0, of: owner, to: $0) }
        case (.list(var list), _):
            let handle = try #require(try table.nestedList(0, of: owner))
            try change(handle, &list, &random, depth: 1)
            any = .list(list)
        case (.map(var map), _):
            let handle = try #require(try table.nestedMap(0, of: owner))
            try change(handle, &map, &random, depth: 1)
            any = .map(map)
        default:
            let isList = random.next(below: 2) == 0
            any = isList ? .list([]) : .map([:])
            try table.setEmpty(isList ? .list : .map, 0, of: owner)
        }
    }

    private func change(
        _ handle: ListHandle, _ list: inout [Node], _ random: inout SeededGenerator, depth: Int
    ) throws {
        let index = random.next(below: list.count + 1)
        if index < list.count, random.next(below: 3) > 0 {
            switch list[index] {
            case .list(var child):
                let nested = try #require(try handle.nestedList(at: index))
                try change(nested, &child, &random, depth: depth + 1)
                list[index] = .list(child)
                return
            case .map(var child):
                let nested = try #require(try handle.nestedMap(at: index))
                try change(nested, &child, &random, depth: depth + 1)
                list[index] = .map(child)
                return
            case .value: break
            }
        }
        let kind: CollectionKind = random.next(below: 2) == 0 ? .list : .map
        let empty = kind == .list ? Node.list([]) : .map([:])
        switch random.next(below: 14) {
        case 0...1 where index < list.count:
            list.remove(at: index)
            try handle.remove(at: index)
        case 2 where index < list.count:
            let value = value(&random)
            list[index] = .value(value)
            try value.withScalar { try handle.set($0, at: index) }
        case 3 where index < list.count:
            let to = random.next(below: list.count)
            list.insert(list.remove(at: index), at: to)
            try handle.move(from: index, to: to)
        case 4 where random.next(below: 15) == 0:
            list = []
            try handle.removeAll()
        case 5 where index < list.count && depth < 5:
            list[index] = empty
            try handle.setEmpty(kind, at: index)
        case 6...8 where depth < 5:
            list.insert(empty, at: index)
            try handle.insertEmpty(kind, at: index)
        default:
            let value = value(&random)
            list.insert(.value(value), at: index)
            try value.withScalar { try handle.insert($0, at: index) }
        }
    }

    private func change(
        _ handle: MapHandle, _ map: inout [String: Node], _ random: inout SeededGenerator,
        depth: Int
    ) throws {
        let name = "key \(random.next(below: 12))"
        try Array(name.utf8).withUnsafeBytes { key in
            if random.next(below: 3) > 0 {
                switch map[name] {
                case .list(var child):
                    let nested = try #require(try handle.nestedList(forKey: key))
                    try change(nested, &child, &random, depth: depth + 1)
                    map[name] = .list(child)
                    return
                case .map(var child):
                    let nested = try #require(try handle.nestedMap(forKey: key))
                    try change(nested, &child, &random, depth: depth + 1)
                    map[name] = .map(child)
                    return
                default: break
                }
            }
            switch random.next(below: 10) {
            case 0:
                let removed = try handle.removeValue(forKey: key)
                #expect(removed == (map.removeValue(forKey: name) != nil))
            case 1 where random.next(below: 15) == 0:
                map = [:]
                try handle.removeAll()
            case 2...4 where depth < 5:
                let kind: CollectionKind = random.next(below: 2) == 0 ? .list : .map
                map[name] = kind == .list ? .list([]) : .map([:])
                try handle.setEmpty(kind, forKey: key)
            default:
                let value = value(&random)
                map[name] = .value(value)
                try value.withScalar { try handle.set($0, forKey: key) }
            }
        }
    }

    // MARK: Comparison

    func check(_ connection: Connection) throws {
        let table = try #require(try connection.table(number: 0))
        var references: [OracleValue: Int] = [:]
        switch any {
        case .value(let value):
            try #require(OracleValue(try table.value(0, of: owner)) == value)
            references[value, default: 0] += 1
        case .list(let list):
            try check(try #require(try table.nestedList(0, of: owner)), list, &references)
        case .map(let map):
            try check(try #require(try table.nestedMap(0, of: owner)), map, &references)
        }
        try check(table.list(1, of: owner), list, &references)
        try check(table.map(2, of: owner), map, &references)
        let target = try #require(try connection.table(number: 1))
        try #require(try target.count() == targets.count)
        for key in targets {
            let link = OracleValue(.link(TypedLink(table: 1, key: ObjectKey(rawValue: key))))
            try #require(
                try target.backlinkCount(of: ObjectKey(rawValue: key)) == references[link] ?? 0)
        }
    }

    private func check(
        _ handle: ListHandle, _ list: [Node], _ references: inout [OracleValue: Int]
    ) throws {
        try #require(try handle.count() == list.count)
        for (index, node) in list.enumerated() {
            switch node {
            case .value(let value):
                try #require(OracleValue(try handle.value(at: index)) == value)
                references[value, default: 0] += 1
            case .list(let child):
                try check(try #require(try handle.nestedList(at: index)), child, &references)
            case .map(let child):
                try check(try #require(try handle.nestedMap(at: index)), child, &references)
            }
        }
    }

    private func check(
        _ handle: MapHandle, _ map: [String: Node], _ references: inout [OracleValue: Int]
    ) throws {
        try #require(try handle.count() == map.count)
        for (name, node) in map {
            try Array(name.utf8).withUnsafeBytes { key in
                switch node {
                case .value(let value):
                    try #require(OracleValue(try #require(try handle.value(forKey: key))) == value)
                    references[value, default: 0] += 1
                case .list(let child):
                    let nested = try #require(try handle.nestedList(forKey: key))
                    try check(nested, child, &references)
                case .map(let child):
                    let nested = try #require(try handle.nestedMap(forKey: key))
                    try check(nested, child, &references)
                }
            }
        }
    }
}
