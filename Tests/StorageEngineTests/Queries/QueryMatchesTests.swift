import Testing
import ToolSupport

@testable import StorageEngine

/// Matches that are refreshed incrementally after changes, compared with those that a plan finds
/// anew: random changes of all kinds, in open transactions and by others, rolled back or committed.
@Suite struct QueryMatchesTests {
    private let directory = TestDirectory()
    private static let seeds: UInt64 = LongTests.isEnabled ? 12 : 3

    private enum Column {
        static let name = 0, age = 1, height = 2, text = 3, cash = 4, boss = 5, scores = 6,
            mixed = 7, firstSpare = 8
    }

    /// The number of spare columns. It makes rows wide enough for leaves to spill columns.
    private static let spareCount = 4

    private static var definition: TableDefinition {
        TableDefinition(
            name: "Person",
            columns: [
                ColumnDefinition(name: "name", type: .string, isOptional: true),
                ColumnDefinition(name: "age", type: .int, isIndexed: true),
                ColumnDefinition(name: "height", type: .double, isOptional: true),
                ColumnDefinition(name: "text", type: .string),
                ColumnDefinition(name: "cash", type: .decimal128),
                ColumnDefinition(name: "boss", type: .link, linkTarget: "Person"),
                ColumnDefinition(name: "scores", type: .int, collection: .list),
                ColumnDefinition(name: "mixed", type: .mixed, isOptional: true),
            ] + (0..<spareCount).map { ColumnDefinition(name: "spare\($0)", type: .double) })
    }

    /// One view of the file, with the matches that it has found.
    private final class Viewer {
        let connection: Connection
        let table: Table
        var live: [(name: String, plan: QueryPlan, matches: QueryMatches?)] = []

        init(_ connection: Connection) throws {
            self.connection = connection
            table = try #require(try connection.table(named: "Person"))
        }

        func plan(_ name: String, _ condition: QueryCondition) throws {
            live.append((name, try QueryPlan(table, condition), nil))
        }
    }

    /// The number of incremental refreshes, and their causes.
    private struct Tally {
        var mended = 0
        var mendedInTransaction = 0
        var found = 0
        var askedLeaves = 0
        var leaves = 0
    }

    private func conditions() -> [(String, QueryCondition, isMendable: Bool)] {
        let young = QueryCondition.value(column: Column.age, .compare(.less, .integer(40)))
        let x = Array("x".utf8)
        return [
            ("age", young, true),
            ("age of few", .value(column: Column.age, .compare(.equal, .integer(7))), true),
            ("no height", .value(column: Column.height, .isNull), true),
            ("name", .value(column: Column.name, .contains(x)), true),
            ("text", .value(column: Column.text, .contains(x)), true),
            ("spare", .value(column: Column.firstSpare + 2, .compare(.less, .double(4))), true),
            ("cash", .value(column: Column.cash, .compare(.less, Self.decimal(40))), true),
            (
                "closure",
                .value(column: Column.age, .satisfies(name: "odd") { $0.isInteger(3) }), true
            ),
            ("boss", .link(column: Column.boss, .keys([ObjectKey(rawValue: 3)])), true),
            ("any boss", .link(column: Column.boss, .constant(true)), true),
            ("young boss", .link(column: Column.boss, young), false),
            ("boss of young", .referrer(table: 0, column: Column.boss, young), false),
            (
                "scores",
                .values(.values(QueryPath(end: .column(Column.scores))), name: "s") { value, _ in
                    value.isInt(3)
                }, true
            ),
            (
                "score count",
                .values(.count(QueryPath(end: .column(Column.scores))), name: "c") { value, _ in
                    value.isInt(2)
                }, true
            ),
            (
                "boss's scores",
                .values(
                    .values(
                        QueryPath(
                            steps: [.link(column: Column.boss)], end: .column(Column.scores))),
                    name: "b"
                ) { value, _ in value.isInt(3) }, false
            ),
            (
                "pairs",
                .pairs(
                    .values(QueryPath(end: .column(Column.age))),
                    .values(QueryPath(end: .column(Column.scores))), name: "p"
                ) { first, second, _ in first.isSameInt(second) }, true
            ),
            (
                "fans",
                .values(
                    .count(QueryPath(end: .referrers(table: 0, column: Column.boss))), name: "f"
                ) { value, _ in value.isInt(1) }, false
            ),
            (
                "part",
                .values(
                    .values(QueryPath(end: .part(Column.mixed, [.any]))), name: "part"
                ) { value, _ in value.isInt(3) }, true
            ),
            ("some", .keys((0..<40).map { ObjectKey(rawValue: $0 * 31) }), true),
            (
                "logic",
                .or([
                    .and([young, .not(.value(column: Column.height, .isNull))]),
                    .value(column: Column.text, .hasPrefix(x)),
                ]), true
            ),
            ("logic with links", .or([young, .link(column: Column.boss, young)]), false),
            ("object", .object(name: "even") { $1.rawValue % 2 == 0 }, true),
        ]
    }

    private static func decimal(_ value: Int64) -> OwnedScalar {
        let decimal = Decimal128(value)
        return .fixed16(decimal.low, decimal.high)
    }

    // MARK: Changes

    private struct Writer {
        var random: SeededGenerator

        mutating func text(_ longest: Int) -> [UInt8] {
            (0..<random.next(below: longest)).map { _ in UInt8(97 + random.next(below: 26)) }
        }

        mutating func number() -> Int64 { Int64(random.next(below: 100)) }

        mutating func insert(_ table: Table, count: Int) throws {
            for _ in 0..<count {
                let name = OwnedScalar.bytes(text(5))
                let long = OwnedScalar.bytes(text(random.next(below: 40) == 0 ? 6_000 : 20))
                let cash = Decimal128(number())
                let boss: Scalar = try someKey(table).map { .integer($0.rawValue) } ?? .null
                let head: [Scalar] = [.integer(number()), .double(Double(number()))]
                let tail: [Scalar] = [.fixed16(cash.low, cash.high), boss, .null, .null]
                let spare = (0..<QueryMatchesTests.spareCount).map { _ in
                    Scalar.double(.random(in: 0...9, using: &random))
                }
                _ = try name.withScalar { name in
                    try long.withScalar { long in
                        let all = [name] + head + [long] + tail + spare
                        return try all.withUnsafeBufferPointer { try table.insert($0) }
                    }
                }
            }
        }

        mutating func someKey(_ table: Table) throws -> ObjectKey? {
            let count = try table.count()
            return count == 0 ? nil : try table.key(at: random.next(below: count))
        }

        mutating func change(_ table: Table) throws {
            switch random.next(below: 200) {
            case ..<30: try insert(table, count: 1 + random.next(below: 3))
            case ..<34: try insert(table, count: 600)
            case ..<60: if let key = try someKey(table) { try table.delete(key) }
            case ..<70: try deleteRange(table)
            case 70: try table.deleteAll()
            default: if let key = try someKey(table) { try set(table, key) }
            }
        }

        /// Deletes whole leaves, and parts of leaves.
        mutating func deleteRange(_ table: Table) throws {
            let count = try table.count()
            guard count > 0 else { return }
            let start = random.next(below: count)
            let end = min(count, start + [5, 300, 1_500][random.next(below: 3)])
            try table.delete((start..<end).map { try table.key(at: $0) })
        }

        mutating func set(_ table: Table, _ key: ObjectKey) throws {
            switch random.next(below: 9) {
            case 0: try set(table, Column.name, key, random.isNil ? .null : .bytes(text(5)))
            case 1: try set(table, Column.age, key, .integer(number()))
            case 2:
                try set(
                    table, Column.height, key, random.isNil ? .null : .double(Double(number())))
            case 3:
                try set(
                    table, Column.text, key,
                    .bytes(text(random.next(below: 3) == 0 ? 9_000 : 30)))
            case 4: try set(table, Column.cash, key, QueryMatchesTests.decimal(number()))
            case 5:
                let boss = try someKey(table)
                try set(table, Column.boss, key, boss.map { .integer($0.rawValue) } ?? .null)
            case 6:
                let scores = table.list(Column.scores, of: key)
                if random.next(below: 4) == 0 {
                    try scores.removeAll()
                } else {
                    for _ in 0..<(random.next(below: 9) == 0 ? 200 : 1) {
                        try scores.append(.integer(Int64(random.next(below: 60))))
                    }
                }
            case 7:
                try setMixed(table, key)
            default:
                let column = Column.firstSpare + random.next(below: QueryMatchesTests.spareCount)
                try set(table, column, key, .double(.random(in: 0...9, using: &random)))
            }
        }

        /// Sets a list that becomes longer and longer.
        mutating func setMixed(_ table: Table, _ key: ObjectKey) throws {
            var list = try table.nestedList(Column.mixed, of: key)
            if list == nil || random.next(below: 5) == 0 {
                try table.setEmpty(.list, Column.mixed, of: key)
                list = try table.nestedList(Column.mixed, of: key)
            }
            let count = random.next(below: 6) == 0 ? 300 : 1
            for _ in 0..<count {
                let value = MixedValue.int(Int64(random.next(below: 90)))
                try value.withScalar { try list?.append($0) }
            }
        }

        func set(_ table: Table, _ column: Int, _ key: ObjectKey, _ value: OwnedScalar) throws {
            try value.withScalar { try table.set(column, of: key, to: $0) }
        }
    }

    // MARK: Comparing

    private func ask(
        _ viewer: Viewer, _ random: inout SeededGenerator, _ tally: inout Tally, _ comment: String
    ) throws {
        for index in viewer.live.indices where random.next(below: 3) == 0 {
            let (name, plan, _) = viewer.live[index]
            var isMended = false
            if viewer.live[index].matches != nil {
                isMended = try plan.mend(&viewer.live[index].matches!)
            }
            if isMended {
                tally.mended += 1
                tally.mendedInTransaction += viewer.connection.isInWriteTransaction ? 1 : 0
                tally.askedLeaves += viewer.live[index].matches!.askedLeaves
                try viewer.table.forEachLeaf { _, _ in
                    tally.leaves += 1
                    return true
                }
            } else {
                tally.found += 1
                viewer.live[index].matches = try plan.matches()
            }
            let found = viewer.live[index].matches!.keys.keys
            let expected = try plan.keys()
            if found != expected {
                Issue.record(
                    "\(comment), \(name), mended: \(isMended): \(found.count) for \(expected.count)"
                )
                viewer.live[index].matches = nil
            }
        }
    }

    @Test(arguments: 1...Self.seeds as ClosedRange<UInt64>)
    func mendedMatchesAreThoseFoundAnew(seed: UInt64) throws {
        var writer = Writer(random: SeededGenerator(seed: seed))
        let path = directory.file()
        let first = try Connection(Database.open(path: path))
        try first.beginWrite()
        try first.createTables([Self.definition])
        let table = try #require(try first.table(named: "Person"))
        try writer.insert(table, count: [20, 2_500, 5_000][writer.random.next(below: 3)])
        try first.commit()
        // The last viewer acts like one of another process.
        let viewers = try [
            Viewer(first), Viewer(Connection(Database.open(path: path))),
            Viewer(Connection(Database.openUnregistered(path: path))),
        ]
        for viewer in viewers {
            for (name, condition, isMendable) in conditions() {
                try viewer.plan(name, condition)
                #expect(viewer.live.last?.plan.isMendable == isMendable, "\(name)")
            }
        }
        var tally = Tally()
        for round in 0..<150 {
            let viewer = viewers[writer.random.next(below: viewers.count)]
            try viewer.connection.beginWrite()
            for _ in 0..<writer.random.next(below: 4) {
                try writer.change(viewer.table)
                if writer.random.next(below: 2) == 0 {
                    try ask(viewer, &writer.random, &tally, "seed \(seed), round \(round)")
                }
            }
            if writer.random.next(below: 3) == 0 {
                viewer.connection.rollback()
            } else {
                try viewer.connection.commit()
            }
            for other in viewers where writer.random.next(below: 2) == 0 {
                try other.connection.refresh()
                try ask(other, &writer.random, &tally, "seed \(seed), after round \(round)")
            }
        }
        #expect(tally.mended > 100 && tally.mendedInTransaction > 20)
        // Some changes affect many leaves.
        #expect(tally.askedLeaves < tally.leaves)
    }

    @Test func oneChangeAsksOneLeaf() throws {
        var writer = Writer(random: SeededGenerator(seed: 1))
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Person"))
        try writer.insert(table, count: 5_000)
        try connection.commit()
        for (index, (name, condition, isMendable)) in conditions().enumerated() where isMendable {
            let plan = try QueryPlan(table, condition)
            var matches = try plan.matches()
            func change(_ body: (inout Writer, ObjectKey) throws -> Void) throws {
                try connection.beginWrite()
                try body(&writer, try #require(try writer.someKey(table)))
                try connection.commit()
            }
            // No object has this age.
            try change { try $0.set(table, Column.age, $1, .integer(101 + Int64(index))) }
            let (isMended, effort) = try plan.measuringEffort { try plan.mend(&matches) }
            #expect(isMended, "\(name)")
            #expect(effort.leaves == matches.askedLeaves, "\(name)")
            // Objects that the index names are not searched for. A leaf that has no room left is
            // split.
            let asked = name == "age of few" ? 0...0 : 1...2
            #expect(asked.contains(matches.askedLeaves), "\(name)")
            #expect(try matches.keys.keys == plan.keys(), "\(name)")
            try change { writer, _ in try writer.insert(table, count: 1) }
            #expect(try plan.mend(&matches), "\(name)")
            #expect(matches.askedLeaves <= 2, "\(name)")
            // This deletes the newest object: others link to older objects, and lose these links
            // when they are deleted.
            try change { _, _ in try table.delete(table.key(at: table.count() - 1)) }
            #expect(try plan.mend(&matches), "\(name)")
            #expect(matches.askedLeaves <= 4, "\(name)")
            #expect(try matches.keys.keys == plan.keys(), "\(name)")
            // Nothing has changed.
            #expect(try plan.mend(&matches) && matches.askedLeaves == 0, "\(name)")
        }
    }
}

extension SeededGenerator {
    fileprivate var isNil: Bool {
        mutating get { next(below: 4) == 0 }
    }
}

extension Scalar {
    fileprivate func isInteger(_ value: Int64) -> Bool {
        if case .integer(value) = self { true } else { false }
    }
}

extension MixedValue {
    fileprivate func isInt(_ value: Int64) -> Bool {
        if case .int(value) = self { true } else { false }
    }

    fileprivate func isSameInt(_ other: MixedValue) -> Bool {
        if case .int(let value) = self { other.isInt(value) } else { false }
    }
}
