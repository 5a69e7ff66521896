import Testing

@testable import StorageEngine

/// Orders by several properties and links against a stable sort of plain Swift values.
@Suite struct QuerySorterTests {
    private let directory = TestDirectory()

    private struct Row {
        var key: ObjectKey
        /// As the columns below; nil is null.
        var text: [UInt8]?
        var number: Int64
        var decimal: Int64?
        var parent: Int?
    }

    private static let definition = TableDefinition(
        name: "Row",
        columns: [
            ColumnDefinition(name: "text", type: .string, isOptional: true),
            ColumnDefinition(name: "number", type: .int),
            ColumnDefinition(name: "decimal", type: .decimal128, isOptional: true),
            ColumnDefinition(name: "parent", type: .link, linkTarget: "Row"),
        ])

    private func makeRows(_ table: Table, _ random: inout SeededRandom) throws -> [Row] {
        var rows: [Row] = []
        for _ in 0..<[1, 70, 400][random.next(below: 3)] {
            var row = Row(
                key: ObjectKey(rawValue: 0), text: randomText(&random),
                number: Int64(random.next(below: 6)) - 3,
                decimal: random.next(below: 4) == 0 ? nil : Int64(random.next(below: 5)) - 2)
            if !rows.isEmpty, random.next(below: 3) > 0 {
                row.parent = random.next(below: rows.count)
            }
            let decimal = row.decimal.map { Decimal128($0) }
            let text: OwnedScalar = row.text.map { .bytes($0) } ?? .null
            row.key = try text.withScalar { text in
                let values: [Scalar] = [
                    text, .integer(row.number), decimal.map { .fixed16($0.low, $0.high) } ?? .null,
                    row.parent.map { .integer(rows[$0].key.rawValue) } ?? .null,
                ]
                return try values.withUnsafeBufferPointer { try table.insert($0) }
            }
            rows.append(row)
        }
        return rows
    }

    /// Often alike in the first eight bytes, and beyond.
    private func randomText(_ random: inout SeededRandom) -> [UInt8]? {
        if random.next(below: 5) == 0 { return nil }
        let start = [UInt8](repeating: 97, count: [0, 3, 8, 12][random.next(below: 4)])
        return start + (0..<random.next(below: 3)).map { _ in UInt8(97 + random.next(below: 2)) }
    }

    /// Below 0, 0 or above 0, ascending.
    private func compare(_ a: Row?, _ b: Row?, _ column: Int) -> Int {
        func order<T>(_ a: T?, _ b: T?, _ precedes: (T, T) -> Bool) -> Int {
            switch (a, b) {
            case (nil, nil): 0
            case (nil, _): -1
            case (_, nil): 1
            case (let a?, let b?): precedes(a, b) ? -1 : precedes(b, a) ? 1 : 0
            }
        }
        switch column {
        case 0: return order(a?.text, b?.text) { $0.lexicographicallyPrecedes($1) }
        case 1: return order(a?.number, b?.number, <)
        default: return order(a?.decimal, b?.decimal, <)
        }
    }

    private func end(_ row: Row, _ order: QueryOrder, _ rows: [Row]) -> Row? {
        var row: Row? = row
        for _ in order.links { row = row?.parent.map { rows[$0] } }
        return row
    }

    /// The first property that tells two rows apart decides.
    private func compare(_ a: Row, _ b: Row, _ orders: [QueryOrder], _ rows: [Row]) -> Int {
        for order in orders {
            let result = compare(end(a, order, rows), end(b, order, rows), order.column)
            if result != 0 { return order.isAscending ? result : -result }
        }
        return 0
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func ordersAndGroupsAreThoseOfPlainValues(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let connection = try Connection(Database.open(path: directory.file("\(seed).realm")))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Row"))
        let rows = try makeRows(table, &random)
        for _ in 0..<30 {
            let orders = (0..<random.next(below: 4)).map { _ in
                QueryOrder(
                    links: Array(repeating: 3, count: max(0, random.next(below: 5) - 2)),
                    column: random.next(below: 3), isAscending: random.next(below: 2) == 0)
            }
            let given = shuffled(rows, &random)
            let sorter = try QuerySorter(table, orders)
            let expected = given.enumerated().sorted {
                let result = compare($0.element, $1.element, orders, rows)
                return result != 0 ? result < 0 : $0.offset < $1.offset
            }
            let comment: Comment = "seed \(seed): \(orders)"
            #expect(try sorter.sorted(given.map(\.key)) == expected.map(\.element.key), comment)
            var kept: [Row] = []
            for row in given
            where !kept.contains(where: { compare($0, row, orders, rows) == 0 }) {
                kept.append(row)
            }
            #expect(try sorter.distinct(given.map(\.key)) == kept.map(\.key), comment)
        }
        connection.rollback()
    }

    private func shuffled(_ rows: [Row], _ random: inout SeededRandom) -> [Row] {
        var rows = rows
        for index in rows.indices.dropFirst() { rows.swapAt(index, random.next(below: index + 1)) }
        return rows
    }

    @Test func whatHasNoOrderIsRefused() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "Row"))
        #expect(throws: StorageError.self) { try QuerySorter(table, [QueryOrder(column: 3)]) }
        #expect(throws: StorageError.self) {
            try QuerySorter(table, [QueryOrder(links: [1], column: 0)])
        }
        connection.rollback()
    }
}
