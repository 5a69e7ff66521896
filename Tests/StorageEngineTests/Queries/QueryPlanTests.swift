import Testing
import ToolSupport

@testable import StorageEngine

/// Compiled conditions, compared with the same conditions in plain Swift on each object: random
/// conditions over data with nulls, gaps, links, lists and indexes, committed or not.
@Suite struct QueryPlanTests {
    private let directory = TestDirectory()

    // MARK: Data

    private struct Person {
        var name: [UInt8]?
        var age: Int64
        var height: Double?
        var code: (UInt64, UInt32)
        var cash: Int64
        var boss: Int64?
        var friends: [Int64]
    }

    private enum Column {
        static let name = 0, age = 1, height = 2, code = 3, cash = 4, boss = 5, friends = 6
    }

    private static let definition = TableDefinition(
        name: "Person",
        columns: [
            ColumnDefinition(name: "name", type: .string, isOptional: true, isIndexed: true),
            ColumnDefinition(name: "age", type: .int, isIndexed: true),
            ColumnDefinition(name: "height", type: .double, isOptional: true),
            ColumnDefinition(name: "code", type: .objectID),
            ColumnDefinition(name: "cash", type: .decimal128),
            ColumnDefinition(name: "boss", type: .link, linkTarget: "Person"),
            ColumnDefinition(
                name: "friends", type: .link, collection: .list, linkTarget: "Person"),
        ])

    private func fill(
        _ table: Table, count: Int, _ random: inout SeededGenerator
    ) throws -> [Int64: Person] {
        var people: [Int64: Person] = [:]
        for _ in 0..<count {
            var person = Person(
                name: random.next(below: 6) == 0 ? nil : randomName(&random),
                age: Int64(random.next(below: 90)),
                height: random.next(below: 5) == 0 ? nil : Double(random.next(below: 80)) / 4,
                code: (UInt64(random.next(below: 3)), UInt32(random.next(below: 30))),
                cash: Int64(random.next(below: 50)), boss: nil, friends: [])
            let known = people.keys.sorted()
            if !known.isEmpty {
                if random.next(below: 3) > 0 {
                    person.boss = known[random.next(below: known.count)]
                }
                // Some lists have a tree of their own.
                let limit = random.next(below: 20) == 0 ? 150 : 4
                person.friends = (0..<random.next(below: limit)).map { _ in
                    known[random.next(below: known.count)]
                }
            }
            people[try insert(person, table).rawValue] = person
        }
        return people
    }

    private func randomName(_ random: inout SeededGenerator) -> [UInt8] {
        (0..<random.next(below: 4)).map { _ in UInt8(97 + random.next(below: 3)) }
    }

    private func insert(_ person: Person, _ table: Table) throws -> ObjectKey {
        let decimal = Decimal128(person.cash)
        let name: OwnedScalar = person.name.map { .bytes($0) } ?? .null
        let height: Scalar = person.height.map { .double($0) } ?? .null
        let boss: Scalar = person.boss.map { .integer($0) } ?? .null
        let key = try name.withScalar { name in
            let values: [Scalar] = [
                name, .integer(person.age), height, .fixed12(person.code.0, person.code.1),
                .fixed16(decimal.low, decimal.high), boss, .null,
            ]
            return try values.withUnsafeBufferPointer { try table.insert($0) }
        }
        for friend in person.friends {
            try table.list(Column.friends, of: key).append(.integer(friend))
        }
        return key
    }

    /// Deletes some objects as the table does: links to them become null, and lists lose them.
    private func deleteSome(
        _ table: Table, _ people: inout [Int64: Person], _ random: inout SeededGenerator
    ) throws {
        for key in people.keys.sorted() where random.next(below: 4) == 0 {
            try table.delete(ObjectKey(rawValue: key))
            people[key] = nil
            for other in people.keys {
                if people[other]?.boss == key { people[other]?.boss = nil }
                people[other]?.friends.removeAll { $0 == key }
            }
        }
    }

    // MARK: Conditions

    /// A condition and its meaning.
    private struct Question {
        var condition: QueryCondition
        var isTrue: (Int64, [Int64: Person]) -> Bool
    }

    private func question(depth: Int, _ random: inout SeededGenerator) -> Question {
        guard depth > 0 else { return test(&random) }
        switch random.next(below: 9) {
        case 0, 1:
            let parts = (0..<random.next(below: 4)).map { _ in question(depth: depth - 1, &random) }
            return Question(condition: .and(parts.map(\.condition))) { key, people in
                parts.allSatisfy { $0.isTrue(key, people) }
            }
        case 2, 3:
            let parts = (0..<random.next(below: 4)).map { _ in question(depth: depth - 1, &random) }
            return Question(condition: .or(parts.map(\.condition))) { key, people in
                parts.contains { $0.isTrue(key, people) }
            }
        case 4:
            let part = question(depth: depth - 1, &random)
            return Question(condition: .not(part.condition)) { !part.isTrue($0, $1) }
        case 5:
            let part = question(depth: depth - 1, &random)
            return Question(condition: .link(column: Column.boss, part.condition)) { key, people in
                people[key]!.boss.map { part.isTrue($0, people) } ?? false
            }
        case 6:
            let part = question(depth: depth - 1, &random)
            return Question(
                condition: .link(column: Column.friends, part.condition)
            ) { key, people in people[key]!.friends.contains { part.isTrue($0, people) } }
        case 7:
            let part = question(depth: depth - 1, &random)
            let isBoss = random.next(below: 2) == 0
            return Question(
                condition: .referrer(
                    table: 0, column: isBoss ? Column.boss : Column.friends, part.condition)
            ) { key, people in
                people.contains { origin, person in
                    (isBoss ? person.boss == key : person.friends.contains(key))
                        && part.isTrue(origin, people)
                }
            }
        default: return test(&random)
        }
    }

    private func test(_ random: inout SeededGenerator) -> Question {
        switch random.next(below: 12) {
        case 0:
            let isTrue = random.next(below: 2) == 0
            return Question(condition: .constant(isTrue)) { _, _ in isTrue }
        case 1:
            let limit = Int64(random.next(below: 90))
            return Question(
                condition: .value(column: Column.age, .compare(.less, .integer(limit)))
            ) { $1[$0]!.age < limit }
        case 2:
            let ages = (0..<random.next(below: 30)).map { _ in Int64(random.next(below: 90)) }
            return Question(
                condition: .value(column: Column.age, .isIn(ages.map { .integer($0) }))
            ) { ages.contains($1[$0]!.age) }
        case 3:
            let (low, high) = (Double(random.next(below: 20)), Double(random.next(below: 20)))
            return Question(
                condition: .value(
                    column: Column.height,
                    .range(from: .double(low), to: .double(high), includesLast: false))
            ) { key, people in
                people[key]!.height.map { $0 >= low && $0 < high } ?? false
            }
        case 4:
            return Question(condition: .value(column: Column.height, .isNull)) {
                $1[$0]!.height == nil
            }
        case 5:
            let name = randomName(&random)
            return Question(condition: .value(column: Column.name, .hasPrefix(name))) {
                $1[$0]!.name?.starts(with: name) ?? false
            }
        case 6:
            let name = randomName(&random)
            return Question(
                condition: .value(column: Column.name, .compare(.greater, .bytes(name)))
            ) { key, people in
                people[key]!.name.map { name.lexicographicallyPrecedes($0) } ?? false
            }
        case 7:
            let number = UInt32(random.next(below: 30))
            return Question(
                condition: .value(column: Column.code, .compare(.equal, .fixed12(1, number)))
            ) { $1[$0]!.code == (1, number) }
        case 8:
            let cash = Int64(random.next(below: 50))
            let decimal = Decimal128(cash)
            return Question(
                condition: .value(
                    column: Column.cash,
                    .compare(.greaterOrEqual, .fixed16(decimal.low, decimal.high)))
            ) { $1[$0]!.cash >= cash }
        case 9:
            let keys = (0..<random.next(below: 20)).map { _ in Int64(random.next(below: 400)) }
            return Question(condition: .keys(keys.map(ObjectKey.init(rawValue:)))) { key, _ in
                keys.contains(key)
            }
        case 10:
            return Question(
                condition: .value(
                    column: Column.age,
                    .satisfies(name: "is even") {
                        if case .integer(let age) = $0 { age % 2 == 0 } else { false }
                    })
            ) { $1[$0]!.age % 2 == 0 }
        default:
            return Question(
                condition: .object(name: "every third") { $1.rawValue % 3 == 0 }
            ) { key, _ in key % 3 == 0 }
        }
    }

    // MARK: Tests

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func plansFindWhatAskingEachObjectFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let connection = try Connection(Database.open(path: directory.file("\(seed).realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Person"))
        var people = try fill(table, count: [0, 1, 40, 700][random.next(below: 4)], &random)
        if random.next(below: 2) == 0 { _ = try connection.commit() }
        let questions = (0..<60).map { _ in question(depth: random.next(below: 4), &random) }
        let plans = try questions.map { try QueryPlan(table, $0.condition) }
        try check(plans, questions, people, seed)
        if !connection.isInWriteTransaction { try connection.beginWrite() }
        try deleteSome(table, &people, &random)
        // The same plans answer for the current contents.
        try check(plans, questions, people, seed)
        connection.rollback()
    }

    private func check(
        _ plans: [QueryPlan], _ questions: [Question], _ people: [Int64: Person], _ seed: UInt64
    ) throws {
        let keys = people.keys.sorted()
        for (plan, question) in zip(plans, questions) {
            let expected = keys.filter { question.isTrue($0, people) }
            let comment: Comment = "seed \(seed): \(plan.explain())"
            #expect(try plan.keys().map(\.rawValue) == expected, comment)
            #expect(try plan.count() == expected.count, comment)
            #expect(try plan.keys(limit: 3).map(\.rawValue) == Array(expected.prefix(3)), comment)
            try checkAggregates(plan, expected.map { people[$0]! }, comment)
            let some = (0..<400 as Range<Int64>).filter { $0 % 7 == 0 }.reversed()
            #expect(
                try plan.matches(among: some.map(ObjectKey.init(rawValue:))).map(\.rawValue)
                    == expected.filter { some.contains($0) }, comment)
            #expect(
                try plan.matches(amongFew: some.map(ObjectKey.init(rawValue:))).map(\.rawValue)
                    == expected.filter { some.contains($0) }, comment)
        }
    }

    /// Checks aggregates. Heights are quarters, whose sum is exact in any order.
    private func checkAggregates(
        _ plan: QueryPlan, _ people: [Person], _ comment: Comment
    ) throws {
        let heights = people.compactMap(\.height)
        let sum = try plan.sum(Column.height)
        #expect(sum.count == heights.count, comment)
        #expect(sum.floating == heights.reduce(0, +), comment)
        let ages = people.reduce(0) { $0 + Int128($1.age) }
        #expect(try plan.sum(Column.age).integer == ages, comment)
        func owned(_ value: Scalar?) -> OwnedScalar? { value.map { OwnedScalar($0) } }
        #expect(
            try owned(plan.minimum(Column.height)) == heights.min().map { .double($0) }, comment)
        #expect(
            try owned(plan.maximum(Column.age)) == people.map(\.age).max().map { .integer($0) },
            comment)
        var names: [OwnedScalar] = []
        try plan.forEachValue(Column.name) { names.append(OwnedScalar($0)) }
        #expect(names == people.map { $0.name.map { .bytes($0) } ?? .null }, comment)
    }

    @Test func whatAPlanLooksAtIsMeasured() throws {
        let connection = try Connection(Database.open(path: directory.file("c.realm")))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Row",
                columns: [
                    ColumnDefinition(name: "zero", type: .int),
                    ColumnDefinition(name: "mod", type: .int),
                ])
        ])
        let table = try #require(try connection.table(named: "Row"))
        for number in 0..<30_000 as Range<Int64> {
            try [Scalar.integer(0), .integer(number % 7)].withUnsafeBufferPointer {
                _ = try table.insert($0)
            }
        }
        func effort(_ condition: QueryCondition) throws -> QueryEffort {
            let plan = try QueryPlan(table, condition)
            return try plan.measuringEffort { try plan.count() }.effort
        }
        let isNegative = QueryCondition.value(column: 0, .compare(.less, .integer(0)))
        let isThree = QueryCondition.value(column: 1, .compare(.equal, .integer(3)))
        let all = try effort(isThree)
        #expect(all.rows == 30_000 && all.leaves > 3 && all.skippedLeaves == 0)
        #expect(all.matchingLeaves == all.leaves && all.candidates == nil)
        for condition in [
            isNegative, .and([isThree, isNegative]), .or([isNegative, .constant(false)]),
        ] {
            let none = try effort(condition)
            #expect(none.leaves == all.leaves && none.skippedLeaves == all.leaves)
            #expect(none.rows == 0 && none.matchingLeaves == 0)
        }
        let not = try effort(.not(isNegative))
        #expect(not.skippedLeaves == all.leaves && not.matchingLeaves == all.leaves)
        let named = try effort(.keys([ObjectKey(rawValue: 5), ObjectKey(rawValue: 50_000)]))
        #expect(named.candidates == 2 && named.rows == 1 && named.leaves == 1)
        connection.rollback()
    }

    @Test func plansTellHowTheyFindTheirObjects() throws {
        let connection = try Connection(Database.open(path: directory.file("a.realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Person"))
        let plan = try QueryPlan(
            table,
            .and([
                .object(name: "every third") { $1.rawValue % 3 == 0 },
                .value(column: Column.height, .compare(.less, .double(2))),
                .not(.link(column: Column.boss, .value(column: Column.age, .isIn([.integer(3)])))),
            ]))
        #expect(
            plan.explain() == """
                objects of Person
                  all of
                    Person.height < 2.0: columns
                    none of
                      Person.boss leads to one of Person
                        any of
                          Person.age == 3: columns, or index
                    every third: object by object
                """)
        connection.rollback()
    }

    @Test func testsThatDoNotSuitTheirColumnAreRefused() throws {
        let connection = try Connection(Database.open(path: directory.file("b.realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Person"))
        let unsuitable: [QueryCondition] = [
            .value(column: Column.age, .compare(.equal, .bytes([1]))),
            .value(column: Column.friends, .isNull),
            .link(column: Column.age, .constant(true)),
            .referrer(table: 7, column: 0, .constant(true)),
        ]
        for condition in unsuitable {
            #expect(throws: StorageError.self) { try QueryPlan(table, condition) }
        }
        connection.rollback()
    }

    @Test func conditionsThatLieTooDeepAreRefused() throws {
        let connection = try Connection(Database.open(path: directory.file("d.realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Person"))
        func nested(_ levels: Int) -> QueryCondition {
            (0..<levels).reduce(.constant(true)) { condition, level in
                switch level % 4 {
                case 0: .not(condition)
                case 1: .or([.constant(false), condition])
                case 2: .and([condition, .not(.constant(false))])
                default: .link(column: Column.boss, condition)
                }
            }
        }
        _ = try QueryPlan(table, nested(QueryCondition.maximumDepth)).count()
        let error = #expect(throws: StorageError.self) {
            try QueryPlan(table, nested(QueryCondition.maximumDepth + 1))
        }
        #expect(error?.code == .invalidArgument)
        connection.rollback()
    }
}
