import Testing
import ToolSupport

@testable import StorageEngine

/// A table with columns of all kinds, and random questions about it whose answers are texts that
/// tell all bits.
enum ScannedTable {
    private enum Kind: CaseIterable {
        case small, integer, ascending, constant, bool, date, double, float, wholeFloat
        case text, longText, data, uuid, objectID
        /// Added after the first objects.
        case addedInteger, addedDate, addedText

        var type: ValueType {
            switch self {
            case .small, .integer, .ascending, .constant, .addedInteger: .int
            case .bool: .bool
            case .date, .addedDate: .date
            case .double: .double
            case .float, .wholeFloat: .float
            case .text, .longText, .addedText: .string
            case .data: .data
            case .uuid: .uuid
            case .objectID: .objectID
            }
        }

        var isOptional: Bool {
            switch self {
            case .small, .ascending, .constant, .data, .addedInteger, .wholeFloat: false
            default: true
            }
        }

        func value(_ number: Int, _ random: inout SeededGenerator) -> OwnedScalar {
            if isOptional, random.next(below: 9) == 0 { return .null }
            func letters(_ count: Int) -> OwnedScalar {
                .bytes((0..<count).map { _ in UInt8(97 + random.next(below: 3)) })
            }
            switch self {
            case .small, .addedInteger: return .integer(Int64(random.next(below: 100)) - 20)
            case .integer:
                let all: [Int64] = [.min, .max, 0, -1, 70_000, Int64(random.next(below: 5000))]
                return .integer(all[min(5, random.next(below: 200))])
            case .ascending: return .integer(Int64(number))
            case .constant: return .integer(7)
            case .bool: return .integer(Int64(random.next(below: 2)))
            case .date, .addedDate:
                return .double(Double(random.next(below: 2_000)) * 1_000_003 - 1e9)
            case .double:
                // Fractions come late, so that the first leaves have whole numbers.
                let special: [Double] = [0, -0.0, .nan, .infinity, 1e300, 9e15, 0.1, -0.1]
                let place = random.next(below: number > 700 ? 24 : 4000)
                return .double(place < 8 ? special[place] : Double(place))
            case .float:
                let special: [Float] = [0, -0.0, .nan, .infinity, 3]
                let place = random.next(below: 15)
                return .float(place < 5 ? special[place] : Float(place) / 3)
            case .wholeFloat: return .float(Float(random.next(below: 1000)))
            case .text, .addedText: return letters(random.next(below: 12))
            case .longText:
                return letters(random.next(below: 30) == 0 ? 1500 : random.next(below: 4))
            case .data: return letters(30 + random.next(below: 30))
            case .uuid: return .fixed16(UInt64(random.next(below: 3)), 7)
            case .objectID: return .fixed12(5, UInt32(random.next(below: 300)))
            }
        }
    }

    private static let kinds = Kind.allCases
    private static let firstAdded = kinds.firstIndex(of: .addedInteger)!
    private static let numeric = kinds.indices.filter { kinds[$0].type.columnKind.isPacked }
    /// The column of short strings.
    static var text: Int { kinds.firstIndex(of: .text)! }

    private static func definition(_ columns: Range<Int>) -> TableDefinition {
        TableDefinition(
            name: "A",
            columns: columns.map {
                ColumnDefinition(
                    name: "\(kinds[$0])", type: kinds[$0].type, isOptional: kinds[$0].isOptional)
            })
    }

    private static func table(_ connection: Connection) throws -> Table {
        try #require(try connection.table(named: "A"))
    }

    /// Makes a table of some objects that are older than the last columns.
    static func create(_ connection: Connection) throws {
        var random = SeededGenerator(seed: 77)
        try connection.beginWrite()
        try connection.createTables([definition(0..<firstAdded)])
        for number in 0..<40 {
            try insert(connection, number - 40, &random, columns: 0..<firstAdded)
        }
        try connection.commit()
        try connection.beginWrite()
        let migration = try SchemaMigration(connection, to: [definition(kinds.indices)])
        try migration.prepare()
        try migration.finish()
        try connection.commit()
    }

    static func insert(
        _ connection: Connection, _ number: Int, _ random: inout SeededGenerator,
        columns: Range<Int>? = nil
    ) throws {
        let table = try table(connection)
        let key = try table.insert(UnsafeBufferPointer(start: nil, count: 0))
        for column in columns ?? kinds.indices {
            try kinds[column].value(number, &random).withScalar {
                try table.set(column, of: key, to: $0)
            }
        }
    }

    /// Deletes an object, or changes a value of it.
    static func change(
        _ connection: Connection, of count: Int, _ number: Int, _ random: inout SeededGenerator
    ) throws {
        let table = try table(connection)
        let key = ObjectKey(rawValue: Int64(random.next(below: count)))
        guard try table.contains(key) else { return }
        if random.next(below: 3) > 0 { return try table.delete(key) }
        let column = random.next(below: kinds.count)
        try kinds[column].value(number, &random).withScalar {
            try table.set(column, of: key, to: $0)
        }
    }

    /// Asks one thread and two.
    static func compare(
        _ connection: Connection, count: Int, _ random: inout SeededGenerator, _ what: String
    ) throws {
        for _ in 0..<count {
            let question = Question.random(&random)
            connection.pager.worthSharing.sharesAll = false
            let expected = try question.answer(connection)
            connection.pager.worthSharing.sharesAll = true
            let answer = try question.answer(connection)
            try #require(answer == expected, "\(what): \(question)")
        }
    }

    // MARK: Questions

    /// A question about the objects that satisfy a condition.
    struct Question: CustomStringConvertible {
        private var condition: QueryCondition
        private var column = 0
        private var columns: [Int] = []
        private let asksTable: Bool

        static func random(_ random: inout SeededGenerator) -> Question {
            let asksTable = random.next(below: 4) == 0
            return Question(
                condition: asksTable
                    ? .value(column: 0, .isNotNull) : ScannedTable.condition(depth: 0, &random),
                column: numeric[random.next(below: numeric.count)],
                columns: (0..<random.next(below: 4)).map { _ in
                    numeric[random.next(below: numeric.count)]
                },
                asksTable: asksTable)
        }

        var description: String { "\(condition), \(column), \(columns), \(asksTable)" }

        func answer(_ connection: Connection) throws -> String {
            let table = try ScannedTable.table(connection)
            var answers: [String] = []
            if asksTable {
                answers.append(text(try table.sum(column)))
                answers.append("\(try table.average(column)?.bitPattern ?? 0)")
                answers.append(text(try table.minimum(column)) + text(try table.maximum(column)))
                let predicate = try table.predicate(0, .compare(.less, .integer(30)))
                answers.append("\(try table.count(where: predicate))")
                answers.append(text(try table.sum(column, where: predicate)))
                answers.append(text(try table.minimum(column, where: predicate)))
            }
            let plan = try QueryPlan(table, condition)
            answers.append("\(try plan.count())")
            answers.append(text(try plan.sum(column)))
            answers.append(text(try plan.minimum(column)) + text(try plan.maximum(column)))
            for group in try plan.groups(by: column, of: columns) {
                answers.append("\(group.key) \(group.count)")
                for position in columns.indices {
                    let summary = group.summary(at: position)
                    answers.append(
                        text(summary.sum) + text(summary.minimum) + text(summary.maximum))
                }
            }
            return answers.joined(separator: "; ")
        }

        private func text(_ sum: ColumnSum) -> String {
            "\(sum.count) \(sum.integer) \(sum.floating.bitPattern) "
        }

        private func text(_ value: Scalar?) -> String {
            value.map { "\(OracleValue($0)) " } ?? "none "
        }
    }

    private static func condition(depth: Int, _ random: inout SeededGenerator) -> QueryCondition {
        func parts(_ random: inout SeededGenerator) -> [QueryCondition] {
            (0..<1 + random.next(below: 3)).map { _ in condition(depth: depth + 1, &random) }
        }
        switch random.next(below: depth > 3 ? 5 : 10) {
        case 0...4: return test(&random)
        case 5: return .not(condition(depth: depth + 1, &random))
        case 6: return .and(parts(&random))
        case 7: return .or(parts(&random))
        case 8 where depth > 0:
            return .object(name: "even") { $1.rawValue % 2 == 0 }
        default: return .constant(random.next(below: 3) > 0)
        }
    }

    /// A test that suits a random column.
    private static func test(_ random: inout SeededGenerator) -> QueryCondition {
        let column = random.next(below: kinds.count)
        let kind = kinds[column]
        func value(_ random: inout SeededGenerator) -> OwnedScalar {
            kind.value(random.next(below: 2500), &random)
        }
        let all = Comparison.allCases
        let comparison = all[random.next(below: all.count)]
        let isEquality = comparison == .equal || comparison == .notEqual
        let test: ValueTest
        switch kind.type.columnKind {
        case .bytes:
            guard case .bytes(let bytes) = value(&random) else {
                return .value(column: column, .isNull)
            }
            test =
                [
                    .hasPrefix(Array(bytes.prefix(1 + random.next(below: 3)))),
                    .hasSuffix(Array(bytes.suffix(random.next(below: 3)))),
                    .contains(Array(bytes.prefix(random.next(below: 4)))),
                    .compare(isEquality ? comparison : .notEqual, .bytes(bytes)), .isNotNull,
                ][random.next(below: 5)]
        case .fixed16, .fixed12:
            test = .compare(isEquality ? comparison : .equal, value(&random))
        case .integer, .float, .double:
            let (first, last) = (value(&random), value(&random))
            if random.next(below: 5) == 0, first != .null, last != .null {
                test = .range(from: first, to: last, includesLast: comparison == .less)
            } else if random.next(below: 6) == 0 {
                test = .isIn([first, last])
            } else {
                test = .compare(comparison, first)
            }
        }
        return .value(column: column, test)
    }
}
