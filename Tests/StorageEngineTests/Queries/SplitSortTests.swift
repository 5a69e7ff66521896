import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Orders that two threads make, asked for by several threads beside a writer.
@Suite struct SplitSortTests {
    private static let rowCount = 2_500

    /// Numbers that fit words, fractions, and few values with null among them.
    private static let columns = [
        ColumnDefinition(name: "number", type: .int),
        ColumnDefinition(name: "weight", type: .double),
        ColumnDefinition(name: "group", type: .int, isOptional: true),
    ]

    private static func randomRow(_ random: inout SeededGenerator) -> [Scalar] {
        [
            .integer(Int64(random.next(below: 100_000))), .double(random.nextUnit()),
            random.next(below: 3) == 0 ? .null : .integer(Int64(random.next(below: 5))),
        ]
    }

    private static func insertRow(
        _ table: Table, _ random: inout SeededGenerator
    ) throws -> ObjectKey {
        let row = randomRow(&random)
        return try row.withUnsafeBufferPointer { try table.insert($0) }
    }

    /// Compares two values of a column: null comes first.
    private static func precedes(_ a: Scalar, _ b: Scalar) -> Bool {
        switch (a, b) {
        case (.null, .null): false
        case (.null, _): true
        case (.integer(let a), .integer(let b)): a < b
        case (.double(let a), .double(let b)): a < b
        default: false
        }
    }

    /// Sorts by two threads, and returns whether the result is that of a stable sort of the values.
    private static func sortsRightly(
        _ connection: Connection, _ random: inout SeededGenerator
    ) throws -> Bool {
        let table = try #require(try connection.table(named: "Row"))
        let orders = [0, 1, 2].prefix(1 + random.next(below: 3)).map { _ in
            QueryOrder(
                column: random.next(below: columns.count), isAscending: random.next(below: 2) == 0)
        }
        let condition: QueryCondition =
            random.next(below: 2) == 0
            ? .constant(true) : .value(column: 0, .compare(.less, .integer(60_000)))
        let plan = try QueryPlan(table, condition)
        let sorter = try QuerySorter(table, orders)
        connection.pager.worthSharing.sharesAll = true
        let rows = try plan.keys().map { key in
            (key: key, values: try columns.indices.map { try table.value($0, of: key) })
        }
        let expected = rows.sorted { a, b in
            for order in orders {
                let (first, second) = (a.values[order.column], b.values[order.column])
                if precedes(first, second) { return order.isAscending }
                if precedes(second, first) { return !order.isAscending }
            }
            return false
        }
        return try sorter.sorted(plan) == expected.map(\.key)
    }

    @Test(arguments: FileKind.allCases)
    func threadsThatSortBesideAWriterSeeTheirVersions(kind: FileKind) throws {
        let directory = TestDirectory()
        let database = try Database.open(path: directory.file(), options: kind.options)
        let writer = try Connection(database)
        var random = SeededGenerator(seed: 1)
        try writer.beginWrite()
        try writer.createTables([TableDefinition(name: "Row", columns: Self.columns)])
        let table = try #require(try writer.table(named: "Row"))
        var keys: [ObjectKey] = []
        for _ in 0..<Self.rowCount { keys.append(try Self.insertRow(table, &random)) }
        try writer.commit()
        let threads = (0..<3).map { number in
            BackgroundThread { isStopped in
                let connection = try Connection(database)
                var random = SeededGenerator(seed: UInt64(100 + number))
                repeat {
                    _ = try connection.refresh()
                    if try !Self.sortsRightly(connection, &random) { return false }
                } while !isStopped()
                return true
            }
        }
        for _ in 0..<10 {
            try writer.beginWrite()
            for _ in 0..<100 {
                let place = random.next(below: keys.count)
                try table.delete(keys[place])
                keys[place] = try Self.insertRow(table, &random)
                try table.set(
                    0, of: keys[random.next(below: keys.count)],
                    to: .integer(Int64(random.next(below: 100_000))))
            }
            // Also changes that are not committed.
            #expect(try Self.sortsRightly(writer, &random))
            try writer.commit()
        }
        for thread in threads { #expect(try thread.finish()) }
    }
}
