import Testing
import ToolSupport

@testable import StorageEngine

/// Counts, and first objects in order, as answered by the map of the primary keys, compared with
/// plain values. Keys may be equal in the part that the map stores, null, separated by gaps, or
/// missing.
@Suite struct PrimaryKeyQueryTests {
    private let directory = TestDirectory()

    private static func definition(_ type: ValueType) -> TableDefinition {
        TableDefinition(
            name: "Row",
            columns: [
                ColumnDefinition(name: "key", type: type, isOptional: true, isPrimaryKey: true),
                ColumnDefinition(name: "number", type: .int),
            ])
    }

    private struct Row {
        var object: ObjectKey
        var value: OwnedScalar
        var number: Int64
    }

    /// A random key: an integer on either side of 0, or a string. Some strings have a common prefix
    /// that is longer than the part that the map stores.
    private func value(_ type: ValueType, _ random: inout SeededGenerator) -> OwnedScalar {
        if random.next(below: 100) == 0 { return .null }
        if type == .int { return .integer(Int64(random.next(below: 2_000)) - 1_000) }
        let start = [UInt8](
            repeating: 97, count: [0, 3, 255, 256, 300][random.next(below: 5)])
        return .bytes(
            start + (0..<random.next(below: 6)).map { _ in UInt8(97 + random.next(below: 3)) })
    }

    /// Whether `a` precedes `b`. Null comes first.
    private func precedes(_ a: OwnedScalar, _ b: OwnedScalar) -> Bool {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a < b
        case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
        case (.null, .null): false
        default: a == .null
        }
    }

    private func matches(_ a: OwnedScalar, _ comparison: Comparison, _ b: OwnedScalar) -> Bool {
        if a == .null || b == .null { return false }
        return switch comparison {
        case .less: precedes(a, b)
        case .lessOrEqual: !precedes(b, a)
        case .greater: precedes(b, a)
        case .greaterOrEqual: !precedes(a, b)
        case .equal: a == b
        case .notEqual: a != b
        }
    }

    /// A condition on the key, alone or with another one, and its meaning.
    private func question(
        _ type: ValueType, _ random: inout SeededGenerator
    ) -> (condition: QueryCondition, isTrue: (Row) -> Bool) {
        let all: [Comparison] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
        let comparison = all[random.next(below: all.count)]
        var bound = value(type, &random)
        while bound == .null { bound = value(type, &random) }
        let first = QueryCondition.value(column: 0, .compare(comparison, bound))
        let isFirst = { (row: Row) in matches(row.value, comparison, bound) }
        // The limit ranges from nearly everything to nearly nothing.
        let limit = Int64([0, 1, 50, 99][random.next(below: 4)])
        let second = QueryCondition.value(column: 1, .compare(.greaterOrEqual, .integer(limit)))
        switch random.next(below: 5) {
        case 0: return (.constant(true), { _ in true })
        case 1: return (.and([second, first]), { isFirst($0) && $0.number >= limit })
        case 2: return (.or([second, first]), { isFirst($0) || $0.number >= limit })
        case 3: return (.not(first), { !isFirst($0) })
        default: return (first, isFirst)
        }
    }

    @Test(arguments: [ValueType.int, .string], 1...6 as ClosedRange<UInt64>)
    func answersAreThoseOfPlainValues(type: ValueType, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let connection = try Connection(
            Database.open(path: directory.file("\(type)-\(seed).realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition(type)])
        let table = try #require(try connection.table(named: "Row"))
        var rows: [OwnedScalar: Row] = [:]
        for _ in 0..<[2, 300, 1_500][random.next(below: 3)] {
            let value = value(type, &random)
            if let row = rows.removeValue(forKey: value) {
                try table.delete(row.object)
                continue
            }
            let number = Int64(random.next(below: 100))
            let object = try value.withScalar { value in
                try [value, .integer(number)].withUnsafeBufferPointer { try table.insert($0) }
            }
            rows[value] = Row(object: object, value: value, number: number)
        }
        if random.next(below: 2) == 0 { try connection.commit() }
        let sorted = rows.values.sorted { precedes($0.value, $1.value) }
        for _ in 0..<60 {
            let (condition, isTrue) = question(type, &random)
            let plan = try QueryPlan(table, condition)
            let comment: Comment = "seed \(seed): \(plan.explain())"
            let expected = sorted.filter(isTrue)
            #expect(try plan.count() == expected.count, comment)
            for isAscending in [true, false] {
                let order = QueryOrder(column: 0, isAscending: isAscending)
                let sorter = try QuerySorter(table, [order, QueryOrder(column: 1)])
                let inOrder = isAscending ? expected : expected.reversed()
                for limit in [0, 1, 7, 128, 5_000] {
                    #expect(
                        try sorter.first(limit, of: plan)
                            == inOrder.prefix(limit).map(\.object), comment)
                }
            }
        }
    }

    @Test func fewObjectsAreLookedAt() throws {
        let connection = try Connection(Database.open(path: directory.file("few.realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition(.int)])
        let table = try #require(try connection.table(named: "Row"))
        for number in 0..<6_400 as Range<Int64> {
            try [Scalar.integer(number), .integer(number % 2)].withUnsafeBufferPointer {
                _ = try table.insert($0)
            }
        }
        let sorter = try QuerySorter(table, [QueryOrder(column: 0)])
        func first(_ condition: QueryCondition) throws -> ([Int64], QueryEffort) {
            let plan = try QueryPlan(table, condition)
            let (keys, effort) = try plan.measuringEffort { try sorter.first(8, of: plan) }
            let values = try keys.map { key -> Int64 in
                guard case .integer(let value) = try table.value(0, of: key) else { return -1 }
                return value
            }
            return (values, effort)
        }
        let start = QueryCondition.value(column: 0, .compare(.greaterOrEqual, .integer(6_000)))
        let alone = try first(start)
        #expect(alone.0 == Array(6_000..<6_008))
        #expect(alone.1.isOrderedByIndex && alone.1.rows == 0)
        let isOdd = QueryCondition.value(column: 1, .compare(.equal, .integer(1)))
        let odd = try first(.and([isOdd, start]))
        #expect(odd.0 == Array(stride(from: 6_001, to: 6_016, by: 2)))
        #expect(odd.1.isOrderedByIndex && odd.1.rows <= 32)
        // Nothing tells where the walk would have to begin, so the table is scanned.
        let last = try first(.object(name: "last") { $1.rawValue % 6_400 == 6_399 })
        #expect(last.0.count == 1)
        #expect(!last.1.isOrderedByIndex)
    }
}
