import Testing
import ToolSupport

@testable import StorageEngine

/// Scans of whole tables, compared with loops over objects: with gaps between keys, spilled
/// columns, long values, updates and deletions, committed or not.
@Suite struct TableScanTests {
    private let directory = TestDirectory()

    private enum Column {
        static let small = 0, integer = 1, double = 2, float = 3, string = 4, uuid = 5, wide = 6
        static let date = 7
        static let all = 0..<8
    }

    private static let definition = TableDefinition(
        name: "A",
        columns: [
            ColumnDefinition(name: "small", type: .int),
            ColumnDefinition(name: "integer", type: .int, isOptional: true),
            ColumnDefinition(name: "double", type: .double, isOptional: true),
            ColumnDefinition(name: "float", type: .float, isOptional: true),
            ColumnDefinition(name: "string", type: .string, isOptional: true),
            ColumnDefinition(name: "uuid", type: .uuid, isOptional: true),
            // The column is so wide that it is spilled, and some values are too long to be stored
            // in a leaf.
            ColumnDefinition(name: "wide", type: .data),
            ColumnDefinition(name: "date", type: .date),
        ])

    /// A value that owns its bytes.
    private struct Value {
        var scalar: Scalar = .null
        var bytes: [UInt8]?

        func withScalar<R>(_ body: (Scalar) throws -> R) rethrows -> R {
            guard let bytes else { return try body(scalar) }
            return try bytes.withUnsafeBytes { try body(.bytes($0)) }
        }
    }

    private func randomBytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8(97 + random.next(below: 3)) }
    }

    private func randomValue(_ column: Int, _ random: inout SeededGenerator) -> Value {
        let isNull = random.next(below: 10) == 0
        switch column {
        case Column.small: return Value(scalar: .integer(Int64(random.next(below: 100))))
        case Column.integer:
            if isNull { return Value() }
            let all: [Int64] = [.min, .max, 0, -1, 70_000, Int64(random.next(below: 5000))]
            return Value(scalar: .integer(all[min(5, random.next(below: 200))]))
        case Column.double:
            if isNull { return Value() }
            let all = [0, -0.0, .nan, .infinity, -2.5, Double(random.next(below: 50))]
            return Value(scalar: .double(all[min(5, random.next(below: 100))]))
        case Column.float:
            if isNull { return Value() }
            return Value(scalar: .float(Float(random.next(below: 50)) / 4))
        case Column.string:
            if isNull { return Value() }
            return Value(bytes: randomBytes(random.next(below: 12), &random))
        case Column.uuid:
            if isNull { return Value() }
            return Value(scalar: .fixed16(UInt64(random.next(below: 3)), 7))
        case Column.wide:
            let length = random.next(below: 40) == 0 ? 2000 : 30 + random.next(below: 30)
            return Value(bytes: randomBytes(length, &random))
        default: return Value(scalar: .double(Double(random.next(below: 1_000_000_000))))
        }
    }

    private func insertRow(_ table: Table, _ random: inout SeededGenerator) throws {
        let values = Column.all.map { randomValue($0, &random) }
        let key = try table.insert(UnsafeBufferPointer(start: nil, count: 0))
        for column in Column.all {
            try values[column].withScalar { try table.set(column, of: key, to: $0) }
        }
    }

    /// Calls `body` with a table that has uncommitted changes, and again after they were committed.
    private func withTable(
        seed: UInt64, rows: Int, _ body: (Table, inout SeededGenerator) throws -> Void
    ) throws {
        var random = SeededGenerator(seed: seed)
        let connection = try Connection(Database.open(path: directory.file("\(seed).realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "A"))
        for _ in 0..<rows { try insertRow(table, &random) }
        try connection.commit()
        try connection.beginWrite()
        for _ in 0..<rows / 3 {
            let key = ObjectKey(rawValue: Int64(random.next(below: rows)))
            guard try table.contains(key) else { continue }
            if random.next(below: 3) > 0 {
                try table.delete(key)
            } else {
                let column = random.next(below: 8)
                try randomValue(column, &random).withScalar {
                    try table.set(column, of: key, to: $0)
                }
            }
        }
        for _ in 0..<rows / 10 { try insertRow(table, &random) }
        try body(table, &random)
        try connection.commit()
        try body(table, &random)
        #expect(try connection.verify() == [])
    }

    /// Returns the keys of the objects whose value of a column passes, tested one by one.
    private func keys(
        _ table: Table, _ column: Int, _ isMatch: (Scalar) -> Bool
    ) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        for position in 0..<(try table.count()) {
            let location = try table.location(at: position)
            if isMatch(try table.value(column, at: location)) {
                keys.append(table.key(at: location))
            }
        }
        return keys
    }

    private func check(
        _ table: Table, _ column: Int, _ test: ColumnTest, _ isMatch: (Scalar) -> Bool,
        _ what: @autoclosure () -> String
    ) throws {
        let predicate = try table.predicate(column, test)
        let expected = try keys(table, column, isMatch)
        #expect(try table.count(where: predicate) == expected.count, "\(what())")
        #expect(try table.keys(where: predicate) == expected, "\(what())")
        #expect(try table.keys(where: predicate, limit: 7) == Array(expected.prefix(7)))
    }

    private func holds<T: Comparable>(_ comparison: Comparison, _ a: T, _ b: T) -> Bool {
        switch comparison {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    @Test(arguments: [(1, 60), (2, 700), (3, 2500)] as [(UInt64, Int)])
    func numbersAreFoundAsALoopFindsThem(seed: UInt64, rows: Int) throws {
        try withTable(seed: seed, rows: rows) { table, random in
            for comparison in Comparison.allCases {
                for column in [Column.small, Column.integer] {
                    let operand = [Int64(30), .max, .min, 0, 2500][random.next(below: 5)]
                    try check(
                        table, column, .compare(comparison, .integer(operand)),
                        {
                            guard case .integer(let value) = $0 else { return false }
                            return holds(comparison, value, operand)
                        }, "\(comparison) \(operand)")
                }
                for column in [Column.double, Column.date] {
                    let operand = [25.0, 500_000_000, -0.0, .nan, 24.5][random.next(below: 5)]
                    try check(
                        table, column, .compare(comparison, .double(operand)),
                        {
                            guard case .double(let value) = $0 else { return false }
                            return holds(comparison, value, operand)
                        }, "\(comparison) \(operand)")
                }
                let operand = Float(random.next(below: 50)) / 4
                try check(
                    table, Column.float, .compare(comparison, .float(operand)),
                    {
                        guard case .float(let value) = $0 else { return false }
                        return holds(comparison, value, operand)
                    }, "\(comparison) \(operand)")
            }
            try check(
                table, Column.small, .between(.integer(10), .integer(20)),
                { if case .integer(10...20) = $0 { true } else { false } }, "between")
            try check(
                table, Column.date, .range(from: .double(1e8), upTo: .double(2e8)),
                { if case .double(let date) = $0 { date >= 1e8 && date < 2e8 } else { false } },
                "range")
            for column in Column.all {
                try check(table, column, .isNull, { $0.isNull }, "null")
                try check(table, column, .isNotNull, { !$0.isNull }, "not null")
                try check(table, column, .compare(.equal, .null), { $0.isNull }, "== null")
                try check(table, column, .compare(.notEqual, .null), { !$0.isNull }, "!= null")
                try check(table, column, .compare(.less, .null), { _ in false }, "< null")
            }
        }
    }

    @Test(arguments: [(4, 60), (5, 1500)] as [(UInt64, Int)])
    func bytesAreFoundAsALoopFindsThem(seed: UInt64, rows: Int) throws {
        try withTable(seed: seed, rows: rows) { table, random in
            for column in [Column.string, Column.wide] {
                for _ in 0..<4 {
                    // The pattern is an existing value, or a beginning or end of one.
                    let position = random.next(below: try table.count())
                    var value: [UInt8] = []
                    let scalar = try table.value(column, at: try table.location(at: position))
                    if case .bytes(let bytes) = scalar { value = Array(bytes) }
                    let pattern = Array(value.prefix(random.next(below: 14)))
                    let end = Array(value.suffix(random.next(below: 14)))
                    func bytes(_ scalar: Scalar) -> [UInt8]? {
                        if case .bytes(let bytes) = scalar { Array(bytes) } else { nil }
                    }
                    try value.withUnsafeBytes { all in
                        try check(
                            table, column, .compare(.equal, .bytes(all)),
                            { bytes($0) == value }, "== \(value)")
                        try check(
                            table, column, .compare(.notEqual, .bytes(all)),
                            { !$0.isNull && bytes($0) != value }, "!= \(value)")
                    }
                    try pattern.withUnsafeBytes { part in
                        try check(
                            table, column, .hasPrefix(part),
                            { bytes($0)?.starts(with: pattern) ?? false }, "prefix \(pattern)")
                    }
                    try end.withUnsafeBytes { part in
                        try check(
                            table, column, .hasSuffix(part),
                            { bytes($0)?.suffix(end.count).elementsEqual(end) ?? false },
                            "suffix \(end)")
                        try check(
                            table, column, .contains(part),
                            { bytes($0).map { contains($0, end) } ?? false }, "contains \(end)")
                    }
                }
            }
            for comparison in [Comparison.equal, .notEqual] {
                try check(
                    table, Column.uuid, .compare(comparison, .fixed16(1, 7)),
                    {
                        guard case .fixed16(let low, _) = $0 else { return false }
                        return (low == 1) == (comparison == .equal)
                    }, "uuid \(comparison)")
            }
        }
    }

    private func contains(_ value: [UInt8], _ pattern: [UInt8]) -> Bool {
        value.count >= pattern.count
            && (0...value.count - pattern.count).contains {
                value[$0..<$0 + pattern.count].elementsEqual(pattern)
            }
    }

    @Test(arguments: [(6, 100), (7, 2000)] as [(UInt64, Int)])
    func aggregatesAreThoseOfALoop(seed: UInt64, rows: Int) throws {
        try withTable(seed: seed, rows: rows) { table, random in
            let limit = Int64(random.next(below: 100))
            let isSmall = try table.predicate(Column.small, .compare(.less, .integer(limit)))
            for predicate in [nil, isSmall] {
                let wanted = predicate == nil ? .max : limit
                for column in [Column.small, Column.integer, Column.double, Column.float] {
                    try checkAggregates(table, column, predicate, below: wanted)
                }
            }
        }
    }

    private func checkAggregates(
        _ table: Table, _ column: Int, _ predicate: ColumnPredicate?, below limit: Int64
    ) throws {
        var integer: Int128 = 0
        var floating = 0.0
        var numbers: [Double] = []
        var integers: [Int64] = []
        for position in 0..<(try table.count()) {
            let location = try table.location(at: position)
            guard case .integer(let small) = try table.value(Column.small, at: location),
                small < limit
            else { continue }
            switch try table.value(column, at: location) {
            case .integer(let value):
                integer += Int128(value)
                integers.append(value)
            case .double(let value):
                floating += value
                numbers.append(value)
            case .float(let value):
                floating += Double(value)
                numbers.append(Double(value))
            default: break
            }
        }
        let sum = try table.sum(column, where: predicate)
        let count = numbers.count + integers.count
        #expect(sum.count == count && sum.integer == integer)
        #expect(sum.floating.bitPattern == floating.bitPattern || floating.isNaN)
        let average = try table.average(column, where: predicate)
        #expect((average == nil) == (count == 0))
        if let average, !average.isNaN {
            #expect(average == (Double(integer) + floating) / Double(count))
        }
        let ordered = numbers.filter { !$0.isNaN }
        func number(_ scalar: Scalar?) -> Double? {
            switch scalar {
            case .double(let value): value
            case .float(let value): Double(value)
            default: nil
            }
        }
        let (least, greatest) = (
            try table.minimum(column, where: predicate), try table.maximum(column, where: predicate)
        )
        if let first = integers.min(), let last = integers.max() {
            #expect(least.map { $0.isIdentical(to: .integer(first)) } == true)
            #expect(greatest.map { $0.isIdentical(to: .integer(last)) } == true)
        } else {
            #expect(number(least) == ordered.min() && number(greatest) == ordered.max())
        }
    }

    @Test func masksOfSeveralColumnsAreCombinedInOneWalk() throws {
        try withTable(seed: 8, rows: 1500) { table, _ in
            let isSmall = try table.predicate(Column.small, .compare(.less, .integer(30)))
            let isLate = try table.predicate(Column.date, .compare(.greater, .double(5e8)))
            var both = RowMask()
            var late = RowMask()
            var found: [ObjectKey] = []
            var scan = try LeafScan(table)
            var position = 0
            while try scan.next() {
                #expect(scan.firstPosition == position)
                position += scan.rowCount
                try scan.match(isSmall, into: &both)
                try scan.match(isLate, into: &late)
                both.formIntersection(late)
                both.forEachRow { found.append(scan.key($0)) }
            }
            #expect(try position == table.count())
            let small = try keys(table, Column.small) {
                if case .integer(let value) = $0 { value < 30 } else { false }
            }
            let lateKeys = try keys(table, Column.date) {
                if case .double(let value) = $0 { value > 5e8 } else { false }
            }
            #expect(found == small.filter(Set(lateKeys).contains))
        }
    }

    @Test func scansBeginAtTheLeafOfAPosition() throws {
        try withTable(seed: 9, rows: 1500) { table, random in
            let count = try table.count()
            for position in [0, 1, count / 2, count - 1, random.next(below: count)] {
                var scan = try LeafScan(table, from: position)
                #expect(try scan.next())
                #expect(scan.firstPosition <= position)
                #expect(position < scan.firstPosition + scan.rowCount)
                #expect(
                    scan.key(position - scan.firstPosition) == (try table.key(at: position)))
                var end = scan.firstPosition + scan.rowCount
                while try scan.next() { end += scan.rowCount }
                #expect(end == count)
            }
            var beyond = try LeafScan(table, from: count)
            #expect(try !beyond.next())
        }
    }

    @Test func anEmptyTableHasNoLeaves() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        try connection.commit()
        let table = try #require(try connection.table(named: "A"))
        #expect(try table.count(where: try table.predicate(Column.small, .isNotNull)) == 0)
        #expect(try table.sum(Column.small).average == nil)
        #expect(try table.minimum(Column.double) == nil)
        #expect(try table.keys(sortedBy: Column.string).isEmpty)
        #expect(try table.firstKeys(3, sortedBy: Column.small).isEmpty)
    }

    /// Each page may be valid by itself, and yet not belong to the other.
    @Test func aColumnThatDoesNotFitItsLeafIsDamage() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "A"))
        var random = SeededGenerator(seed: 10)
        for _ in 0..<200 { try insertRow(table, &random) }
        let isLong = try randomBytes(4, &random).withUnsafeBytes {
            try table.predicate(Column.wide, .hasPrefix($0))
        }
        _ = try table.count(where: isLong)
        var scan = try LeafScan(table)
        #expect(try scan.next())
        let (node, _) = try #require(try table.column(Column.wide, of: scan.leaf))
        try #require(node.base != scan.leaf.base, "the column is spilled")
        // This is the transaction's own copy, which is never committed.
        MutableNode(
            UnsafeMutableRawPointer(mutating: node.base), byteCount: node.pageCount * 4096
        ).removeRow(at: 0)
        #expect {
            _ = try table.count(where: isLong)
        } throws: { ($0 as? StorageError)?.code == .damaged }
        connection.rollback()
    }

    @Test func testsThatDoNotSuitAColumnAreRefused() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "B",
                columns: [
                    ColumnDefinition(name: "text", type: .string),
                    ColumnDefinition(name: "number", type: .int),
                    ColumnDefinition(name: "list", type: .int, collection: .list),
                ])
        ])
        let table = try #require(try connection.table(named: "B"))
        let letters: [UInt8] = [97]
        letters.withUnsafeBytes { bytes in
            let unsuitable: [(Int, ColumnTest)] = [
                (0, .compare(.less, .bytes(bytes))), (0, .compare(.equal, .integer(1))),
                (1, .compare(.equal, .double(1))), (1, .hasPrefix(bytes)), (2, .isNull),
                (1, .compare(.equal, .fixed16(0, 0))), (1, .between(.integer(0), .null)),
            ]
            for (column, test) in unsuitable {
                #expect {
                    _ = try table.predicate(column, test)
                } throws: {
                    ($0 as? StorageError)?.code == .invalidArgument
                }
            }
        }
        for refused in [0, 2] {
            #expect {
                _ = try table.sum(refused)
            } throws: { ($0 as? StorageError)?.code == .invalidArgument }
        }
        #expect {
            _ = try table.keys(sortedBy: 2)
        } throws: { ($0 as? StorageError)?.code == .invalidArgument }
        connection.rollback()
    }
}
