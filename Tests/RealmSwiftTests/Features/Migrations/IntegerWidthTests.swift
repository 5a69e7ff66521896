import Foundation
import RealmSwift
import StorageEngine
import Testing

private enum WideIntegers {
    class Item: Object {
        @Persisted var number: Int
        @Persisted var numbers: List<Int32>
        @Persisted var maybe: Int?
        override class func className() -> String { "Item" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum NarrowIntegers {
    class Item: Object {
        @Persisted var number: Int8
        @Persisted var numbers: List<Int16>
        @Persisted var maybe: Int16?
        override class func className() -> String { "Item" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// A smaller type of integers could not hold what is stored, so it is another type.
@Suite struct IntegerWidthTests {
    private let file = MigratedFile()

    @Test func aSmallerTypeNeedsAMigration() throws {
        try file.write([WideIntegers.Item.self]) {
            $0.add(WideIntegers.Item(value: ["number": 300]))
        }
        let text = message { _ = try file.opened([NarrowIntegers.Item.self]) }
        #expect(
            text == "Migration is required due to the following errors:\n"
                + "- Property 'Item.number' has been changed from 'int' to 'int8'.\n"
                + "- Property 'Item.numbers' has been changed from 'array<int32>' to "
                + "'array<int16>'.\n"
                + "- Property 'Item.maybe' has been changed from 'int?' to 'int16?'.")
        let realm = try file.opened([NarrowIntegers.Item.self], version: 1) { migration, _ in
            migration.enumerateObjects(ofType: "Item") { old, new in
                new!["number"] = min((old!["number"] as! Int), 127)
            }
        }
        #expect(realm.objects(NarrowIntegers.Item.self).map(\.number) == [127])
    }

    @Test func aLargerTypeNeedsNone() throws {
        try file.write([NarrowIntegers.Item.self]) {
            $0.add(NarrowIntegers.Item(value: ["number": -5, "numbers": [1, 2], "maybe": 7]))
        }
        do {
            let realm = try file.opened([WideIntegers.Item.self])
            #expect(realm.objects(WideIntegers.Item.self).map(\.number) == [-5])
            try realm.write { realm.objects(WideIntegers.Item.self).first?.number = 1 << 40 }
        }
        #expect(throws: Realm.Error(.schemaMismatch)) {
            try file.opened([NarrowIntegers.Item.self])
        }
    }

    /// Files of earlier versions do not record widths.
    @Test(arguments: [127, 128, -128, -129]) func valuesDecideWhereNoWidthIsRecorded(
        number: Int64
    ) throws {
        do {
            let connection = try Connection(Database.open(path: file.url.path))
            try connection.beginWrite()
            try connection.createTables([
                TableDefinition(
                    name: "Item",
                    columns: [
                        ColumnDefinition(name: "number", type: .int),
                        ColumnDefinition(name: "numbers", type: .int, collection: .list),
                        ColumnDefinition(name: "maybe", type: .int, isOptional: true),
                    ])
            ])
            let table = try #require(try connection.table(named: "Item"))
            let row: [Scalar] = [.integer(number), .null, .null]
            let key = try row.withUnsafeBufferPointer { try table.insert($0) }
            try table.list(1, of: key).insert(.integer(-5), at: 0)
            try connection.setSchemaVersion(0)
            try connection.commit()
        }
        guard Int8(exactly: number) != nil else {
            #expect(throws: Realm.Error(.schemaMismatch)) {
                try file.opened([NarrowIntegers.Item.self])
            }
            return
        }
        do {
            let realm = try file.opened([NarrowIntegers.Item.self])
            #expect(realm.objects(NarrowIntegers.Item.self).map { Int64($0.number) } == [number])
        }
        // From now on it is recorded.
        let connection = try Connection(Database.open(path: file.url.path))
        #expect(try connection.tableDefinitions()[0].columns.map(\.integerBits) == [8, 16, 16])
    }
}
