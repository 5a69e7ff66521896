import Testing
import ToolSupport

@testable import StorageEngine

/// Objects in the order of numbers that fit one word beside their keys, and of others, compared
/// with a sorted array.
@Suite struct NumberOrderTests {
    private let directory = TestDirectory()

    enum Values: CaseIterable {
        case few, large, all, equal, seconds, floats, largeDoubles, fractions, special

        var type: ValueType {
            switch self {
            case .few, .large, .all, .equal: .int
            case .floats: .float
            case .seconds, .largeDoubles, .fractions, .special: .double
            }
        }

        /// Whether the leaves hold whole numbers of at most 32 bits.
        var fitWords: Bool {
            switch self {
            case .few, .large, .equal, .seconds, .floats: true
            case .all, .largeDoubles, .fractions, .special: false
            }
        }

        func next(_ random: inout SeededGenerator) -> Double {
            switch self {
            case .few: Double(random.next(below: 9)) - 4
            case .large: Double(random.next(below: 1 << 31)) - 0x1p39
            case .all: (Double(random.next(below: 1 << 40)) - 0x1p39) * 0x1p23
            case .equal: 7
            case .seconds: Double(random.next(below: 1 << 32)) - 1_900_000_000
            case .floats: Double(random.next(below: 1 << 20)) - 1_000
            case .largeDoubles: Double(random.next(below: 1 << 40)) * 0x1p22
            case .fractions: Double(random.next(below: 1 << 20)) / 3
            case .special: [0, -0.0, .nan, .infinity, -.infinity, 5][random.next(below: 6)]
            }
        }
    }

    /// NaN comes before all numbers, and both zeros are equal.
    private func precedes(_ a: Double, _ b: Double) -> Bool {
        a.isNaN || b.isNaN ? a.isNaN && !b.isNaN : a < b
    }

    @Test(arguments: Values.allCases, [1, 200, 3_000])
    func objectsComeInTheOrderOfTheirNumbers(values: Values, rows: Int) throws {
        var random = SeededGenerator(seed: 5)
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "A",
                columns: [ColumnDefinition(name: "a", type: values.type, isOptional: true)])
        ])
        let table = try #require(try connection.table(named: "A"))
        var objects: [(key: ObjectKey, number: Double?)] = []
        for _ in 0..<rows {
            let number = random.next(below: 10) == 0 ? nil : values.next(&random)
            let value: OracleValue =
                switch (number, values.type) {
                case (nil, _): .null
                case (let number?, .int): .integer(Int64(number))
                case (let number?, .float): .float(Float(number).bitPattern)
                case (let number?, _): .double(number.bitPattern)
                }
            objects.append((try table.insert(owned: [value]), number))
        }
        for object in objects where rows > 1 && random.next(below: 4) == 0 {
            try table.delete(object.key)
            objects.removeAll { $0.key == object.key }
        }
        try connection.commit()
        for ascending in [true, false] {
            let layout = try WordLayout(0, of: table, ascending: ascending)
            if rows > 1 { #expect((layout != nil) == values.fitWords) }
            let nulls = objects.filter { $0.number == nil }.map(\.key)
            // The sort of the standard library is stable.
            let numbers = objects.filter { $0.number != nil }.sorted {
                let (a, b) = ($0.number ?? 0, $1.number ?? 0)
                return ascending ? precedes(a, b) : precedes(b, a)
            }.map(\.key)
            let expected = ascending ? nulls + numbers : numbers + nulls
            #expect(try table.keys(sortedBy: 0, ascending: ascending) == expected)
            let sorter = try QuerySorter(table, [QueryOrder(column: 0, isAscending: ascending)])
            connection.pager.worthSharing.sharesAll = false
            let plan = try QueryPlan(table, .constant(true))
            #expect(try sorter.sorted(plan) == expected)
            connection.pager.worthSharing.sharesAll = true
            #expect(try sorter.sorted(plan) == expected)
        }
    }
}
