import Testing
import ToolSupport

@testable import StorageEngine

/// Orders by several properties and links, compared with a stable sort of plain Swift values.
@Suite struct QuerySorterTests {
    private let directory = TestDirectory()
    private let connections = KeptConnections()

    /// The open connections, because tables do not keep theirs.
    private final class KeptConnections {
        private var connections: [Connection] = []

        func keep(_ connection: Connection) { connections.append(connection) }
    }

    private struct Row {
        var key: ObjectKey
        /// The values in the order of the columns; nil is null.
        var text: [UInt8]?
        var number: Int64
        var decimal: Int64?
        var date: Double?
        var weight: Float?
        var parent: Int?
    }

    private enum Column {
        static let text = 0, number = 1, decimal = 2, parent = 3, date = 4, weight = 5
        static let all = [text, number, decimal, date, weight]
    }

    private static func definition(isIndexed: Bool) -> TableDefinition {
        TableDefinition(
            name: "Row",
            columns: [
                ColumnDefinition(
                    name: "text", type: .string, isOptional: true, isIndexed: isIndexed),
                ColumnDefinition(name: "number", type: .int, isIndexed: isIndexed),
                ColumnDefinition(name: "decimal", type: .decimal128, isOptional: true),
                ColumnDefinition(name: "parent", type: .link, linkTarget: "Row"),
                ColumnDefinition(
                    name: "date", type: .date, isOptional: true, isIndexed: isIndexed),
                ColumnDefinition(name: "weight", type: .float, isOptional: true),
            ])
    }

    /// Creates a table. Every second seed adds indexes.
    private func makeTable(_ seed: UInt64) throws -> Table {
        let connection = try Connection(Database.open(path: directory.file("\(seed).realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition(isIndexed: seed % 2 == 0)])
        connections.keep(connection)
        return try #require(try connection.table(named: "Row"))
    }

    private func makeRows(
        _ table: Table, count: Int, _ random: inout SeededGenerator
    ) throws -> [Row] {
        var rows: [Row] = []
        let numbers = random.next(below: 2) == 0 ? 6 : 100_000
        for _ in 0..<count {
            var row = Row(
                key: ObjectKey(rawValue: 0), text: randomText(&random),
                number: Int64(random.next(below: numbers)) - 3,
                decimal: random.next(below: 4) == 0 ? nil : Int64(random.next(below: 5)) - 2,
                date: [nil, .nan, -0.0, 0, 1.5, Double(random.next(below: 300))][
                    random.next(below: 6)],
                weight: [nil, .nan, -0.0, 0, 0.1, Float(random.next(below: 300)) / 3][
                    random.next(below: 6)])
            if !rows.isEmpty, random.next(below: 3) > 0 {
                row.parent = random.next(below: rows.count)
            }
            let decimal = row.decimal.map { Decimal128($0) }
            let text: OwnedScalar = row.text.map { .bytes($0) } ?? .null
            row.key = try text.withScalar { text in
                let values: [Scalar] = [
                    text, .integer(row.number), decimal.map { .fixed16($0.low, $0.high) } ?? .null,
                    row.parent.map { .integer(rows[$0].key.rawValue) } ?? .null,
                    row.date.map { .double($0) } ?? .null, row.weight.map { .float($0) } ?? .null,
                ]
                return try values.withUnsafeBufferPointer { try table.insert($0) }
            }
            rows.append(row)
        }
        return rows
    }

    /// A random text. The first eight bytes are often equal, and sometimes more.
    private func randomText(_ random: inout SeededGenerator) -> [UInt8]? {
        if random.next(below: 5) == 0 { return nil }
        let start = [UInt8](repeating: 97, count: [0, 3, 8, 12][random.next(below: 4)])
        return start + (0..<random.next(below: 3)).map { _ in UInt8(97 + random.next(below: 2)) }
    }

    /// Returns a number below, equal to or above 0, for ascending order.
    private func compare(_ a: Row, _ b: Row, _ column: Int) -> Int {
        func order<T>(_ a: T?, _ b: T?, _ precedes: (T, T) -> Bool) -> Int {
            switch (a, b) {
            case (nil, nil): 0
            case (nil, _): -1
            case (_, nil): 1
            case (let a?, let b?): precedes(a, b) ? -1 : precedes(b, a) ? 1 : 0
            }
        }
        func precedes<T: FloatingPoint>(_ a: T, _ b: T) -> Bool {
            a.isNaN || b.isNaN ? a.isNaN && !b.isNaN : a < b
        }
        switch column {
        case Column.text: return order(a.text, b.text) { $0.lexicographicallyPrecedes($1) }
        case Column.number: return order(a.number, b.number, <)
        case Column.date: return order(a.date, b.date, precedes)
        case Column.weight: return order(a.weight, b.weight, precedes)
        default: return order(a.decimal, b.decimal, <)
        }
    }

    private func end(_ row: Row, _ order: QueryOrder, _ rows: [Row]) -> Row? {
        var row: Row? = row
        for _ in order.links { row = row?.parent.map { rows[$0] } }
        return row
    }

    /// Compares rows by the first property in which they differ. A link that leads nowhere has no
    /// row, which comes after all others.
    private func compare(_ a: Row, _ b: Row, _ orders: [QueryOrder], _ rows: [Row]) -> Int {
        for order in orders {
            let result =
                switch (end(a, order, rows), end(b, order, rows)) {
                case (nil, nil): 0
                case (nil, _): 1
                case (_, nil): -1
                case (let a?, let b?): compare(a, b, order.column)
                }
            if result != 0 { return order.isAscending ? result : -result }
        }
        return 0
    }

    private func randomOrders(_ random: inout SeededGenerator) -> [QueryOrder] {
        (0..<random.next(below: 4)).map { _ in
            QueryOrder(
                links: Array(repeating: Column.parent, count: max(0, random.next(below: 5) - 2)),
                column: Column.all[random.next(below: Column.all.count)],
                isAscending: random.next(below: 2) == 0)
        }
    }

    private func sorted(_ given: [Row], _ orders: [QueryOrder], _ rows: [Row]) -> [ObjectKey] {
        given.enumerated().sorted {
            let result = compare($0.element, $1.element, orders, rows)
            return result != 0 ? result < 0 : $0.offset < $1.offset
        }.map(\.element.key)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func ordersAndGroupsAreThoseOfPlainValues(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let table = try makeTable(seed)
        let rows = try makeRows(table, count: [1, 70, 400][random.next(below: 3)], &random)
        for _ in 0..<30 {
            let orders = randomOrders(&random)
            let given = shuffled(rows, &random)
            let sorter = try QuerySorter(table, orders)
            let comment: Comment = "seed \(seed): \(orders)"
            #expect(
                try sorter.sorted(given.map(\.key)) == sorted(given, orders, rows), comment)
            var kept: [Row] = []
            for row in given
            where orders.allSatisfy({ end(row, $0, rows) != nil })
                && !kept.contains(where: { compare($0, row, orders, rows) == 0 })
            {
                kept.append(row)
            }
            #expect(try sorter.distinct(given.map(\.key)) == kept.map(\.key), comment)
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func singleObjectsFindTheirPlacesInSortedOnes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let table = try makeTable(seed)
        let rows = try makeRows(table, count: [1, 70, 400][random.next(below: 3)], &random)
        for _ in 0..<10 {
            let orders = randomOrders(&random)
            let comment: Comment = "seed \(seed): \(orders)"
            let sorter = try QuerySorter(table, orders)
            let keys = try sorter.sorted(rows.map(\.key))
            var order = ObjectOrder(sorter)
            let entries = try keys.map { try order.entry($0) }
            let sequence = OrderedKeys(keys)
            for _ in 0..<20 {
                let (first, second) = (
                    random.next(below: keys.count), random.next(below: keys.count)
                )
                let place = try sequence.partitionPoint { try order.precedes($0, entries[first]) }
                #expect(place == first, comment)
                #expect(order.precedes(entries[first], entries[second]) == (first < second))
                let row = rows.first { $0.key == keys[first] }
                #expect(
                    entries[first].isComplete(inFirst: orders.count)
                        == orders.allSatisfy { order in row.flatMap { end($0, order, rows) } != nil
                        },
                    comment)
            }
            guard let property = orders.first else { continue }
            for entry in entries {
                let group = try sequence.partitionPoint {
                    try order.compare($0, entry, properties: 1) < 0
                }
                let first = keys.first { key in
                    let (row, other) = (
                        rows.first { $0.key == key }, rows.first { $0.key == entry.key }
                    )
                    return row.flatMap { row in
                        other.map { compare(row, $0, [property], rows) == 0 }
                    } ?? false
                }
                #expect(keys[group] == first, comment)
            }
        }
    }

    // MARK: Sorting the results of a plan

    /// A condition and its meaning.
    private func question(
        _ random: inout SeededGenerator
    ) -> (condition: QueryCondition, isTrue: (Row) -> Bool) {
        let number = Int64(random.next(below: 8)) - 3
        switch random.next(below: 5) {
        case 0: return (.constant(true), { _ in true })
        case 1:
            return (
                .value(column: Column.number, .compare(.less, .integer(number))),
                { $0.number < number }
            )
        case 2:
            return (
                .value(column: Column.number, .compare(.equal, .integer(number))),
                { $0.number == number }
            )
        case 3: return (.value(column: Column.decimal, .isNull), { $0.decimal == nil })
        default:
            return (.object(name: "even") { $1.rawValue % 2 == 0 }, { $0.key.rawValue % 2 == 0 })
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func theFirstAreThoseOfAllInOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let table = try makeTable(seed)
        let rows = try makeRows(table, count: [3, 300, 1_200][random.next(below: 3)], &random)
        if random.next(below: 2) == 0 { try table.connection.commit() }
        for _ in 0..<20 {
            let orders = randomOrders(&random)
            let sorter = try QuerySorter(table, orders)
            table.pager.worthSharing.sharesAll = random.next(below: 2) == 0
            let (condition, isTrue) = question(&random)
            let plan = try QueryPlan(table, condition)
            let expected = sorted(rows.filter(isTrue), orders, rows)
            let comment: Comment = "seed \(seed): \(orders) of \(plan.explain())"
            #expect(try sorter.sorted(plan) == expected, comment)
            for limit in [0, 1, 7, 100, 5_000] {
                #expect(
                    try sorter.first(limit, of: plan) == Array(expected.prefix(limit)),
                    "\(comment), limit \(limit)")
            }
        }
    }

    @Test func anIndexIsWalkedWhileThatIsCheap() throws {
        var random = SeededGenerator(seed: 3)
        let table = try makeTable(2)
        var rows: [Row] = []
        while rows.count < 6_000 || rows.allSatisfy({ $0.number < 6 }) {
            for row in rows { try table.delete(row.key) }
            rows = try makeRows(table, count: 6_000, &random)
        }
        func check(
            _ order: QueryOrder, _ condition: QueryCondition, isByIndex: Bool,
            _ isTrue: (Row) -> Bool = { _ in true }
        ) throws {
            let sorter = try QuerySorter(table, [order])
            let plan = try QueryPlan(table, condition)
            let (first, effort) = try plan.measuringEffort { try sorter.first(8, of: plan) }
            #expect(first == Array(sorted(rows.filter(isTrue), [order], rows).prefix(8)))
            #expect(effort.isOrderedByIndex == isByIndex, "\(order)")
            if isByIndex { #expect(effort.rows <= 6_000 / QueryPlan.shareOfCandidates) }
        }
        let everything = QueryCondition.constant(true)
        for isAscending in [true, false] {
            try check(
                QueryOrder(column: Column.number, isAscending: isAscending), everything,
                isByIndex: true)
            try check(
                QueryOrder(column: Column.weight, isAscending: isAscending), everything,
                isByIndex: false)
        }
        try check(
            QueryOrder(column: Column.number), .value(column: Column.decimal, .isNotNull),
            isByIndex: true
        ) { $0.decimal != nil }
        let last = try #require(rows.max { $0.number < $1.number })
        try check(
            QueryOrder(column: Column.number), .object(name: "last") { $1 == last.key },
            isByIndex: false
        ) { $0.key == last.key }
    }

    private func shuffled(_ rows: [Row], _ random: inout SeededGenerator) -> [Row] {
        var rows = rows
        for index in rows.indices.dropFirst() { rows.swapAt(index, random.next(below: index + 1)) }
        return rows
    }

    @Test func aSortEndsWhenItIsToStop() throws {
        var random = SeededGenerator(seed: 4)
        let table = try makeTable(1)
        let rows = try makeRows(table, count: 3 * PathReader.readsPerCheck, &random)
        let keys = rows.map(\.key)
        let stop = StopRequest()
        table.connection.stopRequest = stop
        let byLink = QueryOrder(links: [Column.parent], column: Column.number)
        let sorters = try [
            [QueryOrder(column: Column.text)], [byLink],
            [QueryOrder(column: Column.date), byLink],
        ].map { try QuerySorter(table, $0) }
        for sorter in sorters { #expect(try sorter.sorted(keys).count == keys.count) }
        stop.make()
        for sorter in sorters {
            // Whoever reads all of them comes to one that does not exist.
            for given in [keys + [ObjectKey(rawValue: .max)], Array(keys.prefix(100))] {
                let error = #expect(throws: StorageError.self) { try sorter.sorted(given) }
                #expect(error?.code == .interrupted)
            }
            let error = #expect(throws: StorageError.self) {
                try sorter.distinct(keys + [ObjectKey(rawValue: .max)])
            }
            #expect(error?.code == .interrupted)
        }
        table.connection.stopRequest = nil
        for sorter in sorters { #expect(try sorter.sorted(keys).count == keys.count) }
    }

    @Test func whatHasNoOrderIsRefused() throws {
        let table = try makeTable(1)
        #expect(throws: StorageError.self) {
            try QuerySorter(table, [QueryOrder(column: Column.parent)])
        }
        #expect(throws: StorageError.self) {
            try QuerySorter(table, [QueryOrder(links: [Column.number], column: Column.text)])
        }
    }
}
