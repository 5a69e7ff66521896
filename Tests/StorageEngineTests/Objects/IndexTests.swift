import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Filling, adding and removing indexes.
@Suite struct IndexTests {
    private let directory = TestDirectory()

    private func open(_ columns: [ColumnDefinition]) throws -> (Connection, Table) {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([TableDefinition(name: "A", columns: columns)])
        try connection.commit()
        return (connection, try #require(try connection.table(named: "A")))
    }

    private func count(_ index: ColumnIndex, _ comparison: Comparison, _ value: Int64) throws -> Int
    {
        try #require(try index.positions(where: .compare(comparison, .integer(value)))).count
    }

    // MARK: Bulk

    @Test func aHundredThousandOfOneValueAreCountedAndPacked() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "flag", type: .bool, isOptional: true, isIndexed: true)
        ])
        let before = try connection.database.statistics().liveBytes
        for batch in 0..<30 {
            try connection.beginWrite()
            for number in batch * 10_000..<(batch + 1) * 10_000 {
                let value: OwnedValue = number % 3 == 0 ? .null : .integer(Int64(number % 3 - 1))
                _ = try table.insert([value])
            }
            try connection.commit()
        }
        let index = try #require(table.index(of: 0))
        #expect(try index.positions(where: .isNull) == 0..<100_000)
        #expect(try count(index, .equal, 0) == 100_000)
        #expect(try count(index, .equal, 1) == 100_000)
        #expect(try index.key(at: 100_000).rawValue == 1)
        #expect(try index.key(at: 299_999).rawValue == 299_999)
        #expect(try connection.verify() == [])
        // Adjacent keys differ by 3, so each takes 2 bytes, in leaves that are nearly full.
        let perEntry = Double(try connection.database.statistics().liveBytes - before) / 300_000
        #expect(perEntry < 5, "\(perEntry) bytes an object")
        try connection.beginWrite()
        for key in stride(from: Int64(0), to: 300_000, by: 1000) {
            try table.set(0, of: ObjectKey(rawValue: key), to: .integer(1))
        }
        try connection.commit()
        #expect(try count(index, .equal, 1) == 100_000 + 200)
        #expect(try index.positions(where: .isNull) == 0..<99_900)
        #expect(try connection.verify() == [])
    }

    @Test func aTransactionOfManyBatchesReadsItsOwnIndex() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "name", type: .string, isIndexed: true)
        ])
        var random = SeededGenerator(seed: 5)
        let beginning = String(repeating: "n", count: 200)
        // The bytes exceed those that are gathered before the index is updated.
        let count = ColumnIndex.maximumPendingBytes / 200 + 1000
        var names: [String] = []
        try connection.beginWrite()
        for _ in 0..<count {
            names.append(beginning + "\(random.next(below: 1 << 40))")
            _ = try table.insert([.text(names[names.count - 1])])
        }
        let index = try #require(table.index(of: 0))
        let sorted = names.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
        for position in stride(from: 0, to: count, by: 997) {
            #expect(try index.key(at: position).rawValue == Int64(sorted[position].offset))
        }
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func manySmallTransactionsLeaveFullLeaves() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "age", type: .int, isIndexed: true)
        ])
        let before = try connection.database.statistics().liveBytes
        for batch in 0..<60 {
            try connection.beginWrite()
            for number in 0..<1000 {
                _ = try table.insert([.integer(Int64((batch * 1000 + number) * 7919 % 10))])
            }
            try connection.commit()
        }
        let index = try #require(table.index(of: 0))
        #expect(try count(index, .less, 3) == 18_000)
        let perObject = Double(try connection.database.statistics().liveBytes - before) / 60_000
        #expect(perObject < 5.5, "\(perObject) bytes an object")
        #expect(try connection.verify() == [])
    }

    // MARK: A few neighbours

    /// A walk in one descent finds the same objects as positions do: for values with few and many
    /// objects, truncated strings, empty ranges, and every limit.
    @Test func neighboursAreThoseOfThePositions() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "number", type: .int, isOptional: true, isIndexed: true),
            ColumnDefinition(name: "name", type: .string, isOptional: true, isIndexed: true),
        ])
        var random = SeededGenerator(seed: 7)
        let long = String(repeating: "m", count: 256)
        let names = ["", "a", "b", "m", long, long + "a", long + "b", String(long.dropLast()), "z"]
        try connection.beginWrite()
        for _ in 0..<6_000 {
            // Some numbers have hundreds of objects, in several leaves, and some have one.
            let number = random.next(below: random.next(below: 2) == 0 ? 9 : 9_000)
            let name = names[random.next(below: names.count)]
            _ = try table.insert([
                random.next(below: 9) == 0 ? .null : .integer(Int64(number)),
                random.next(below: 9) == 0 ? .null : .text(name),
            ])
        }
        let numbers = try #require(table.index(of: 0))
        let texts = try #require(table.index(of: 1))
        func check(_ index: ColumnIndex, _ test: ColumnTest) throws {
            var expected: [ObjectKey] = []
            let positions = try #require(try index.positions(where: test))
            try index.forEachKey(in: positions) {
                expected.append($0)
                return true
            }
            let count = positions.count
            for limit in Set([0, 1, 255, 256, 257, max(0, count - 1), count, count + 1, .max]) {
                var keys = [ObjectKey(rawValue: -1)]
                let isComplete = try index.append(where: test, to: &keys, atMost: limit)
                #expect(isComplete == (count <= limit), "\(test), limit \(limit)")
                #expect(Set(keys.dropFirst()) == Set(isComplete ? expected : []), "\(test)")
                #expect(keys.count == (isComplete ? count : 0) + 1 && keys[0].rawValue == -1)
            }
        }
        for _ in 0..<200 {
            let low = Int64(random.next(below: 12)) - 1
            let high = Int64(random.next(below: random.next(below: 2) == 0 ? 12 : 9_000)) - 1
            try check(numbers, .compare(.equal, .integer(low)))
            try check(numbers, .between(.integer(low), .integer(high)))
            try check(numbers, .range(from: .integer(low), upTo: .integer(high)))
        }
        try check(numbers, .compare(.equal, .null))
        try check(numbers, .between(.integer(.min), .integer(.max)))
        for low in names + ["mm", long + "aa"] {
            for high in names + ["mm"] {
                try Array(low.utf8).withUnsafeBytes { low in
                    try Array(high.utf8).withUnsafeBytes { high in
                        try check(texts, .compare(.equal, .bytes(low)))
                        try check(texts, .between(.bytes(low), .bytes(high)))
                        try check(texts, .range(from: .bytes(low), upTo: .bytes(high)))
                    }
                }
            }
        }
        connection.rollback()
    }

    // MARK: Adding and removing

    @Test func indexesComeAndGoWithoutLeavingPagesOrNumbersBehind() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "number", type: .int, isOptional: true),
            ColumnDefinition(name: "name", type: .string),
        ])
        try connection.beginWrite()
        for number in 0..<5000 {
            let value: OwnedValue = number % 10 == 0 ? .null : .integer(Int64(number % 77))
            _ = try table.insert([value, .text("name \(number % 500)")])
        }
        try connection.commit()
        let before = try connection.database.statistics().liveBytes
        let trees = connection.schema.nextTreeID
        for _ in 0..<20 {
            try connection.beginWrite()
            try connection.setIndexed(true, 0, of: table)
            try connection.setIndexed(true, 1, of: table)
            try connection.setIndexed(true, 1, of: table)
            try connection.commit()
            let index = try #require(table.index(of: 0))
            #expect(try index.positions(where: .isNull) == 0..<500)
            #expect(try connection.verify() == [])
            #expect(table.definition.columns.map(\.isIndexed) == [true, true])
            try connection.beginWrite()
            try connection.setIndexed(false, 0, of: table)
            try connection.setIndexed(false, 1, of: table)
            try connection.commit()
            #expect(table.index(of: 0) == nil)
            #expect(try connection.verify() == [])
        }
        #expect(connection.schema.nextTreeID == trees + 3)
        #expect(try connection.database.statistics().liveBytes <= before + 8192)
    }

    @Test func otherConnectionsKeepUpAnIndexThatTheyFind() throws {
        let (connection, table) = try open([ColumnDefinition(name: "number", type: .int)])
        let other = try Connection(connection.database)
        let theirs = try #require(try other.table(named: "A"))
        try connection.beginWrite()
        for number in 0..<100 { _ = try table.insert([.integer(Int64(number))]) }
        try connection.setIndexed(true, 0, of: table)
        try connection.commit()
        #expect(theirs.index(of: 0) == nil)
        try other.beginWrite()
        try theirs.set(0, of: ObjectKey(rawValue: 3), to: .integer(500))
        try theirs.delete(ObjectKey(rawValue: 4))
        try other.commit()
        #expect(try theirs.index(of: 0)?.key(at: 98).rawValue == 3)
        try connection.refresh()
        #expect(try table.index(of: 0)?.count() == 99)
        #expect(try connection.verify() == [])
    }

    @Test func aRolledBackIndexIsGone() throws {
        let (connection, table) = try open([ColumnDefinition(name: "number", type: .int)])
        try connection.beginWrite()
        _ = try table.insert([.integer(4)])
        try connection.setIndexed(true, 0, of: table)
        _ = try table.insert([.integer(3)])
        #expect(try table.index(of: 0)?.key(at: 0).rawValue == 1)
        connection.rollback()
        #expect(table.index(of: 0) == nil)
        try connection.beginWrite()
        _ = try table.insert([.integer(3)])
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func whatCannotBeIndexedIsRefused() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        for type in [ValueType.float, .double, .data, .decimal128, .mixed] {
            let column = ColumnDefinition(name: "x", type: type, isIndexed: true)
            #expect {
                try connection.createTables([TableDefinition(name: "\(type)", columns: [column])])
            } throws: {
                "\($0)".contains("'\(type).x' cannot be indexed")
            }
        }
        let list = ColumnDefinition(name: "x", type: .int, collection: .list, isIndexed: true)
        #expect(throws: StorageError.self) {
            try connection.createTables([TableDefinition(name: "B", columns: [list])])
        }
        let key = ColumnDefinition(name: "x", type: .int, isPrimaryKey: true, isIndexed: true)
        try connection.createTables([TableDefinition(name: "C", columns: [key])])
        let table = try #require(try connection.table(named: "C"))
        #expect(table.index(of: 0) == nil)
        #expect(throws: StorageError.self) { try connection.setIndexed(true, 0, of: table) }
        connection.rollback()
    }

    @Test func testsOfAnotherTypeAreRefusedAndScatteredOnesHaveNoPositions() throws {
        let (_, table) = try open([
            ColumnDefinition(name: "number", type: .int, isIndexed: true),
            ColumnDefinition(name: "name", type: .string, isIndexed: true),
        ])
        let numbers = try #require(table.index(of: 0))
        let names = try #require(table.index(of: 1))
        #expect(throws: StorageError.self) {
            try numbers.positions(where: .compare(.equal, .double(1)))
        }
        #expect(throws: StorageError.self) {
            try names.positions(where: .compare(.less, .integer(1)))
        }
        #expect(try numbers.positions(where: .compare(.notEqual, .integer(1))) == nil)
        try Array("x".utf8).withUnsafeBytes { (bytes) throws -> Void in
            #expect(try names.positions(where: .hasSuffix(bytes)) == nil)
            #expect(try names.positions(where: .contains(bytes)) == nil)
            #expect(throws: StorageError.self) {
                try numbers.positions(where: .hasPrefix(bytes))
            }
        }
    }

    // MARK: Beside others

    @Test func changesOfIndexedPropertiesAreRecorded() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "number", type: .int, isIndexed: true)
        ])
        try connection.beginWrite()
        let key = try table.insert([.integer(4)])
        try connection.commit()
        let observation = try connection.observeChanges()
        try connection.beginWrite()
        try table.set(0, of: key, to: .integer(5))
        try connection.commit()
        let changes = try observation.changes()
        let modifications = try #require(changes[table: table.number]?.modifications)
        #expect(modifications.objects.map(\.key) == [key])
        #expect(try connection.verify() == [])
    }

    @Test func verificationComparesIndexAndObjectsBothWays() throws {
        let (connection, table) = try open([
            ColumnDefinition(name: "number", type: .int, isOptional: true, isIndexed: true)
        ])
        try connection.beginWrite()
        for number in 0..<100 { _ = try table.insert([.integer(Int64(number))]) }
        try connection.commit()
        let index = try #require(table.index(of: 0))
        /// Changes the index without its table, and returns the problems that are found.
        func problems(_ number: Int64, _ key: Int64, isRemoval: Bool) throws -> [String] {
            try connection.beginWrite()
            defer { connection.rollback() }
            try index.note(.integer(number), ObjectKey(rawValue: key), isRemoval: isRemoval)
            return try connection.verify()
        }
        #expect(
            try problems(5, 5, isRemoval: true)
                == ["The index of 'A.number' has 99 entries for 100 objects."])
        #expect(try problems(6, 5, isRemoval: false).count == 2)
        #expect(try problems(1, 100, isRemoval: false).count == 2)
        #expect(try connection.verify() == [])
    }

    /// Files that were written before indexes existed mark a property as indexed, but have no
    /// index.
    @Test func aRecordedWishIsNoIndex() throws {
        var schema = StoredSchema()
        try schema.add([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "id", type: .int, isPrimaryKey: true, isIndexed: true),
                    ColumnDefinition(name: "number", type: .int, isIndexed: true),
                ])
        ])
        func decode(_ schema: StoredSchema) throws -> StoredTable {
            try schema.encoded().withUnsafeBytes { bytes in
                try #require(StoredSchema(decoding: bytes)).tables[0]
            }
        }
        #expect(try decode(schema) == schema.tables[0])
        schema.tables[0].columns[1].index = nil
        let decoded = try decode(schema)
        #expect(decoded.definition.columns.map(\.isIndexed) == [true, false])
    }
}
