import Testing
import ToolSupport

@testable import StorageEngine

/// Tables of many columns: leaves grow if columns are too narrow for pages of their own.
@Suite struct WideTableTests {
    private let directory = TestDirectory()

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func randomChangesGiveWhatAModelGives(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let columns = 20 + random.next(below: 60)
        let model = WideModel(shape: WideShape.random(columns: columns, &random))
        _ = try ModelCourse(directory: directory, seed: seed, rounds: 10, steps: 1..<16).run(model)
    }

    /// A table, and the number of bytes that its rows may take after loading and packing. They need
    /// space for their values and for the offsets of strings.
    struct Size: CustomTestStringConvertible {
        let name: String
        let shape: WideShape
        let rows: Int
        /// The bytes per row of the loaded table and of a packed copy.
        let most: Double

        var testDescription: String { name }
    }

    static let sizes = [
        Size(
            name: "30 columns of a byte", shape: .init(kinds: Array(repeating: .byte, count: 30)),
            rows: 8000, most: 42),
        Size(
            name: "60 columns of a byte", shape: .init(kinds: Array(repeating: .byte, count: 60)),
            rows: 5000, most: 84),
        Size(
            name: "8 bytes beside 9 of a byte",
            shape: .init(kinds: [.word] + Array(repeating: .byte, count: 9)), rows: 8000,
            most: 27),
        Size(
            name: "8 bytes beside 29 of a byte",
            shape: .init(kinds: [.word] + Array(repeating: .byte, count: 29)), rows: 8000,
            most: 50),
        Size(
            name: "30 columns of 4 bytes", shape: .init(kinds: Array(repeating: .half, count: 30)),
            rows: 4000, most: 150),
        Size(
            name: "30 short strings", shape: .init(kinds: Array(repeating: .text(4), count: 30)),
            rows: 3000, most: 250),
        // The directory takes half of a leaf. Pages of spilled columns are half full, because the
        // few remaining columns end the leaf after 256 rows.
        Size(
            name: "300 columns of 8 bytes",
            shape: .init(kinds: Array(repeating: .word, count: 300)), rows: 1200, most: 5400),
    ]

    @Test(arguments: sizes)
    func narrowColumnsTakeNoPagesOfTheirOwn(size: Size) throws {
        let (connection, table) = try make(size.shape, rows: size.rows)
        #expect(try bytesOfRow(connection, size.rows) <= size.most)
        #expect(try bytesOfRow(copy(connection, "packed"), size.rows) <= size.most)

        // The new values are as wide as the old ones, so nothing needs another place.
        try change(connection, table, size) { size.shape.value($0, &$1) }
        #expect(try bytesOfRow(connection, size.rows) <= size.most * 1.02)
        #expect(try bytesOfRow(copy(connection, "changed"), size.rows) <= size.most)
    }

    /// Values outgrow their columns all over the table. Leaves are split, and are half full at
    /// worst.
    @Test func columnsThatWidenAllOverTheTableAtMostDoubleIt() throws {
        let size = Self.sizes[3]
        let (connection, table) = try make(size.shape, rows: size.rows)
        try change(connection, table, size) { .integer(Int64($1.next(below: 30_000 + $0))) }
        let widened = 8 + 29 * 2
        #expect(try bytesOfRow(connection, size.rows) <= Double(widened) * 2.5)
        let packed = try copy(connection, "packed")
        #expect(try bytesOfRow(packed, size.rows) <= Double(widened) * 1.6)
        #expect(try connection.verify() == [])
    }

    /// The number of bytes that a commit writes for one value is bounded, and so is the size of a
    /// leaf.
    @Test(arguments: sizes)
    func leavesAndSpilledColumnsHaveAtMostSoManyPages(size: Size) throws {
        let (connection, table) = try make(size.shape, rows: size.rows)
        let most = table.cluster.leafPages(4096) + ClusterTree.maximumGrowth
        for source in [connection, try copy(connection, "packed")] {
            let table = try #require(try source.table(named: "Wide"))
            var rows = 0
            try ClusterTree.forEachLeaf(source.pager, table.root) { leaf, _ throws(StorageError) in
                #expect(leaf.pageCount <= most)
                for column in 0..<leaf.columnCount where leaf.isSpilled(column) {
                    let node = try source.pager.node(leaf.spillReference(column))
                    #expect(node.pageCount <= ClusterTree.maximumSpillPages(node.kind(0)))
                }
                rows += leaf.rowCount
                // All leaves but the last are full.
                if rows < size.rows { #expect(leaf.rowCount >= 60, "\(leaf.rowCount) rows") }
                return true
            }
            #expect(rows == size.rows)
        }
    }

    // MARK: Wide strings

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func randomChangesOfWideStringsGiveWhatAModelGives(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let kinds = (0..<2 + random.next(below: 12)).map { _ in
            random.next(below: 3) == 0 ? WideShape.Kind.word : .text(random.next(below: 300))
        }
        let model = WideModel(shape: WideShape(kinds: kinds))
        _ = try ModelCourse(directory: directory, seed: seed, rounds: 10, steps: 1..<16).run(model)
    }

    static let wideStrings = [
        Size(
            name: "10 strings of 100 bytes",
            shape: .init(kinds: Array(repeating: .text(100), count: 10)), rows: 600, most: 1130),
        Size(
            name: "3 strings of 30 bytes beside 10 of 8 bytes",
            shape: .init(
                kinds: Array(repeating: .text(30), count: 3) + Array(repeating: .word, count: 10)),
            rows: 2000, most: 190),
        Size(
            name: "one string of 400 bytes beside 3 of a byte",
            shape: .init(kinds: [.byte, .text(400), .byte, .byte]), rows: 1000, most: 440),
    ]

    /// The values of an object stay together, so that inserting or reading it uses one leaf.
    @Test(arguments: wideStrings)
    func rowsOfWideStringsStayTogether(size: Size) throws {
        let (connection, _) = try make(size.shape, rows: size.rows)
        // The last leaf was started with the length of the previous one, for future rows.
        let lastLeaf = Double(ClusterTree.maximumGrowth * 4096) / Double(size.rows)
        #expect(try bytesOfRow(connection, size.rows) <= size.most + lastLeaf)
        let packed = try copy(connection, "packed")
        #expect(try bytesOfRow(packed, size.rows) <= size.most)
        for source in [connection, packed] {
            let table = try #require(try source.table(named: "Wide"))
            try ClusterTree.forEachLeaf(source.pager, table.root) { leaf, _ in
                #expect(leaf.pageCount <= 1 + ClusterTree.maximumGrowth)
                #expect(!(0..<leaf.columnCount).contains { leaf.isSpilled($0) })
                return true
            }
        }
    }

    /// A leaf that would have very few rows spills its widest columns.
    @Test func rowsTooWideToStayTogetherSpillColumns() throws {
        let shape = WideShape(kinds: [.byte] + Array(repeating: .text(450), count: 6))
        let (connection, table) = try make(shape, rows: 200)
        var fewest = Int.max
        var rows = 0
        try ClusterTree.forEachLeaf(connection.pager, try table.root) { leaf, _ in
            #expect((0..<leaf.columnCount).contains { leaf.isSpilled($0) })
            rows += leaf.rowCount
            if rows < 200 { fewest = min(fewest, leaf.rowCount) }
            return true
        }
        #expect(fewest >= ClusterTree.minimumRowsTogether)
        #expect(try bytesOfRow(connection, 200) <= 6 * 452 * 1.5)
    }

    // MARK: Support

    private func make(_ shape: WideShape, rows: Int) throws -> (Connection, Table) {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([shape.definition])
        let table = try #require(try connection.table(named: "Wide"))
        var random = SeededGenerator(seed: 8)
        for _ in 0..<rows { _ = try table.insert(owned: shape.row(&random)) }
        try connection.commit()
        return (connection, table)
    }

    private func change(
        _ connection: Connection, _ table: Table, _ size: Size,
        _ value: (_ column: Int, _ random: inout SeededGenerator) -> OracleValue
    ) throws {
        var random = SeededGenerator(seed: 9)
        try connection.beginWrite()
        for _ in 0..<size.rows {
            let column = random.next(below: size.shape.kinds.count)
            let key = try table.key(at: random.next(below: size.rows))
            try value(column, &random).withScalar { try table.set(column, of: key, to: $0) }
        }
        try connection.commit()
    }

    private func copy(_ connection: Connection, _ name: String) throws -> Connection {
        try connection.writeCopy(toPath: directory.file(name))
        let copy = try Connection(Database.open(path: directory.file(name)))
        try #require(try copy.verify() == [])
        return copy
    }

    private func bytesOfRow(_ connection: Connection, _ rows: Int) throws -> Double {
        // The page of the map of free pages is left out.
        try Double(connection.database.statistics().liveBytes - 4096) / Double(rows)
    }
}

/// The columns of a table, by the size of their values.
struct WideShape {
    enum Kind {
        case byte, half, word, flag
        case text(Int)
    }

    let kinds: [Kind]

    static func random(columns: Int, _ random: inout SeededGenerator) -> WideShape {
        WideShape(
            kinds: (0..<columns).map { _ in
                switch random.next(below: 16) {
                case 0: .word
                case 1: .half
                case 2: .text(random.next(below: 24))
                case 3...5: .flag
                default: .byte
                }
            })
    }

    var definition: TableDefinition {
        let columns = kinds.enumerated().map { number, kind in
            switch kind {
            case .byte, .half, .word: ColumnDefinition(name: "c\(number)", type: .int)
            case .flag: ColumnDefinition(name: "c\(number)", type: .bool, isOptional: true)
            case .text: ColumnDefinition(name: "c\(number)", type: .string)
            }
        }
        return TableDefinition(name: "Wide", columns: columns)
    }

    func value(_ column: Int, _ random: inout SeededGenerator) -> OracleValue {
        switch kinds[column] {
        case .byte: .integer(Int64(random.next(below: 128)))
        case .half: .integer(Int64(random.next(below: 1 << 31)))
        case .word: .integer(Int64(bitPattern: random.next()))
        case .flag: random.next(below: 3) == 0 ? .null : .integer(Int64(random.next(below: 2)))
        case .text(let length):
            .bytes((0..<length).map { _ in UInt8(65 + random.next(below: 26)) })
        }
    }

    /// Returns a value that is wider than the other values of the column.
    func widerValue(_ column: Int, _ random: inout SeededGenerator) -> OracleValue {
        switch kinds[column] {
        case .byte, .half, .word:
            .integer(Int64(bitPattern: random.next()) >> random.next(below: 60))
        case .flag: .null
        case .text: .bytes((0..<random.next(below: 700)).map { UInt8(65 + $0 % 26) })
        }
    }

    func row(_ random: inout SeededGenerator) -> [OracleValue] {
        kinds.indices.map { value($0, &random) }
    }
}

/// A wide table as an array of rows.
private struct WideModel: DatabaseModel {
    let shape: WideShape
    var rows: [(key: ObjectKey, values: [OracleValue])] = []

    init(shape: WideShape) { self.shape = shape }

    mutating func begin(_ connection: Connection) throws {
        try connection.createTables([shape.definition])
        var random = SeededGenerator(seed: UInt64(shape.kinds.count))
        try insert(700, try table(connection), &random)
    }

    mutating func step(_ connection: Connection, _ random: inout SeededGenerator) throws {
        let table = try table(connection)
        switch random.next(below: 10) {
        case 0...1 where rows.count < 1000, 0...9 where rows.isEmpty:
            try insert(random.next(below: 60), table, &random)
        case 2:
            let row = random.next(below: rows.count)
            try table.delete(rows[row].key)
            rows.remove(at: row)
        case 3:
            try deleteRange(table, &random)
        case 4:
            let row = random.next(below: rows.count)
            let column = random.next(below: shape.kinds.count)
            try set(table, row, column, shape.widerValue(column, &random))
        default:
            for _ in 0..<random.next(below: 30) {
                let column = random.next(below: shape.kinds.count)
                let value = shape.value(column, &random)
                try set(table, random.next(below: rows.count), column, value)
            }
        }
    }

    func check(_ connection: Connection) throws {
        let table = try table(connection)
        try #require(try table.count() == rows.count)
        for (position, row) in rows.enumerated() {
            let location = try table.location(at: position)
            try #require(table.key(at: location) == row.key)
            for column in shape.kinds.indices {
                let isSame = try row.values[column].withScalar {
                    try table.value(column, at: location).isIdentical(to: $0)
                }
                try #require(isSame, "row \(position), column \(column)")
            }
        }
    }

    private func table(_ connection: Connection) throws -> Table {
        try #require(try connection.table(named: "Wide"))
    }

    private mutating func insert(
        _ count: Int, _ table: Table, _ random: inout SeededGenerator
    ) throws {
        for _ in 0..<count {
            let values = shape.row(&random)
            rows.append((try table.insert(owned: values), values))
        }
    }

    private mutating func set(
        _ table: Table, _ row: Int, _ column: Int, _ value: OracleValue
    ) throws {
        try value.withScalar { try table.set(column, of: rows[row].key, to: $0) }
        rows[row].values[column] = value
    }

    /// Deletes every row, or every other one, of a range.
    private mutating func deleteRange(_ table: Table, _ random: inout SeededGenerator) throws {
        let first = random.next(below: rows.count)
        let count = random.next(below: min(rows.count - first, 90))
        let step = 1 + random.next(below: 2)
        let places = Array(stride(from: first, to: first + count, by: step))
        try table.delete(places.map { rows[$0].key })
        for place in places.reversed() { rows.remove(at: place) }
    }
}
