import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Deleting many objects at once, in tables large enough for trees of several levels.
@Suite struct BulkDeletionTests {
    private let directory = TestDirectory()

    private enum Key: CaseIterable {
        case none, integer, string
    }

    /// The rows as the oracle keeps them. The values of a row follow from its number.
    private struct Rows {
        var numbers: [Int64: Int] = [:]

        static func name(_ number: Int) -> String {
            // Some values have pages of their own; some are too long for a primary key to be stored
            // whole.
            let length = number % 97 == 0 ? 700 : number % 31 == 0 ? 300 : number % 13
            return "\(number)" + String(repeating: "x", count: length)
        }
    }

    private func makeTable(_ key: Key, width: Int) throws -> (Connection, Table) {
        let connection = try Connection(Database.open(path: directory.file("\(key).realm")))
        try connection.beginWrite()
        var columns = [
            ColumnDefinition(name: "number", type: .int, isPrimaryKey: key == .integer),
            ColumnDefinition(name: "name", type: .string, isPrimaryKey: key == .string),
            ColumnDefinition(name: "isOdd", type: .bool, isOptional: true),
            ColumnDefinition(name: "half", type: .double),
        ]
        for extra in 0..<width {
            columns.append(ColumnDefinition(name: "extra\(extra)", type: .string))
        }
        try connection.createTables([TableDefinition(name: "Row", columns: columns)])
        return (connection, try #require(try connection.table(named: "Row")))
    }

    private func insert(_ number: Int, _ table: Table, width: Int) throws -> ObjectKey {
        var name = Rows.name(number)
        return try name.withUTF8 { name in
            var values: [Scalar] = [
                .integer(Int64(number) &* 7 % 10007 &+ Int64(number) &* 10007),
                .bytes(UnsafeRawBufferPointer(name)),
                number % 3 == 0 ? .null : .integer(Int64(number & 1)), .double(Double(number) / 2),
            ]
            for _ in 0..<width { values.append(.bytes(UnsafeRawBufferPointer(name))) }
            return try values.withUnsafeBufferPointer { try table.insert($0) }
        }
    }

    private func check(_ connection: Connection, _ table: Table, _ rows: Rows) throws {
        try #require(try table.count() == rows.numbers.count)
        for (position, key) in rows.numbers.keys.sorted().enumerated() {
            let number = rows.numbers[key]!
            let location = try table.location(at: position)
            #expect(table.key(at: location).rawValue == key)
            guard case .bytes(let bytes) = try table.value(1, at: location) else {
                throw TestFailure("no name")
            }
            #expect(String(decoding: bytes, as: UTF8.self) == Rows.name(number))
            #expect(try table.value(3, at: location).isIdentical(to: .double(Double(number) / 2)))
            #expect(try table.value(2, at: location).isNull == (number % 3 == 0))
        }
        let problems = try connection.verify()
        #expect(problems == [])
    }

    @Test(arguments: [(0, 3000), (6, 900)])
    func whatIsLeftIsWhatWasNotDeleted(width: Int, count: Int) throws {
        for (index, key) in Key.allCases.enumerated() {
            var random = SeededGenerator(seed: UInt64(index + width))
            let (connection, table) = try makeTable(key, width: width)
            var rows = Rows()
            var next = 0
            for share in [50, 3, 97, 100, 30] {
                for _ in 0..<count / (share == 50 ? 1 : 3) {
                    rows.numbers[try insert(next, table, width: width).rawValue] = next
                    next += 1
                }
                try connection.commit()
                try connection.beginWrite()
                let chosen = rows.numbers.keys.sorted().filter { _ in
                    random.next(below: 100) < share
                }
                for key in chosen { rows.numbers[key] = nil }
                try table.delete(chosen.shuffled(using: &random).map(ObjectKey.init(rawValue:)))
                try connection.commit()
                try check(connection, table, rows)
                try connection.beginWrite()
            }
            // Deletes from leaves that were changed already, and then rolls back.
            let kept = rows
            try table.delete(rows.numbers.keys.map(ObjectKey.init(rawValue:)))
            #expect(try table.count() == 0)
            connection.rollback()
            try check(connection, table, kept)
        }
    }

    @Test func deletingAllLeavesNoPagesBehindAndKeysAreNotReused() throws {
        let (connection, table) = try makeTable(.string, width: 6)
        try connection.commit()
        let empty = try connection.database.statistics().liveBytes
        try connection.beginWrite()
        for number in 0..<2000 { _ = try insert(number, table, width: 6) }
        try connection.commit()
        try connection.beginWrite()
        _ = try insert(2000, table, width: 6)
        try table.deleteAll()
        try connection.commit()
        #expect(try table.count() == 0)
        #expect(try connection.verify() == [])
        #expect(try connection.database.statistics().liveBytes <= empty + 8192)
        try connection.beginWrite()
        #expect(try insert(5, table, width: 6).rawValue == 2001)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    /// Leaves that lose rows at either end stay dense. Gaps in full leaves need room for keys.
    @Test func rangesAndSingleRowsOfFullLeaves() throws {
        let (connection, table) = try makeTable(.integer, width: 0)
        var rows = Rows()
        for number in 0..<4000 {
            rows.numbers[try insert(number, table, width: 0).rawValue] = number
        }
        try connection.commit()
        for range in [0..<10, 1500..<2500, 3990..<4000] {
            try connection.beginWrite()
            try table.delete(range.map { ObjectKey(rawValue: Int64($0)) })
            try connection.commit()
            for key in range { rows.numbers[Int64(key)] = nil }
            try check(connection, table, rows)
        }
        for step in [401, 53] {
            try connection.beginWrite()
            let chosen = stride(from: 20, to: 4000, by: step).map(Int64.init)
            try table.delete(chosen.map(ObjectKey.init(rawValue:)))
            try connection.commit()
            for key in chosen { rows.numbers[key] = nil }
            try check(connection, table, rows)
        }
    }

    /// Links to the object with key 0, in leaves in which every link is set.
    @Test func linksToTheFirstObjectAreLinks() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Target", columns: [ColumnDefinition(name: "x", type: .int)]),
            TableDefinition(
                name: "Origin",
                columns: [
                    ColumnDefinition(
                        name: "to", type: .link, isOptional: true, linkTarget: "Target")
                ]),
        ])
        let targets = try #require(try connection.table(named: "Target"))
        let origins = try #require(try connection.table(named: "Origin"))
        func insert(_ table: Table, _ value: Scalar) throws -> ObjectKey {
            try withUnsafePointer(to: value) {
                try table.insert(UnsafeBufferPointer(start: $0, count: 1))
            }
        }
        for number: Int64 in [0, 1, 2] { _ = try insert(targets, .integer(number)) }
        for _ in 0..<10 { _ = try insert(origins, .integer(0)) }
        try connection.commit()
        try connection.beginWrite()
        try origins.delete((0..<5).map { ObjectKey(rawValue: $0) })
        try connection.commit()
        #expect(try targets.backlinkCount(of: ObjectKey(rawValue: 0)) == 5)
        #expect(try connection.verify() == [])
        try connection.beginWrite()
        try targets.deleteAll()
        try connection.commit()
        #expect(try origins.value(0, of: ObjectKey(rawValue: 7)).isNull)
        #expect(try connection.verify() == [])
    }
}
