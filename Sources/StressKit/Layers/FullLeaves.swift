import StorageEngine
import StressModel

/// A class of 64 Bool properties. In a full leaf, the first `true` of a column makes the column
/// wider, for all rows at once.
struct FullLeaves {
    private static let columnCount = 64
    private static let rowCount = 4000
    private static let changes = 200

    private let path: String
    private let options: Database.Options
    private let trial: Trial
    private let seed: UInt64
    private let definition = TableDefinition(
        name: "Switches",
        columns: (0..<Self.columnCount).map { ColumnDefinition(name: "on\($0)", type: .bool) }
            + [ColumnDefinition(name: "number", type: .int)])

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.path = path
        self.trial = trial
        options = try point.options()
        seed = try point.value("seed", default: 0)
    }

    func run() throws {
        var random = RepeatableRandom(seed: seed, part: 9 << 32)
        // Random numbers, which no leaf can store with a width of zero bits.
        let numbers = (0..<Self.rowCount).map { _ in Int64(random.below(1 << 16)) }
        var model = numbers.map { _ in [Int64](repeating: 0, count: Self.columnCount) }
        try write(numbers, &model, &random)
        let connection = try Connection(Database.open(path: path, options: options))
        try compare(connection, numbers, model)
    }

    /// Writes the objects and changes them. A separate function, so that the database is closed
    /// when it returns.
    private func write(
        _ numbers: [Int64], _ model: inout [[Int64]], _ random: inout RepeatableRandom
    ) throws {
        let connection = try Connection(Database.open(path: path, options: options))
        try connection.beginWrite()
        try connection.createTables([definition])
        var table = try connection.table(named: definition.name)!
        let off = [OwnedValue](repeating: .integer(0), count: Self.columnCount)
        for number in numbers { _ = try table.insert(off + [.integer(number)]) }
        try connection.commit()
        for _ in 0..<Self.changes {
            let (row, column) = (random.below(Self.rowCount), random.below(Self.columnCount))
            try connection.beginWrite()
            table = try connection.table(named: definition.name)!
            try table.set(column, of: table.key(at: row), to: .integer(1))
            try connection.commit(.relaxed)
            model[row][column] = 1
        }
        try compare(connection, numbers, model)
        trial.count(commits: Self.changes + 1)
    }

    private func compare(
        _ connection: Connection, _ numbers: [Int64], _ model: [[Int64]]
    ) throws {
        let table = try connection.table(named: definition.name)!
        for row in 0..<Self.rowCount {
            let key = try table.key(at: row)
            for (column, expected) in (model[row] + [numbers[row]]).enumerated() {
                guard case .integer(let found) = try table.value(column, of: key),
                    found == expected
                else {
                    throw Finding(
                        .wrongState, "row \(row), property \(column) is not \(expected).")
                }
            }
        }
        try connection.checkIntact()
        trial.count(states: 1)
    }
}
