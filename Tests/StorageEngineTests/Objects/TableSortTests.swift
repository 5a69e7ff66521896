import Testing
import ToolSupport

@testable import StorageEngine

/// Orders of whole tables, compared with sorted arrays.
@Suite struct TableSortTests {
    private let directory = TestDirectory()

    private static let definition = TableDefinition(
        name: "A",
        columns: [
            ColumnDefinition(name: "small", type: .int),
            ColumnDefinition(name: "integer", type: .int, isOptional: true),
            ColumnDefinition(name: "double", type: .double, isOptional: true),
            ColumnDefinition(name: "float", type: .float, isOptional: true),
            ColumnDefinition(name: "string", type: .string, isOptional: true),
            ColumnDefinition(name: "uuid", type: .uuid, isOptional: true),
            ColumnDefinition(name: "date", type: .date),
        ])

    /// The key for the order of values: null, NaN, then the others.
    private struct SortKey: Comparable {
        var rank: Int
        var number = 0.0
        var integer: Int64 = 0
        var bytes: [UInt8] = []

        init(_ scalar: Scalar) {
            switch scalar {
            case .null: rank = 0
            case .integer(let value): (rank, integer) = (2, value)
            case .double(let value): (rank, number) = value.isNaN ? (1, 0) : (2, value)
            case .float(let value): (rank, number) = value.isNaN ? (1, 0) : (2, Double(value))
            case .bytes(let value): (rank, bytes) = (2, Array(value))
            case .fixed16(let low, let high):
                rank = 2
                bytes = withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { Array($0) }
            case .fixed12: preconditionFailure("object ids are not sorted by")
            }
        }

        static func < (a: SortKey, b: SortKey) -> Bool {
            if a.rank != b.rank { return a.rank < b.rank }
            if a.number != b.number { return a.number < b.number }
            if a.integer != b.integer { return a.integer < b.integer }
            return a.bytes.lexicographicallyPrecedes(b.bytes)
        }
    }

    private func insertRow(_ table: Table, _ random: inout SeededGenerator) throws {
        let isNull = random.next(below: 8) == 0
        let integers: [Int64] = [.min, .max, -1, 0, Int64(random.next(below: 300))]
        let doubles = [0, -0.0, .nan, -.infinity, 0.5, Double(random.next(below: 90))]
        let length = random.next(below: 30) == 0 ? 700 : random.next(below: 14)
        let text = (0..<length).map { _ in UInt8([0, 97, 255][random.next(below: 3)]) }
        try text.withUnsafeBytes { text in
            let row: [Scalar] = [
                .integer(Int64(random.next(below: 100))),
                isNull ? .null : .integer(integers[min(4, random.next(below: 60))]),
                isNull ? .null : .double(doubles[min(5, random.next(below: 60))]),
                isNull ? .null : .float(Float(doubles[min(5, random.next(below: 30))])),
                isNull ? .null : .bytes(text),
                isNull ? .null : .fixed16(random.next(), UInt64(random.next(below: 3))),
                .double(Double(random.next(below: 1_000_000))),
            ]
            _ = try row.withUnsafeBufferPointer { try table.insert($0) }
        }
    }

    private func withTable(
        seed: UInt64, rows: Int, _ body: (Table, inout SeededGenerator) throws -> Void
    ) throws {
        var random = SeededGenerator(seed: seed)
        let connection = try Connection(Database.open(path: directory.file("\(seed).realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "A"))
        for _ in 0..<rows { try insertRow(table, &random) }
        for _ in 0..<rows / 5 {
            let key = ObjectKey(rawValue: Int64(random.next(below: rows)))
            if try table.contains(key) { try table.delete(key) }
        }
        try connection.commit()
        try body(table, &random)
    }

    private func sortedKeys(_ table: Table, _ column: Int, ascending: Bool, below limit: Int64)
        throws -> [ObjectKey]
    {
        var rows: [(value: SortKey, key: ObjectKey)] = []
        for position in 0..<(try table.count()) {
            let location = try table.location(at: position)
            guard case .integer(let small) = try table.value(0, at: location), small < limit else {
                continue
            }
            rows.append(
                (SortKey(try table.value(column, at: location)), table.key(at: location)))
        }
        rows.sort { a, b in
            if a.value < b.value { return ascending }
            if b.value < a.value { return !ascending }
            return a.key.rawValue < b.key.rawValue
        }
        return rows.map(\.key)
    }

    @Test(arguments: [(1, 0), (2, 1), (3, 90), (4, 3000)] as [(UInt64, Int)])
    func objectsComeInTheOrderOfTheirValues(seed: UInt64, rows: Int) throws {
        try withTable(seed: seed, rows: rows) { table, random in
            let isSmall = try table.predicate(0, .compare(.less, .integer(40)))
            for column in 0..<Self.definition.columns.count {
                for ascending in [true, false] {
                    for predicate in [nil, isSmall] {
                        let expected = try sortedKeys(
                            table, column, ascending: ascending,
                            below: predicate == nil ? .max : 40)
                        let all = try table.keys(
                            sortedBy: column, ascending: ascending, where: predicate)
                        #expect(all == expected, "column \(column), ascending \(ascending)")
                        for limit in [0, 1, 10, 1 + random.next(below: 500), rows + 1] {
                            let first = try table.firstKeys(
                                limit, sortedBy: column, ascending: ascending, where: predicate)
                            #expect(
                                first == Array(expected.prefix(limit)),
                                "first \(limit) of column \(column), ascending \(ascending)")
                        }
                    }
                }
            }
        }
    }
}
