import Testing
import ToolSupport

@testable import StorageEngine

/// Rows appended to leaves whose texts are on separate pages. A row is appended to all of these
/// pages, or to none if one has no room.
@Suite struct SpilledAppendTests {
    private let directory = TestDirectory()

    /// The texts are so long that a leaf spills both columns before it has 256 rows.
    private struct Row {
        var number: Int64
        var texts: [[UInt8]?]

        init(_ index: Int, _ random: inout SeededGenerator) {
            number = Int64(index)
            texts = (0..<2).map { _ in
                let length =
                    switch random.next(below: 100) {
                    case 0: 5_000
                    case 1: 600
                    default: random.next(below: 40)
                    }
                if random.next(below: 300) == 0 { return nil }
                return (0..<length).map { _ in UInt8(random.next(below: 256)) }
            }
        }
    }

    private func make() throws -> (Connection, Table) {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Note",
                columns: [
                    ColumnDefinition(name: "number", type: .int),
                    ColumnDefinition(name: "first", type: .data, isOptional: true),
                    ColumnDefinition(name: "second", type: .data, isOptional: true),
                ])
        ])
        try connection.commit()
        return (connection, try #require(try connection.table(named: "Note")))
    }

    private func append(_ row: Row, to table: Table) throws -> ObjectKey {
        let texts = row.texts.map { $0 ?? [] }
        return try texts[0].withUnsafeBytes { first in
            try texts[1].withUnsafeBytes { second in
                let scalars: [Scalar] = [
                    .integer(row.number), row.texts[0] == nil ? .null : .bytes(first),
                    row.texts[1] == nil ? .null : .bytes(second),
                ]
                return try scalars.withUnsafeBufferPointer { try table.insert($0) }
            }
        }
    }

    private func check(_ rows: ArraySlice<(ObjectKey, Row)>, in table: Table) throws {
        #expect(try table.count() == rows.endIndex)
        for (key, row) in rows {
            let location = try #require(try table.location(of: key))
            #expect(try table.value(0, at: location).isIdentical(to: .integer(row.number)))
            for (index, text) in row.texts.enumerated() {
                switch try table.value(index + 1, at: location) {
                case .null: #expect(text == nil)
                case .bytes(let bytes): #expect(text.map { bytes.elementsEqual($0) } == true)
                default: Issue.record("not a text")
                }
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func rowsAreInAllColumnsOrInNone(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (connection, table) = try make()
        var committed: [(ObjectKey, Row)] = []
        while committed.count < 6_000 {
            var rows = committed
            try connection.beginWrite()
            for _ in 0..<1 + random.next(below: 200) {
                let row = Row(rows.count, &random)
                rows.append((try append(row, to: table), row))
            }
            if random.next(below: 5) == 0 {
                connection.rollback()
            } else {
                try connection.commit()
                committed = rows
            }
            try check(committed.suffix(300), in: table)
        }
        try check(committed[...], in: table)
        var leavesWithBothSpilled = 0
        try ClusterTree.forEachLeaf(connection.pager, try table.root) { leaf, _ in
            if leaf.isSpilled(1), leaf.isSpilled(2) { leavesWithBothSpilled += 1 }
            return true
        }
        #expect(leavesWithBothSpilled > 3)
        #expect(try connection.verify() == [])
    }

    /// Most rows need no new layout: places of rows and the path stay valid.
    @Test func aRowThatFitsMovesNothing() throws {
        let (connection, table) = try make()
        try connection.beginWrite()
        var random = SeededGenerator(seed: 9)
        var moves = 0
        for index in 0..<2_000 {
            var row = Row(index, &random)
            row.texts = [Array(repeating: 1, count: 20), Array(repeating: 2, count: 20)]
            let stamp = connection.layoutStamp.pointee
            _ = try append(row, to: table)
            if connection.layoutStamp.pointee != stamp { moves += 1 }
        }
        #expect(moves < 100)
        try connection.commit()
        #expect(try connection.verify() == [])
    }
}
