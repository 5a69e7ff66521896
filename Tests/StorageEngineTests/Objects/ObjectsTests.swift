import Foundation
import Testing

@testable import StorageEngine

/// Single cases of tables and connections that random operations reach too rarely.
@Suite struct ObjectsTests {
    private let directory = TestDirectory()

    private func open(_ definitions: [TableDefinition]) throws -> Connection {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables(definitions)
        return connection
    }

    private func insert(_ table: Table, _ values: [Scalar]) throws -> ObjectKey {
        try values.withUnsafeBufferPointer { try table.insert($0) }
    }

    private func withBytes<R>(_ text: String, _ body: (Scalar) throws -> R) rethrows -> R {
        var text = text
        return try text.withUTF8 { try body(.bytes(UnsafeRawBufferPointer($0))) }
    }

    private func string(_ scalar: Scalar) -> String? {
        if case .bytes(let bytes) = scalar { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    private func code(_ body: () throws -> Void) -> StorageError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    private static let plain = TableDefinition(
        name: "A", columns: [ColumnDefinition(name: "x", type: .int)])

    @Test func severalSchemaChangesInOneTransactionAllCount() throws {
        var connection: Connection? = try open([Self.plain])
        try connection!.setSchemaVersion(7)
        try connection!.createTables([TableDefinition(name: "B", columns: [])])
        #expect(try connection!.schemaVersion() == 7)
        #expect(try connection!.table(named: "B") != nil)
        try connection!.commit()
        connection = nil
        let reopened = try Connection(Database.open(path: directory.file()))
        #expect(try reopened.schemaVersion() == 7)
        #expect(try reopened.tableDefinitions().map(\.name) == ["A", "B"])
    }

    @Test(arguments: [1, -1] as [Int64])
    func primaryKeysAreFoundInWhateverOrderTheyCame(sign: Int64) throws {
        let connection = try open([
            TableDefinition(
                name: "A", columns: [ColumnDefinition(name: "id", type: .int, isPrimaryKey: true)])
        ])
        let table = try #require(try connection.table(named: "A"))
        for id in 0..<6000 { _ = try insert(table, [.integer(sign * Int64(id) * 7)]) }
        for id in 0..<6000 {
            #expect(try table.find(primaryKey: .integer(sign * Int64(id) * 7)) != nil)
            #expect(try table.find(primaryKey: .integer(sign * Int64(id) * 7 + 1)) == nil)
        }
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func keysSurviveAColumnThatAnotherTableAdds() throws {
        let connection = try open([Self.plain])
        let table = try #require(try connection.table(named: "A"))
        for x in 0..<10 { _ = try insert(table, [.integer(Int64(x))]) }
        try table.delete(ObjectKey(rawValue: 4))
        try connection.commit()
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "B", columns: [ColumnDefinition(name: "a", type: .link, linkTarget: "A")])
        ])
        let added = try insert(table, [.integer(10)])
        #expect(added.rawValue == 10)
        #expect(
            try (0..<10).map { try table.key(at: $0).rawValue } == [0, 1, 2, 3, 5, 6, 7, 8, 9, 10])
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func oldLeavesGrowWithTheColumnsThatManyLinksAdd() throws {
        let connection = try open([Self.plain])
        let table = try #require(try connection.table(named: "A"))
        let key = try insert(table, [.integer(1)])
        try connection.commit()
        try connection.beginWrite()
        let definitions = (0..<11).map { origin in
            TableDefinition(
                name: "O\(origin)",
                columns: (0..<10).map {
                    ColumnDefinition(name: "link\($0)", type: .link, linkTarget: "A")
                })
        }
        try connection.createTables(definitions)
        for definition in definitions {
            let origin = try #require(try connection.table(named: definition.name))
            _ = try insert(origin, Array(repeating: .integer(key.rawValue), count: 10))
        }
        for x in 2..<400 { _ = try insert(table, [.integer(Int64(x))]) }
        try connection.commit()
        #expect(try connection.verify() == [])
        try connection.beginWrite()
        try table.delete(key)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test(arguments: [(10, 500), (50, 48), (200, 12), (90, 512)])
    func firstRowsWiderThanALeafAreStored(columns: Int, length: Int) throws {
        let connection = try open([
            TableDefinition(
                name: "A",
                columns: (0..<columns).map { ColumnDefinition(name: "s\($0)", type: .string) })
        ])
        let table = try #require(try connection.table(named: "A"))
        let text = String(repeating: "v", count: length)
        for row in 0..<5 {
            try withBytes(text) { value in
                let key = try insert(
                    table, row % 2 == 0 ? Array(repeating: value, count: columns) : [])
                if row % 2 == 1 {
                    for column in 0..<columns { try table.set(column, of: key, to: value) }
                }
            }
        }
        try connection.commit()
        #expect(try connection.verify() == [])
        for row in 0..<5 {
            for column in 0..<columns {
                let value = try table.value(column, of: ObjectKey(rawValue: Int64(row)))
                #expect(string(value) == text)
            }
        }
    }

    @Test func refusedChangesChangeNothing() throws {
        let connection = try open([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                    ColumnDefinition(name: "text", type: .string),
                    ColumnDefinition(name: "next", type: .link, linkTarget: "A"),
                    ColumnDefinition(name: "all", type: .link, collection: .list, linkTarget: "A"),
                ])
        ])
        let table = try #require(try connection.table(named: "A"))
        let long = String(repeating: "long", count: 2000)
        let key = try withBytes(long) { try insert(table, [.integer(1), $0, .null, .null]) }
        try table.set(2, of: key, to: .integer(0))
        let tooLong = String(repeating: "x", count: Pager.maximumValueBytes + 1)
        #expect(
            code { try withBytes(tooLong) { try table.set(1, of: key, to: $0) } } == .valueTooLarge)
        #expect(code { try table.set(0, of: key, to: .null) } == .invalidArgument)
        #expect(
            code { try withBytes("1") { try table.set(0, of: key, to: $0) } } == .invalidArgument)
        #expect(code { try table.set(2, of: key, to: .integer(99)) } == .invalidArgument)
        #expect(code { try table.set(3, of: key, to: .null) } == .invalidArgument)
        #expect(
            code { try table.set(0, of: ObjectKey(rawValue: 9), to: .integer(3)) }
                == .invalidArgument)
        #expect(code { try table.list(3, of: key).insert(.integer(99), at: 0) } == .invalidArgument)
        #expect(code { try table.list(3, of: key).insert(.null, at: 0) } == .invalidArgument)
        #expect(
            code { _ = try withBytes("") { try insert(table, [.integer(2), $0, .integer(99)]) } }
                == .invalidArgument)
        #expect(
            code { _ = try withBytes("") { try insert(table, [.integer(1), $0]) } } == .duplicateKey
        )
        try connection.commit()
        #expect(try connection.verify() == [])
        #expect(try table.count() == 1)
        #expect(string(try table.value(1, of: key)) == long)
        #expect(try table.find(primaryKey: .integer(1)) == key)
    }

    @Test(arguments: [5, 400, 5000])
    func valuesMayBeSetFromTheirOwnOldSelves(length: Int) throws {
        let connection = try open([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "text", type: .string),
                    ColumnDefinition(name: "texts", type: .string, collection: .list),
                ])
        ])
        let table = try #require(try connection.table(named: "A"))
        let text = String((0..<length).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        let key = try withBytes(text) { try insert(table, [$0]) }
        let list = table.list(1, of: key)
        try withBytes(text) { try list.insert($0, at: 0) }
        for _ in 0..<3 {
            try table.set(0, of: key, to: try table.value(0, of: key))
            try list.set(try list.value(at: 0), at: 0)
            try list.insert(try list.value(at: 0), at: 0)
            let copy = try insert(table, [try table.value(0, of: key)])
            #expect(string(try table.value(0, of: copy)) == text)
        }
        #expect(string(try table.value(0, of: key)) == text)
        for index in 0..<4 { #expect(string(try list.value(at: index)) == text) }
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func verificationLeavesTheConnectionAtOneVersion() throws {
        let connection = try open([Self.plain])
        try connection.commit()
        let other = try Connection(connection.database)
        try other.beginWrite()
        _ = try insert(try #require(try other.table(named: "A")), [.integer(1)])
        try other.commit()
        #expect(try connection.verify() == [])
        let table = try #require(try connection.table(named: "A"))
        #expect(try table.count() == (connection.version == other.version ? 1 : 0))
        _ = try connection.refresh()
        #expect(try table.count() == 1)
    }

    @Test func writingStartsAgainAfterReadingEnded() throws {
        let connection = try open([Self.plain])
        try connection.commit()
        connection.endRead()
        try connection.beginWrite()
        let table = try #require(try connection.table(named: "A"))
        _ = try insert(table, [.integer(3)])
        try connection.commit()
        #expect(try table.count() == 1)
    }
}
