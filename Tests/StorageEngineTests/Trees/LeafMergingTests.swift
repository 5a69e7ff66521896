import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Merging of leaves that have lost most of their rows.
@Suite struct LeafMergingTests {
    private let directory = TestDirectory()

    /// The rows by their keys, as the oracle keeps them.
    private typealias Rows = [Int64: Int]

    private static func text(_ number: Int, width: Int) -> String {
        // Some texts have pages of their own.
        let length = number % 401 == 0 ? 3000 : number % (width + 1)
        return "\(number)" + String(repeating: "x", count: length)
    }

    private func makeTable(_ path: String) throws -> (Connection, Table) {
        let connection = try Connection(Database.open(path: directory.file(path)))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Row",
                columns: [
                    ColumnDefinition(name: "number", type: .int),
                    ColumnDefinition(name: "text", type: .string, isOptional: true),
                    ColumnDefinition(name: "half", type: .double),
                ])
        ])
        return (connection, try #require(try connection.table(named: "Row")))
    }

    private func insert(_ number: Int, _ table: Table, width: Int) throws -> Int64 {
        var text = Self.text(number, width: width)
        return try text.withUTF8 { bytes in
            let values: [Scalar] = [
                .integer(Int64(number) << 30),
                number % 5 == 0 ? .null : .bytes(UnsafeRawBufferPointer(bytes)),
                .double(Double(number) / 2),
            ]
            return try values.withUnsafeBufferPointer { try table.insert($0) }.rawValue
        }
    }

    private func check(_ connection: Connection, _ table: Table, _ rows: Rows, width: Int) throws {
        try #require(try table.count() == rows.count)
        for (position, (key, number)) in rows.sorted(by: { $0.key < $1.key }).enumerated() {
            let location = try table.location(at: position)
            try #require(table.key(at: location).rawValue == key)
            #expect(try table.value(0, at: location).isIdentical(to: .integer(Int64(number) << 30)))
            #expect(try table.value(2, at: location).isIdentical(to: .double(Double(number) / 2)))
            let text = try table.value(1, of: ObjectKey(rawValue: key))
            guard case .bytes(let bytes) = text else {
                #expect(text.isNull && number % 5 == 0)
                continue
            }
            #expect(String(decoding: bytes, as: UTF8.self) == Self.text(number, width: width))
        }
        #expect(try connection.verify() == [])
    }

    /// Rows come and go in several streams, some of them slow, as the readings of sensors do. Of
    /// the old rows, only those of the slow streams remain: a few in each leaf.
    @Test func whatIsLeftOfManyRowsLiesInFewPages() throws {
        let (connection, table) = try makeTable("streams")
        var streams: [[Int64]] = Array(repeating: [], count: 3)
        var rows = Rows()
        for number in 0..<60_000 {
            let stream = number % 40 == 0 ? 2 : number % 4 == 0 ? 1 : 0
            let key = try insert(number, table, width: 8)
            rows[key] = number
            streams[stream].append(key)
            if streams[stream].count > 1000 {
                let oldest = streams[stream].removeFirst()
                rows[oldest] = nil
                try table.delete(ObjectKey(rawValue: oldest))
            }
            if number % 1000 == 999 {
                try connection.commit()
                try connection.beginWrite()
            }
        }
        try connection.commit()
        try check(connection, table, rows, width: 8)
        let path = directory.file("packed")
        try connection.writeCopy(toPath: path)
        let packed = try Connection(Database.open(path: path)).database.statistics().liveBytes
        let live = try connection.database.statistics().liveBytes
        #expect(live <= 3 * packed, "\(live) bytes are live, \(packed) in a packed copy")
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func randomDeletionsLeaveWhatAModelHas(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let width = [8, 60, 300][Int(seed) % 3]
        let (connection, table) = try makeTable("random")
        var rows = Rows()
        for number in 0..<4000 { rows[try insert(number, table, width: width)] = number }
        try connection.commit()
        for round in 0..<12 {
            let before = rows
            let reader = try Connection(connection.database)
            let readerTable = try #require(try reader.table(named: "Row"))
            try connection.beginWrite()
            let share = 10 + random.next(below: 60)
            let chosen = rows.keys.sorted().filter { _ in random.next(below: 100) < share }
            for key in chosen { rows[key] = nil }
            if random.next(below: 2) == 0 {
                try table.delete(chosen.map(ObjectKey.init(rawValue:)))
            } else {
                for key in chosen.shuffled(using: &random) {
                    try table.delete(ObjectKey(rawValue: key))
                }
            }
            for number in 0..<random.next(below: 300) {
                let number = 10_000 * (round + 1) + number
                rows[try insert(number, table, width: width)] = number
            }
            if random.next(below: 4) == 0 {
                connection.rollback()
                rows = before
            } else {
                try connection.commit()
            }
            try check(reader, readerTable, before, width: width)
            try check(connection, table, rows, width: width)
        }
    }

    /// Leaves that were filled before another table could refer to their objects lack a column.
    @Test func leavesOfSeveralAgesAreMerged() throws {
        let (connection, table) = try makeTable("ages")
        var rows = Rows()
        for number in 0..<3000 { rows[try insert(number, table, width: 8)] = number }
        try connection.commit()
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Origin",
                columns: [
                    ColumnDefinition(
                        name: "row", type: .link, isOptional: true, linkTarget: "Row")
                ])
        ])
        let newer = try #require(try connection.table(named: "Row"))
        let origins = try #require(try connection.table(named: "Origin"))
        for number in 3000..<6000 {
            let key = try insert(number, newer, width: 8)
            rows[key] = number
            if number % 500 == 0 {
                try withUnsafePointer(to: Scalar.integer(key)) {
                    _ = try origins.insert(UnsafeBufferPointer(start: $0, count: 1))
                }
            }
        }
        try connection.commit()
        let before = try connection.database.statistics().liveBytes
        try connection.beginWrite()
        for (key, number) in rows where number % 20 != 0 {
            try newer.delete(ObjectKey(rawValue: key))
            rows[key] = nil
        }
        try connection.commit()
        try check(connection, newer, rows, width: 8)
        #expect(try origins.count() == 6)
        #expect(try connection.database.statistics().liveBytes < before / 4)
    }
}
