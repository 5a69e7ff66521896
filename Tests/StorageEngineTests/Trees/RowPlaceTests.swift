import Testing
import ToolSupport

@testable import StorageEngine

/// Places of rows are valid while the connection's layout stamp is unchanged. Accessors of objects
/// read through them without looking up the row again.
@Suite struct RowPlaceTests {
    private let directory = TestDirectory()

    /// The number of columns, which makes leaves spill most of them.
    private static let columnCount = 8

    private func open() throws -> (Connection, Table) {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        let columns = (0..<Self.columnCount).map { ColumnDefinition(name: "d\($0)", type: .double) }
        try connection.createTables([TableDefinition(name: "A", columns: columns)])
        return (connection, try #require(try connection.table(named: "A")))
    }

    private struct Place {
        var key: ObjectKey
        var location: RowLocation
        var stamp: UInt64
    }

    /// A table, its expected contents, and places in it that were found earlier.
    private struct Model {
        let connection: Connection
        let table: Table
        var random: SeededGenerator
        var rows: [ObjectKey: [Double]] = [:]
        var keys: [ObjectKey] = []
        var places: [Place] = []

        mutating func step() throws {
            switch random.next(below: 100) {
            case ..<50: try insert()
            case ..<70: try set()
            case ..<97: try delete()
            default:
                try connection.commit()
                try connection.beginWrite()
            }
            try remember()
        }

        mutating func insert() throws {
            let values = (0..<RowPlaceTests.columnCount).map { _ in value() }
            let scalars = values.map(Scalar.double)
            let key = try scalars.withUnsafeBufferPointer { try table.insert($0) }
            rows[key] = values
            keys.append(key)
        }

        private mutating func value() -> Double { .random(in: 0...1, using: &random) }

        private mutating func set() throws {
            guard !keys.isEmpty else { return }
            let key = keys[random.next(below: keys.count)]
            let column = random.next(below: RowPlaceTests.columnCount)
            let value = value()
            try table.set(column, of: key, to: .double(value))
            rows[key]![column] = value
        }

        private mutating func delete() throws {
            guard keys.count > 300 else { return }
            let key = keys.remove(at: random.next(below: keys.count))
            try table.delete(key)
            rows[key] = nil
        }

        /// Remembers the place of an object that was just inserted, or of any other.
        private mutating func remember() throws {
            let recent = random.next(below: 2) == 0
            guard let key = recent ? keys.last : keys.randomElement(using: &random) else { return }
            let location = try #require(try table.location(of: key))
            if places.count == 16 { places.remove(at: random.next(below: 16)) }
            let stamp = connection.layoutStamp.pointee
            places.append(Place(key: key, location: location, stamp: stamp))
        }

        /// Returns the number of places that were still valid.
        func check() throws -> Int {
            let good = places.filter { $0.stamp == connection.layoutStamp.pointee }
            for place in good {
                #expect(table.key(at: place.location) == place.key)
                let values = try #require(rows[place.key])
                for (column, value) in values.enumerated() {
                    let stored = try table.value(column, at: place.location)
                    #expect(stored.isIdentical(to: .double(value)))
                }
            }
            return good.count
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func placesAreGoodAsLongAsTheStampStands(seed: UInt64) throws {
        let (connection, table) = try open()
        var model = Model(connection: connection, table: table, random: SeededGenerator(seed: seed))
        var good = 0
        for _ in 0..<3000 {
            try model.step()
            good += try model.check()
        }
        #expect(good > 3000)
        for key in model.keys {
            let location = try #require(try table.location(of: key))
            #expect(table.key(at: location) == key)
        }
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func insertingBehindALeafsRowsLeavesTheOthersInTheirPlaces() throws {
        let (connection, table) = try open()
        var model = Model(connection: connection, table: table, random: SeededGenerator(seed: 4))
        for _ in 0..<150 { try model.insert() }
        let leaf = try #require(try table.location(of: model.keys[149])).leaf
        #expect((0..<leaf.columnCount).contains { leaf.isSpilled($0) })
        var moves = 0
        for _ in 0..<50 {
            let stamp = connection.layoutStamp.pointee
            try model.insert()
            if connection.layoutStamp.pointee != stamp { moves += 1 }
        }
        // Moves are caused by columns that grow by a page or are spilled, or by a new leaf.
        #expect(moves < 15)
        try connection.commit()
        #expect(try connection.verify() == [])
    }
}
