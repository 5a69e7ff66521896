import Testing
import ToolSupport

@testable import StorageEngine

/// The writers of a table keep their paths while rows of other leaves and other tables come and go.
/// Lists that are filled at one end and emptied at the other, and whose objects are deleted, use
/// all of them.
@Suite struct WriterPathTests {
    private let directory = TestDirectory()

    private static let owners = 3

    private struct Model {
        let connection: Connection
        let sensors: Table
        let readings: Table
        var random: SeededGenerator
        var committed = State()
        var state = State()

        struct State {
            var lists: [ObjectKey: [ObjectKey]] = [:]
            var rows: [ObjectKey: [Double]] = [:]
        }

        mutating func step() throws {
            switch random.next(below: 100) {
            case ..<45: try append()
            case ..<75: try removeOldest()
            case ..<80: try setRandom()
            case ..<84: try setNewest()
            case ..<88: try appendAgain()
            case ..<92: try deleteRandom()
            case ..<95: try deleteNewest()
            case ..<98: try commit()
            default: try rollback()
            }
        }

        private mutating func owner() -> ObjectKey {
            state.lists.keys.sorted { $0.rawValue < $1.rawValue }[
                random.next(below: WriterPathTests.owners)]
        }

        private mutating func values() -> [Double] {
            (0..<3).map { _ in .random(in: 0...1, using: &random) }
        }

        mutating func append() throws {
            let (owner, values) = (owner(), values())
            let key = try values.map(Scalar.double).withUnsafeBufferPointer {
                try readings.insert($0)
            }
            try sensors.list(1, of: owner).append(.integer(key.rawValue))
            try sensors.set(0, of: owner, to: .integer(key.rawValue))
            state.rows[key] = values
            state.lists[owner]!.append(key)
        }

        private mutating func removeOldest() throws {
            let owner = owner()
            guard state.lists[owner]!.count > 150 else { return try append() }
            let list = sensors.list(1, of: owner)
            #expect(try list.count() == state.lists[owner]!.count)
            let oldest = state.lists[owner]!.removeFirst()
            #expect(try list.value(at: 0).isIdentical(to: .integer(oldest.rawValue)))
            try list.remove(at: 0)
            // Another list, or this one, may still hold it.
            if try readings.backlinkCount(of: oldest) == 0 { try delete(oldest) }
        }

        private mutating func delete(_ key: ObjectKey) throws {
            try readings.delete(key)
            state.rows[key] = nil
            for owner in state.lists.keys { state.lists[owner]!.removeAll { $0 == key } }
        }

        private mutating func anyKey() -> ObjectKey? {
            let keys = state.rows.keys.sorted { $0.rawValue < $1.rawValue }
            return keys.isEmpty ? nil : keys[random.next(below: keys.count)]
        }

        private var newest: ObjectKey? { state.rows.keys.max { $0.rawValue < $1.rawValue } }

        private mutating func set(_ key: ObjectKey) throws {
            let value = Double.random(in: 0...1, using: &random)
            let column = random.next(below: 3)
            try readings.set(column, of: key, to: .double(value))
            state.rows[key]![column] = value
        }

        private mutating func setRandom() throws { if let key = anyKey() { try set(key) } }
        private mutating func setNewest() throws { if let newest { try set(newest) } }

        /// Appends an object that is in several lists, or twice in one of them.
        private mutating func appendAgain() throws {
            guard let key = anyKey() else { return }
            let owner = owner()
            try sensors.list(1, of: owner).append(.integer(key.rawValue))
            state.lists[owner]!.append(key)
        }

        private mutating func deleteRandom() throws { if let key = anyKey() { try delete(key) } }
        private mutating func deleteNewest() throws { if let newest { try delete(newest) } }

        mutating func commit() throws {
            try connection.commit()
            committed = state
            try check()
            try connection.beginWrite()
        }

        private mutating func rollback() throws {
            connection.rollback()
            state = committed
            try check()
            try connection.beginWrite()
        }

        func check() throws {
            #expect(try readings.count() == state.rows.count)
            for (key, values) in state.rows {
                let location = try #require(try readings.location(of: key))
                for (column, value) in values.enumerated() {
                    let stored = try readings.value(column, at: location)
                    #expect(stored.isIdentical(to: .double(value)))
                }
            }
            for (owner, keys) in state.lists {
                var stored: [Int64] = []
                try sensors.list(1, of: owner).forEach {
                    if case .integer(let key) = $0 { stored.append(key) }
                    return true
                }
                #expect(stored == keys.map(\.rawValue))
            }
        }
    }

    private func makeModel(seed: UInt64) throws -> Model {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Reading",
                columns: (0..<3).map { ColumnDefinition(name: "d\($0)", type: .double) }),
            TableDefinition(
                name: "Sensor",
                columns: [
                    ColumnDefinition(name: "last", type: .int),
                    ColumnDefinition(
                        name: "readings", type: .link, collection: .list, linkTarget: "Reading"),
                ]),
        ])
        var model = Model(
            connection: connection, sensors: try #require(try connection.table(named: "Sensor")),
            readings: try #require(try connection.table(named: "Reading")),
            random: SeededGenerator(seed: seed))
        for _ in 0..<Self.owners {
            let key = try [Scalar.integer(0)].withUnsafeBufferPointer {
                try model.sensors.insert($0)
            }
            model.state.lists[key] = []
        }
        try model.commit()
        return model
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func listsThatAreFilledAndEmptiedHoldWhatTheModelHolds(seed: UInt64) throws {
        var model = try makeModel(seed: seed)
        for step in 0..<4000 {
            try model.step()
            if step % 250 == 0 { try model.check() }
        }
        try model.commit()
        try model.connection.commit()
        #expect(try model.connection.verify() == [])
    }

    @Test func deletingAnOldObjectLeavesThePathsOfOthersInPlace() throws {
        var model = try makeModel(seed: 7)
        for _ in 0..<2000 { try model.append() }
        try model.commit()
        let keys = model.state.rows.keys.sorted { $0.rawValue < $1.rawValue }
        // The first deletions copy nodes, which invalidates paths.
        try model.append()
        try model.readings.delete(keys[2])
        try model.append()
        let (readings, sensors) = (model.readings, model.sensors)
        let stamp = model.connection.layoutStamp.pointee
        try readings.delete(keys[4])
        #expect(model.connection.layoutStamp.pointee != stamp)
        #expect(readings.rows.appendWriter.hasPath(to: readings.cluster.treeID))
        #expect(readings.rows.appendWriter.isAtLastLeaf)
        #expect(readings.rows.clusterWriter.hasPath(to: readings.cluster.treeID))
        #expect(
            sensors.rows.clusterWriter.hasPath(to: sensors.cluster.treeID)
                || sensors.rows.appendWriter.hasPath(to: sensors.cluster.treeID))
        #expect(try !readings.contains(keys[4]))
        model.connection.rollback()
        #expect(!readings.rows.appendWriter.hasPath(to: readings.cluster.treeID))
    }
}
