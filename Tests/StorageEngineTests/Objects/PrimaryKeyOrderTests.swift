import Testing
import ToolSupport

@testable import StorageEngine

/// Objects in the order of their primary keys, compared with a sorted array.
@Suite struct PrimaryKeyOrderTests {
    private let directory = TestDirectory()

    private func makeTable(_ type: ValueType, isOptional: Bool = false) throws
        -> (connection: Connection, table: Table)
    {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(
                        name: "id", type: type, isOptional: isOptional, isPrimaryKey: true)
                ])
        ])
        return (connection, try #require(try connection.table(named: "A")))
    }

    private func insert(_ value: Scalar, into table: Table) throws {
        _ = try withUnsafePointer(to: value) {
            try table.insert(UnsafeBufferPointer(start: $0, count: 1))
        }
    }

    private func withScalar<R>(_ bytes: [UInt8], _ body: (Scalar) throws -> R) rethrows -> R {
        try bytes.withUnsafeBytes { try body(.bytes($0)) }
    }

    private func keys(_ table: Table, from start: Scalar? = nil, limit: Int = .max) throws
        -> [[UInt8]]
    {
        var found: [[UInt8]] = []
        try table.forEachInPrimaryKeyOrder(from: start) { key throws(StorageError) in
            guard case .bytes(let bytes) = try table.value(0, of: key) else {
                Issue.record("The key is not of bytes.")
                return false
            }
            found.append(Array(bytes))
            return found.count < limit
        }
        return found
    }

    @Test func integersAscendAndDeletedOnesAreLeftOut() throws {
        let (connection, table) = try makeTable(.int)
        var random = SeededGenerator(seed: 4)
        var model: Set<Int64> = []
        while model.count < 3000 {
            let id = Int64(random.next(below: 100_000)) - 50_000
            if model.insert(id).inserted { try insert(.integer(id), into: table) }
        }
        for id in Array(model.sorted().prefix(200)) {
            try table.delete(try #require(try table.find(primaryKey: .integer(id))))
            model.remove(id)
        }
        for start in [nil, -50_000, 0, 17, 49_999, 60_000] as [Int64?] {
            var found: [Int64] = []
            try table.forEachInPrimaryKeyOrder(from: start.map { .integer($0) }) {
                key throws(StorageError) in
                guard case .integer(let id) = try table.value(0, of: key) else { return false }
                found.append(id)
                return true
            }
            #expect(found == model.sorted().filter { $0 >= start ?? .min })
        }
        connection.rollback()
    }

    /// Keys around the length to which the map truncates them, many of which have a common prefix.
    @Test func longStringsThatBeginAlikeComeInOrder() throws {
        let (connection, table) = try makeTable(.string)
        var random = SeededGenerator(seed: 9)
        var model: Set<[UInt8]> = []
        while model.count < 600 {
            let length = [0, 1, 3, 255, 256, 257, 300, 5000][random.next(below: 8)]
            var key = [UInt8](repeating: UInt8(random.next(below: 3)), count: length)
            for _ in 0..<2 where length > 0 {
                key[length - 1 - random.next(below: min(length, 60))] =
                    UInt8(random.next(below: 128))
            }
            if model.insert(key).inserted {
                try withScalar(key) { try insert($0, into: table) }
            }
        }
        let sorted = model.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(try keys(table) == sorted)
        #expect(try keys(table, limit: 7) == Array(sorted.prefix(7)))
        for index in stride(from: 0, to: sorted.count, by: 37) {
            let found = try withScalar(sorted[index]) { try keys(table, from: $0, limit: 20) }
            #expect(found == Array(sorted[index...].prefix(20)))
            let after = try withScalar(sorted[index] + [0]) { try keys(table, from: $0, limit: 3) }
            let expected = sorted.filter { !$0.lexicographicallyPrecedes(sorted[index] + [0]) }
            #expect(after == Array(expected.prefix(3)))
        }
        connection.rollback()
    }

    @Test func nullComesFirstAndOnlyWithoutAStart() throws {
        let (connection, table) = try makeTable(.string, isOptional: true)
        try withScalar([98]) { try insert($0, into: table) }
        try insert(.null, into: table)
        try withScalar([97]) { try insert($0, into: table) }
        var found: [Int64] = []
        try table.forEachInPrimaryKeyOrder { key in
            found.append(key.rawValue)
            return true
        }
        #expect(found == [1, 2, 0])
        #expect(try withScalar([]) { try keys(table, from: $0) } == [[97], [98]])
        connection.rollback()
    }

    @Test func aTableWithoutKeyAndAKeyOfAnotherTypeAreRefused() throws {
        let (connection, table) = try makeTable(.int)
        try connection.createTables([
            TableDefinition(name: "B", columns: [ColumnDefinition(name: "x", type: .int)])
        ])
        let keyless = try #require(try connection.table(named: "B"))
        #expect(throws: StorageError.self) { try keyless.forEachInPrimaryKeyOrder { _ in true } }
        #expect(throws: StorageError.self) {
            try table.forEachInPrimaryKeyOrder(from: .double(1)) { _ in true }
        }
        connection.rollback()
    }
}
