import Testing
import ToolSupport

@testable import StorageEngine

/// Conditions on values at the end of paths, compared with the same conditions in plain Swift on
/// each object: every end, step and aggregate, over random data in memory and committed.
///
/// Null passes no test here, so it does not matter whether a path that leads nowhere ends in null
/// or in nothing. Tests of predicates cover that difference.
@Suite struct QueryExpressionTests {
    private let directory = TestDirectory()

    // MARK: Data

    private struct Thing {
        var number: Int64?
        var scores: [Int64] = []
        var marks: Set<Int64> = []
        var traits: [[UInt8]: Int64?] = [:]
        /// The values of a mixed property: numbers and lists of numbers.
        var extras: [Extra] = []
        var boss: Int64?
        var friends: [Int64] = []
    }

    private enum Extra {
        case number(Int64)
        case list([Int64])
    }

    private enum Column {
        static let number = 0, scores = 1, marks = 2, traits = 3, extras = 4, boss = 5, friends = 6
    }

    private static let definition = TableDefinition(
        name: "Thing",
        columns: [
            ColumnDefinition(name: "number", type: .int, isOptional: true),
            ColumnDefinition(name: "scores", type: .int, collection: .list),
            ColumnDefinition(name: "marks", type: .int, collection: .set),
            ColumnDefinition(name: "traits", type: .int, collection: .map, isOptional: true),
            ColumnDefinition(name: "extras", type: .mixed, collection: .list, isOptional: true),
            ColumnDefinition(name: "boss", type: .link, linkTarget: "Thing"),
            ColumnDefinition(
                name: "friends", type: .link, collection: .list, linkTarget: "Thing"),
        ])

    private static let traitNames: [[UInt8]] = [[97], [98, 98], [99, 99, 99]]

    private func randomThing(_ known: [Int64], _ random: inout SeededGenerator) -> Thing {
        func number() -> Int64 { Int64(random.next(below: 12)) - 3 }
        func numbers() -> [Int64] { (0..<random.next(below: 4)).map { _ in number() } }
        var thing = Thing()
        if random.next(below: 4) > 0 { thing.number = number() }
        thing.scores = numbers()
        thing.marks = Set(numbers())
        for name in Self.traitNames where random.next(below: 2) == 0 {
            thing.traits[name] = .some(random.next(below: 3) == 0 ? nil : number())
        }
        thing.extras = (0..<random.next(below: 4)).map { _ in
            random.next(below: 2) == 0 ? .number(number()) : .list(numbers())
        }
        guard !known.isEmpty else { return thing }
        if random.next(below: 3) > 0 { thing.boss = known[random.next(below: known.count)] }
        thing.friends = (0..<random.next(below: 4)).map { _ in
            known[random.next(below: known.count)]
        }
        return thing
    }

    private func insert(_ thing: Thing, _ table: Table) throws -> Int64 {
        var values = [Scalar](repeating: .null, count: Self.definition.columns.count)
        if let number = thing.number { values[Column.number] = .integer(number) }
        if let boss = thing.boss { values[Column.boss] = .integer(boss) }
        let key = try values.withUnsafeBufferPointer { try table.insert($0) }
        for score in thing.scores {
            try table.list(Column.scores, of: key).append(.integer(score))
        }
        for mark in thing.marks { _ = try table.set(Column.marks, of: key).insert(.integer(mark)) }
        for (name, value) in thing.traits {
            try name.withUnsafeBytes {
                try table.map(Column.traits, of: key).set(
                    value.map { .integer($0) } ?? .null, forKey: $0)
            }
        }
        let extras = table.list(Column.extras, of: key)
        for (index, extra) in thing.extras.enumerated() {
            switch extra {
            case .number(let number):
                try MixedValue.int(number).withScalar { try extras.append($0) }
            case .list(let numbers):
                try extras.insertEmpty(.list, at: index)
                let list = try #require(try extras.nestedList(at: index))
                for number in numbers {
                    try MixedValue.int(number).withScalar { try list.append($0) }
                }
            }
        }
        for friend in thing.friends {
            try table.list(Column.friends, of: key).append(.integer(friend))
        }
        return key.rawValue
    }

    private func deleteSome(
        _ table: Table, _ things: inout [Int64: Thing], _ random: inout SeededGenerator
    ) throws {
        for key in things.keys.sorted() where random.next(below: 5) == 0 {
            try table.delete(ObjectKey(rawValue: key))
            things[key] = nil
            for other in things.keys {
                if things[other]?.boss == key { things[other]?.boss = nil }
                things[other]?.friends.removeAll { $0 == key }
            }
        }
    }

    // MARK: Values

    /// A value that is not null and no collection.
    private enum Value {
        case number(Double)
        case link(Int64)
        case text([UInt8])

        init(_ number: Int64) { self = .number(Double(number)) }

        init?(_ value: MixedValue) {
            switch value {
            case .int(let number): self.init(number)
            case .double(let number): self = .number(number)
            case .link(let link): self = .link(link.key.rawValue)
            case .string(let bytes): self = .text(Array(bytes))
            default: return nil
            }
        }

        func passes(_ limit: Int64) -> Bool {
            switch self {
            case .number(let number): number < Double(limit)
            case .link(let key): key % 3 == abs(limit) % 3
            case .text(let bytes): bytes.count > Int(limit)
            }
        }

        func matches(_ other: Value) -> Bool {
            switch (self, other) {
            case (.number(let a), .number(let b)): a < b
            case (.link(let a), .link(let b)): a == b
            case (.text(let a), .text(let b)): a == b
            default: false
            }
        }
    }

    private typealias Things = [Int64: Thing]

    // MARK: Paths

    /// A path and its meaning.
    private struct Path {
        var path: QueryPath
        var values: (Int64, Things) -> [Value]
    }

    private func path(_ ends: [Path], _ random: inout SeededGenerator) -> Path {
        let end = ends[random.next(below: ends.count)]
        var steps: [QueryPath.Step] = []
        var follow: (Int64, Things) -> [Int64] = { key, _ in [key] }
        for _ in 0..<random.next(below: 3) {
            let before = follow
            let next: (Int64, Things) -> [Int64]
            switch random.next(below: 3) {
            case 0:
                steps.append(.link(column: Column.boss))
                next = { key, things in things[key]!.boss.map { [$0] } ?? [] }
            case 1:
                steps.append(.link(column: Column.friends))
                next = { key, things in things[key]!.friends }
            default:
                steps.append(.referrers(table: 0, column: Column.friends))
                next = Self.fans
            }
            follow = { key, things in before(key, things).flatMap { next($0, things) } }
        }
        return Path(path: QueryPath(steps: steps, end: end.path.end)) { [follow] key, things in
            follow(key, things).flatMap { end.values($0, things) }
        }
    }

    /// The objects whose friends include `key`, as often as they do.
    private static func fans(of key: Int64, in things: Things) -> [Int64] {
        things.flatMap { origin, thing in
            thing.friends.filter { $0 == key }.map { _ in origin }
        }
    }

    private static func end(
        _ end: QueryPath.End, _ values: @escaping (Thing) -> [Value]
    ) -> Path {
        Path(path: QueryPath(end: end)) { values($1[$0]!) }
    }

    /// Ends whose values are numbers or null, which can be counted and added.
    private var numbers: [Path] {
        [
            Self.end(.column(Column.number)) { $0.number.map { [Value($0)] } ?? [] },
            Self.end(.column(Column.scores)) { $0.scores.map { Value($0) } },
            Self.end(.column(Column.marks)) { $0.marks.map { Value($0) } },
        ]
    }

    private var objects: [Path] {
        [
            Self.end(.column(Column.boss)) { $0.boss.map { [.link($0)] } ?? [] },
            Self.end(.column(Column.friends)) { $0.friends.map { .link($0) } },
            Path(path: QueryPath(end: .referrers(table: 0, column: Column.friends))) {
                Self.fans(of: $0, in: $1).map { .link($0) }
            },
        ]
    }

    private var others: [Path] {
        let name = Self.traitNames[1]
        return [
            Self.end(.column(Column.traits)) { thing in
                thing.traits.values.compactMap { $0.map { Value($0) } }
            },
            Self.end(.keys(Column.traits)) { $0.traits.keys.map { .text($0) } },
            Self.end(.entry(Column.traits, key: name)) { thing in
                (thing.traits[name] ?? nil).map { [Value($0)] } ?? []
            },
            Self.end(.part(Column.extras, [.any])) { $0.extras.flatMap { Self.number($0) } },
            Self.end(.part(Column.extras, [.index(-1)])) { thing in
                thing.extras.last.map { Self.number($0) } ?? []
            },
            Self.end(.part(Column.extras, [.any, .any])) { $0.extras.flatMap { Self.list($0) } },
            Self.end(.part(Column.extras, [.index(0), .index(1)])) { thing in
                thing.extras.first.map { Array(Self.list($0).dropFirst().prefix(1)) } ?? []
            },
        ]
    }

    private static func number(_ extra: Extra) -> [Value] {
        if case .number(let number) = extra { [Value(number)] } else { [] }
    }

    private static func list(_ extra: Extra) -> [Value] {
        if case .list(let numbers) = extra { numbers.map { Value($0) } } else { [] }
    }

    // MARK: Expressions

    private struct Expression {
        var expression: QueryExpression
        var values: (Int64, Things) -> [Value]
    }

    private func expression(_ random: inout SeededGenerator) -> Expression {
        switch random.next(below: 10) {
        case 0:
            let number = Int64(random.next(below: 10))
            let image = MixedValue.int(number).withScalar { OwnedScalar($0) }
            return Expression(expression: .constant(image)) { _, _ in [Value(number)] }
        case 1: return Expression(expression: .object) { key, _ in [.link(key)] }
        case 2:
            let path = path(numbers + objects, &random)
            return Expression(expression: .count(path.path)) { key, things in
                [Value(Int64(path.values(key, things).count))]
            }
        case 3:
            let path = path(objects, &random)
            let limit = Int64(random.next(below: 10)) - 3
            let isLow = QueryCondition.value(
                column: Column.number, .compare(.less, .integer(limit)))
            return Expression(expression: .countMatching(path.path, isLow)) { key, things in
                let count = path.values(key, things).filter {
                    guard case .link(let key) = $0, let number = things[key]!.number else {
                        return false
                    }
                    return number < limit
                }.count
                return [Value(Int64(count))]
            }
        case 4, 5:
            let path = path(numbers, &random)
            let aggregate: QueryAggregate =
                [.minimum, .maximum, .sum, .average][random.next(below: 4)]
            return Expression(expression: .aggregate(aggregate, path.path)) { key, things in
                Self.result(aggregate, path.values(key, things)).map { [.number($0)] } ?? []
            }
        default:
            let path = path(numbers + objects + others, &random)
            return Expression(expression: .values(path.path), values: path.values)
        }
    }

    private static func result(_ aggregate: QueryAggregate, _ values: [Value]) -> Double? {
        let numbers: [Double] = values.compactMap {
            if case .number(let number) = $0 { number } else { nil }
        }
        switch aggregate {
        case .minimum: return numbers.min()
        case .maximum: return numbers.max()
        case .sum: return numbers.reduce(0, +)
        case .average:
            return numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count)
        }
    }

    // MARK: Tests

    private func condition(
        _ random: inout SeededGenerator
    ) -> (condition: QueryCondition, isTrue: (Int64, Things) -> Bool) {
        let left = expression(&random)
        if random.next(below: 3) > 0 {
            let limit = Int64(random.next(below: 8)) - 2
            return (
                .values(left.expression, name: "\(left.expression) < \(limit)") { value, _ in
                    Value(value)?.passes(limit) ?? false
                }, { key, things in left.values(key, things).contains { $0.passes(limit) } }
            )
        }
        let right = expression(&random)
        return (
            .pairs(
                left.expression, right.expression,
                name: "\(left.expression) with \(right.expression)"
            ) { left, right, _ in
                guard let first = Value(left), let second = Value(right) else { return false }
                return first.matches(second)
            },
            { key, things in
                let second = right.values(key, things)
                return left.values(key, things).contains { first in
                    second.contains { first.matches($0) }
                }
            }
        )
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func expressionsAreThoseOfPlainValues(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let connection = try Connection(Database.open(path: directory.file("\(seed).realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Thing"))
        var things: Things = [:]
        for _ in 0..<[3, 40, 150][random.next(below: 3)] {
            let thing = randomThing(things.keys.sorted(), &random)
            things[try insert(thing, table)] = thing
        }
        if random.next(below: 2) == 0 { try connection.commit() }
        let questions = (0..<40).map { _ in condition(&random) }
        let plans = try questions.map { try QueryPlan(table, $0.condition) }
        for isAfterDeletion in [false, true] {
            if isAfterDeletion {
                if !connection.isInWriteTransaction { try connection.beginWrite() }
                try deleteSome(table, &things, &random)
            }
            for (plan, question) in zip(plans, questions) {
                let expected = things.keys.sorted().filter { question.isTrue($0, things) }
                let comment: Comment = "seed \(seed): \(plan.explain())"
                #expect(try plan.keys().map(\.rawValue) == expected, comment)
                #expect(try plan.count() == expected.count, comment)
                let all = (-1..<100).map { ObjectKey(rawValue: $0) }
                #expect(
                    try plan.matches(amongFew: all).map(\.rawValue)
                        == expected.filter { $0 < 100 }, comment)
                #expect(try plan.keys().map(\.rawValue) == expected, comment)
            }
        }
        connection.rollback()
    }
}
