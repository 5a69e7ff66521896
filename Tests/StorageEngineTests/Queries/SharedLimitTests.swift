import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Sums, groups and conditions at their limits, found by two threads and by one.
@Suite struct SharedLimitTests {
    private let directory = TestDirectory()

    /// All bits of the answers of a plan.
    private func text(_ plan: QueryPlan, _ columns: [Int], by: Int) throws -> String {
        var parts = ["\(try plan.count())"]
        for column in columns {
            let sum = try plan.sum(column)
            parts.append("\(sum.count) \(sum.integer) \(sum.floating.bitPattern)")
        }
        for group in try plan.groups(by: by, of: columns) {
            parts.append("\(group.key) \(group.count)")
            for position in columns.indices {
                let summary = group.summary(at: position)
                let (sum, extremes) = (summary.sum, [summary.minimum, summary.maximum])
                parts.append("\(sum.count) \(sum.integer) \(sum.floating.bitPattern)")
                parts.append("\(extremes.map { OwnedScalar($0 ?? .null) })")
            }
        }
        return parts.joined(separator: ";")
    }

    /// The second thread has a small stack.
    @Test func conditionsAsDeepAsAllowedAreShared() throws {
        let depth = QueryCondition.maximumDepth - 2
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "n", type: .int),
                    ColumnDefinition(name: "s", type: .string),
                ])
        ])
        let table = try #require(try connection.table(named: "A"))
        for number in 0..<2000 {
            _ = try table.insert(scalars: [
                OwnedScalar.integer(Int64(number * 7919 % 101)),
                .bytes(Array("s\(number % 13)".utf8)),
            ])
        }
        try connection.commit()
        let leaf = QueryCondition.value(column: 0, .compare(.less, .integer(50)))
        let other = QueryCondition.value(column: 1, .hasSuffix([51]))
        var not = leaf
        var mixed = leaf
        for level in 0..<depth {
            not = .not(not)
            mixed =
                [
                    QueryCondition.and([mixed, .not(other)]), .or([mixed, other]), .not(mixed),
                ][level % 3]
        }
        for condition in [not, mixed] {
            let plan = try QueryPlan(table, condition)
            connection.pager.worthSharing.sharesAll = false
            let expected = try text(plan, [0], by: 0)
            connection.pager.worthSharing.sharesAll = true
            for _ in 0..<2 { #expect(try text(plan, [0], by: 0) == expected) }
        }
    }

    private static func row(
        _ whole: Double, _ groups: Int, _ random: inout SeededGenerator
    ) -> [OwnedScalar] {
        let extremes: [Int64] = [.min, .max, -1, 0, 1]
        let specials: [Double] = [0, -0.0, .nan, 1, 2, -.infinity, 0.5]
        var row: [OwnedScalar] = [
            .integer(Int64(random.next(below: groups))), .integer(Int64(random.next(below: 1000))),
            .double(whole), .float(Float(random.next(below: 1 << 24))),
            .double(specials[random.next(below: 7)]),
        ]
        if random.next(below: 40) == 0 { row[1] = .integer(extremes[random.next(below: 5)]) }
        if random.next(below: 4000) == 0 { row[2] = .double(specials[random.next(below: 7)]) }
        for column in row.indices where random.next(below: 15) == 0 { row[column] = .null }
        return row
    }

    /// Floating point up to where whole numbers are no longer exact, and the extreme integers.
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func sumsNearTheLimits(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let connection = try Connection(Database.open(path: directory.file("\(seed)")))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "A",
                columns: [
                    ColumnDefinition(name: "key", type: .int, isOptional: true),
                    ColumnDefinition(name: "int", type: .int, isOptional: true),
                    ColumnDefinition(name: "whole", type: .double, isOptional: true),
                    ColumnDefinition(name: "float", type: .float, isOptional: true),
                    ColumnDefinition(name: "dkey", type: .double, isOptional: true),
                ])
        ])
        let table = try #require(try connection.table(named: "A"))
        let groups = [1, 3, 70, 5000][random.next(below: 4)]
        var magnitude = 30 + random.next(below: 24)
        let flip = random.next(below: 2) == 0
        var sign = 1.0
        for number in 0..<[500, 6000, 20000][random.next(below: 3)] {
            if random.next(below: 1500) == 0 { magnitude = 20 + random.next(below: 34) }
            if random.next(below: 900) == 0 { sign = -sign }
            let whole =
                Double(Int64(random.next(below: 1 << magnitude))) * sign
                * (flip && number % 2 == 0 ? -1 : 1)
            _ = try table.insert(scalars: Self.row(whole, groups, &random))
        }
        if random.next(below: 2) == 0 { try connection.commit() }
        let plans = try [
            QueryPlan(table, .constant(true)),
            QueryPlan(
                table,
                .value(
                    column: 1, .compare(.greaterOrEqual, .integer(Int64(random.next(below: 1000)))))
            ),
            QueryPlan(table, .not(.value(column: 2, .compare(.less, .double(0))))),
            QueryPlan(table, .value(column: 0, .isNull)),
        ]
        for plan in plans {
            for by in [0, 4, 1, 3] {
                connection.pager.worthSharing.sharesAll = false
                let expected = try text(plan, [1, 2, 3, 4], by: by)
                let few = try text(plan, [2], by: by)
                connection.pager.worthSharing.sharesAll = true
                for _ in 0..<3 {
                    let answer = try text(plan, [1, 2, 3, 4], by: by)
                    if answer != expected { Issue.record("seed \(seed) by \(by) all") }
                    let fewAnswer = try text(plan, [2], by: by)
                    if fewAnswer != few { Issue.record("seed \(seed) by \(by) few") }
                }
            }
        }
        if connection.isInWriteTransaction { connection.rollback() }
    }
}

extension Table {
    fileprivate func insert(scalars values: [OwnedScalar]) throws -> ObjectKey {
        try insert(owned: values.map { value in value.withScalar { OracleValue($0) } })
    }
}
