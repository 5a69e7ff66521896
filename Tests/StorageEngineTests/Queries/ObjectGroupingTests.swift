import Foundation
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Groups of random objects, compared with a dictionary that is filled object by object: columns
/// of all types and widths, spilled and added ones, nulls, filters and single objects, committed or
/// not. The message of a failure has the seed. `GROUPING_SEED` repeats one case, and
/// `GROUPING_CASES` sets the number of cases.
@Suite struct ObjectGroupingTests {
    private let directory = TestDirectory()

    static var seeds: [UInt64] {
        func setting(_ name: String) -> UInt64? {
            ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
        }
        return setting("GROUPING_SEED").map { [$0] } ?? Array(0..<(setting("GROUPING_CASES") ?? 12))
    }

    @Test(arguments: seeds)
    func groupsAreThoseOfADictionary(seed: UInt64) throws {
        var theCase = try Case(seed: seed, directory.file("\(seed).realm"))
        try theCase.run()
    }

    @Test func anEmptyTableHasNoGroups() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([Case.definition(0..<Case.kinds.count)])
        let table = try #require(try connection.table(named: "A"))
        for column in Case.groupable {
            #expect(try QueryPlan(table, .constant(true)).groups(by: column, of: [1]).isEmpty)
            #expect(try table.groups(of: [ObjectKey(rawValue: 3)], by: column).isEmpty)
        }
        connection.rollback()
    }

    @Test func unsuitableColumnsAreRefused() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "B",
                columns: [
                    ColumnDefinition(name: "text", type: .string),
                    ColumnDefinition(name: "number", type: .int),
                    ColumnDefinition(name: "list", type: .int, collection: .list),
                    ColumnDefinition(name: "link", type: .link, linkTarget: "B"),
                    ColumnDefinition(name: "typed", type: .typedLink, isOptional: true),
                    ColumnDefinition(name: "decimal", type: .decimal128),
                    ColumnDefinition(name: "mixed", type: .mixed, isOptional: true),
                ])
        ])
        let table = try #require(try connection.table(named: "B"))
        func expectRefusal(by column: Int, of columns: [Int]) throws {
            let plan = try QueryPlan(table, .constant(true))
            #expect {
                _ = try plan.groups(by: column, of: columns)
            } throws: { ($0 as? StorageError)?.code == .invalidArgument }
            #expect {
                _ = try table.groups(of: [ObjectKey](), by: column, of: columns)
            } throws: { ($0 as? StorageError)?.code == .invalidArgument }
        }
        for column in 2...6 { try expectRefusal(by: column, of: []) }
        for column in [0, 2, 5, 6] { try expectRefusal(by: 1, of: [1, column]) }
        connection.rollback()
    }
}

/// A table with random objects, and questions about it.
private struct Case {
    /// How the values of a column are chosen.
    enum Kind: CaseIterable {
        case bool, constant, ascending, narrow, wide, extreme, date, double, float
        case fewTexts, texts, longTexts, data, uuid, objectID
        /// A column of each of these is only added when half of the objects are there.
        case addedInteger, addedText

        var type: ValueType {
            switch self {
            case .bool: .bool
            case .constant, .ascending, .narrow, .wide, .extreme, .addedInteger: .int
            case .date: .date
            case .double: .double
            case .float: .float
            case .fewTexts, .texts, .longTexts, .addedText: .string
            case .data: .data
            case .uuid: .uuid
            case .objectID: .objectID
            }
        }

        var mayBeNull: Bool {
            switch self {
            case .constant, .ascending, .narrow, .data, .addedInteger: false
            default: true
            }
        }

        /// A random value.
        func value(_ number: Int, _ random: inout SeededGenerator) -> OwnedScalar {
            if mayBeNull, random.next(below: 9) == 0 { return .null }
            func letters(_ count: Int) -> OwnedScalar {
                .bytes((0..<count).map { _ in UInt8(97 + random.next(below: 3)) })
            }
            switch self {
            case .bool: return .integer(Int64(random.next(below: 2)))
            case .constant: return .integer(7)
            case .ascending: return .integer(Int64(number))
            case .narrow, .addedInteger: return .integer(Int64(random.next(below: 100)) - 20)
            case .wide: return .integer(Int64(random.next(below: 3000)) * 7919)
            case .extreme:
                let all: [Int64] = [.min, .max, 1 << 62, 0, -1]
                return .integer(all[random.next(below: 5)])
            case .date: return .double(Double(random.next(below: 200)))
            case .double:
                let special: [Double] = [0, -0.0, .nan, .infinity, -1e300, 1e300, 0.1, -0.1]
                let place = random.next(below: 24)
                return .double(place < 8 ? special[place] : Double(place) / 3)
            case .float:
                let special: [Float] = [0, -0.0, .nan, .infinity, 3]
                let place = random.next(below: 15)
                return .float(place < 5 ? special[place] : Float(place) / 3)
            case .fewTexts: return letters(random.next(below: 2))
            case .texts, .addedText: return letters(random.next(below: 12))
            case .longTexts:
                return letters(random.next(below: 30) == 0 ? 1500 : random.next(below: 3))
            case .data: return letters(30 + random.next(below: 3))
            case .uuid: return .fixed16(UInt64(random.next(below: 3)) << 40, 7)
            case .objectID: return .fixed12(5, UInt32(random.next(below: 300)))
            }
        }
    }

    static let kinds = Kind.allCases
    static var groupable: Range<Int> { kinds.indices }
    static let numeric = kinds.indices.filter { kinds[$0].type.columnKind.isPacked }
    static let added = kinds.firstIndex(of: .addedInteger)!

    static func definition(_ columns: Range<Int>) -> TableDefinition {
        TableDefinition(
            name: "A",
            columns: columns.map {
                ColumnDefinition(
                    name: "\(kinds[$0])", type: kinds[$0].type, isOptional: kinds[$0].mayBeNull,
                    isIndexed: kinds[$0] == .ascending)
            })
    }

    let seed: UInt64
    private let connection: Connection
    private var random: SeededGenerator
    private var inserted = 0

    init(seed: UInt64, _ path: String) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let kind: FileKind = seed % 2 == 0 ? .plain : .encrypted
        connection = try Connection(Database.open(path: path, options: kind.options))
    }

    private var table: Table { get throws { try #require(try connection.table(named: "A")) } }

    mutating func run() throws {
        // Rows are wide, so that the largest tables have a hundred leaves.
        let rows = [3, 90, 1200, 2500][random.next(below: 4)]
        try connection.beginWrite()
        try connection.createTables([Self.definition(0..<Self.added)])
        for _ in 0..<rows { try insert(columns: 0..<Self.added) }
        try connection.commit()
        try connection.beginWrite()
        let all = Self.definition(Self.kinds.indices)
        let migration = try SchemaMigration(connection, to: [all])
        try migration.prepare()
        try migration.finish()
        try connection.commit()
        try check()
        try connection.beginWrite()
        for _ in 0..<rows / 4 { try insert(columns: Self.kinds.indices) }
        for _ in 0..<rows / 3 { try change() }
        try check()
        try connection.commit()
        try check()
    }

    private mutating func insert(columns: Range<Int>) throws {
        let key = try table.insert(UnsafeBufferPointer(start: nil, count: 0))
        for column in columns {
            let value = Self.kinds[column].value(inserted, &random)
            try value.withScalar { try table.set(column, of: key, to: $0) }
        }
        inserted += 1
    }

    private mutating func change() throws {
        let key = ObjectKey(rawValue: Int64(random.next(below: inserted)))
        guard try table.contains(key) else { return }
        if random.next(below: 3) == 0 { return try table.delete(key) }
        let column = random.next(below: Self.kinds.count)
        let value = Self.kinds[column].value(inserted, &random)
        try value.withScalar { try table.set(column, of: key, to: $0) }
    }

    // MARK: Questions

    private mutating func check() throws {
        let keys = try (0..<table.count()).map { try table.key(at: $0) }
        for column in Self.groupable {
            let columns = (0..<random.next(below: 4)).map { _ in
                Self.numeric[random.next(below: Self.numeric.count)]
            }
            let plan = try QueryPlan(table, condition())
            let matching = try plan.keys()
            try check(plan.groups(by: column, of: columns), matching, column, columns, "plan")
            // Some keys twice, in any order, and some of no object.
            var some = (0..<random.next(below: 40)).compactMap { _ in
                keys.isEmpty ? nil : keys[random.next(below: keys.count)]
            }
            some.append(ObjectKey(rawValue: Int64(inserted + 5)))
            try check(
                table.groups(of: some, by: column, of: columns), some, column, columns, "objects")
        }
    }

    /// A random condition: all objects, about a half, few, or some that an index names.
    private mutating func condition() -> QueryCondition {
        let narrow = Self.kinds.firstIndex(of: .narrow)!
        switch random.next(below: 5) {
        case 0, 1: return .constant(true)
        case 2: return .value(column: narrow, .compare(.less, .integer(30)))
        case 3: return .value(column: narrow, .compare(.equal, .integer(3)))
        default:
            let ascending = Self.kinds.firstIndex(of: .ascending)!
            let first = Int64(random.next(below: inserted + 2))
            return .value(
                column: ascending,
                .range(from: .integer(first), to: .integer(first + 5), includesLast: false))
        }
    }

    private func check(
        _ found: [ValueGroup], _ keys: [ObjectKey], _ column: Int, _ columns: [Int],
        _ what: String
    ) throws {
        let expected = try ModelGroup.groups(of: keys, table, by: column, of: columns)
        let place = "GROUPING_SEED=\(seed): \(what), \(Self.kinds[column]), \(columns)"
        try #require(found.count == expected.count, "\(place)")
        for (group, model) in zip(found, expected) {
            try #require(
                ModelGroup.text(group.key) == ModelGroup.text(model.key)
                    && group.count == model.count, "\(place): \(group.key) \(model.key)")
            for position in columns.indices {
                try #require(
                    model.describes(group.summary(at: position), position),
                    "\(place): \(group.key), column \(position)")
            }
        }
    }
}

/// A group that is made value by value.
private struct ModelGroup {
    let key: OwnedScalar
    var count = 0
    /// The values of each column, without nulls.
    var values: [[OwnedScalar]]

    /// The groups of some objects in order.
    static func groups(
        of keys: [ObjectKey], _ table: Table, by column: Int, of columns: [Int]
    ) throws -> [ModelGroup] {
        var groups: [String: ModelGroup] = [:]
        for key in keys {
            guard let location = try table.location(of: key) else { continue }
            let value = OwnedScalar(try table.value(column, at: location))
            let empty = ModelGroup(key: value, values: columns.map { _ in [] })
            var group = groups[text(value), default: empty]
            group.count += 1
            for (position, column) in columns.enumerated() {
                let value = try table.value(column, at: location)
                if !value.isNull { group.values[position].append(OwnedScalar(value)) }
            }
            groups[text(value)] = group
        }
        let order = ValueOrder(type: table.definition.columns[column].type)
        return groups.values.sorted { a, b in
            a.key.withScalar { a in b.key.withScalar { order.compare(a, $0) < 0 } }
        }
    }

    /// A text that is equal for values of one group.
    static func text(_ value: OwnedScalar) -> String {
        switch value {
        case .double(let number): number.isNaN ? "NaN" : "\(number == 0 ? 0 : number)"
        case .float(let number): number.isNaN ? "NaN" : "\(number == 0 ? 0 : number)"
        case .bytes(let bytes): "b" + String(decoding: bytes, as: UTF8.self)
        default: "\(value)"
        }
    }

    func describes(_ summary: GroupSummary, _ position: Int) -> Bool {
        var (integer, floating): (Int128, Double) = (0, 0)
        var ordered: [(OwnedScalar, Double)] = []
        for value in values[position] {
            switch value {
            case .integer(let number): integer += Int128(number)
            case .double(let number):
                floating += number
                if !number.isNaN { ordered.append((value, number)) }
            case .float(let number):
                floating += Double(number)
                if !number.isNaN { ordered.append((value, Double(number))) }
            default: return false
            }
        }
        let integers = values[position].compactMap { value -> Int64? in
            if case .integer(let number) = value { number } else { nil }
        }
        let least = integers.min().map { OwnedScalar.integer($0) } ?? first(ordered, false)
        let greatest = integers.max().map { OwnedScalar.integer($0) } ?? first(ordered, true)
        let average: Double? =
            values[position].isEmpty
            ? nil : (Double(integer) + floating) / Double(values[position].count)
        return summary.sum.count == values[position].count && summary.sum.integer == integer
            && isSame(summary.sum.floating, floating)
            && isIdentical(summary.minimum, least) && isIdentical(summary.maximum, greatest)
            && (summary.sum.average == nil) == (average == nil)
            && isSame(summary.sum.average ?? 0, average ?? 0)
    }

    /// The least value, or the greatest one; -0 is less than 0.
    private func first(_ values: [(OwnedScalar, Double)], _ isGreatest: Bool) -> OwnedScalar? {
        func precedes(_ a: Double, _ b: Double) -> Bool {
            a < b || (a == 0 && b == 0 && a.sign == .minus && b.sign == .plus)
        }
        return values.min { isGreatest ? precedes($1.1, $0.1) : precedes($0.1, $1.1) }?.0
    }

    private func isSame(_ a: Double, _ b: Double) -> Bool {
        a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
    }

    private func isIdentical(_ a: Scalar?, _ b: OwnedScalar?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return b.withScalar { $0.isIdentical(to: a) }
    }
}
