import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Objects visited in any order, compared with looking up each of them.
@Suite struct RowLookaheadTests {
    private let directory = TestDirectory()

    /// The table has more columns than the lookahead handles, and texts that leaves spill or that
    /// are too long for them.
    private static let definition = TableDefinition(
        name: "Row",
        columns: (0..<10).map { column in
            ColumnDefinition(
                name: "c\(column)", type: column % 2 == 0 ? .int : .string, isOptional: true)
        })

    private func fill(
        _ connection: Connection, _ random: inout SeededGenerator
    ) throws -> (Table, [ObjectKey]) {
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Row"))
        var keys: [ObjectKey] = []
        for _ in 0..<3_000 {
            let values = (0..<10).map { column -> OracleValue in
                if random.next(below: 6) == 0 { return .null }
                if column % 2 == 0 { return .integer(Int64(random.next(below: 1 << 20))) }
                let length = random.next(below: 300) == 0 ? 2_000 : random.next(below: 20)
                return .bytes([UInt8](repeating: UInt8(65 + column), count: length))
            }
            keys.append(try table.insert(owned: values))
        }
        for key in keys where random.next(below: 5) == 0 { try table.delete(key) }
        return (table, keys)
    }

    private func isSame(_ location: RowLocation, _ other: RowLocation?) -> Bool {
        location.leaf.base == other?.leaf.base && location.row == other?.row
    }

    private func check(_ table: Table, _ keys: [ObjectKey], stoppingAfter limit: Int) throws {
        var visited: [ObjectKey] = []
        try table.forEachRow(of: keys) { key, location throws(StorageError) in
            let found = try table.location(of: key)
            var isRight = isSame(location, found)
            for column in 0..<10 where isRight {
                let value = try OracleValue(table.value(column, at: location))
                isRight = try value == OracleValue(table.value(column, of: key))
            }
            #expect(isRight, "the object \(key)")
            visited.append(key)
            return isRight && visited.count < limit
        }
        let expected = try keys.filter { try table.contains($0) }.prefix(limit)
        #expect(visited == Array(expected))
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>, [false, true])
    func objectsAreVisitedInTheOrderGiven(seed: UInt64, isEncrypted: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let key = isEncrypted ? [UInt8](repeating: 7, count: 64) : nil
        let connection = try Connection(
            Database.open(path: directory.file(), options: .init(encryptionKey: key)))
        let (table, keys) = try fill(connection, &random)
        let unknown = [ObjectKey(rawValue: -1), ObjectKey(rawValue: .max)]
        let orders = [
            keys, keys.reversed(), keys.shuffled(using: &random),
            // This order has duplicates and unknown keys.
            (0..<500).map { _ in keys[random.next(below: keys.count)] } + unknown,
            (unknown + keys.prefix(3)).shuffled(using: &random), [],
        ]
        // There is no lookahead in the transaction that inserted the objects.
        try check(table, orders[2], stoppingAfter: 100)
        try connection.commit()
        for order in orders {
            for limit in [Int.max, 1, 40] { try check(table, order, stoppingAfter: limit) }
        }
    }

    @Test func whatIsFoundOtherwiseIsPassedOver() throws {
        var random = SeededGenerator(seed: 7)
        let connection = try Connection(Database.open(path: directory.file()))
        let (table, all) = try fill(connection, &random)
        try connection.commit()
        let keys = try all.filter { try table.contains($0) }.shuffled(using: &random)
        let lookahead = try #require(try RowLookahead(table, from: 5))
        var position = 5
        while position < keys.count {
            lookahead.skip(to: position)
            let end = min(position + RowLookahead.distance, keys.count)
            while lookahead.end < end { lookahead.add(keys[lookahead.end]) }
            let location = try #require(lookahead.location(at: position))
            try #require(isSame(location, try table.location(of: keys[position])))
            position += [1, 1, 1, 3, 13, 24, 100][random.next(below: 7)]
        }
    }

    /// The map of the leaves is complete when the damaged one is read.
    @Test func aDamagedLeafIsAnErrorOnlyForItsObjects() throws {
        var random = SeededGenerator(seed: 8)
        let path = directory.file()
        let (keys, lost, page) = try {
            let connection = try Connection(Database.open(path: path))
            let (table, all) = try fill(connection, &random)
            try connection.commit()
            let keys = try all.filter { try table.contains($0) }
            let root = try connection.pager.root(of: table.root, ClusterShape())
            let map = try #require(LeafMap(connection.pager, root: root))
            defer { map.deallocate() }
            let position = map.position(of: keys[keys.count / 2])
            let lost = Set(keys.filter { map.position(of: $0) == position })
            return (keys, lost, map.reference(position).page)
        }()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: page * 4096 + 100)
        try file.write(contentsOf: [0xAA, 0x55, 0xAA, 0x55])
        try file.close()
        let connection = try Connection(Database.open(path: path))
        let table = try #require(try connection.table(named: "Row"))
        let whole = keys.filter { !lost.contains($0) }.shuffled(using: &random)
        try check(table, whole, stoppingAfter: .max)
        let error = #expect(throws: StorageError.self) {
            try table.forEachRow(of: whole + keys) { _, _ in true }
        }
        #expect(error?.code == .damaged && error?.page == page)
    }
}
