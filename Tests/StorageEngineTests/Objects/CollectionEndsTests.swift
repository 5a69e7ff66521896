import Testing
import ToolSupport

@testable import StorageEngine

/// Writers of collections keep the paths to both ends of the lists of several owners.
@Suite struct CollectionEndsTests {
    private let directory = TestDirectory()

    @Test("Random changes at the ends of lists of many owners", arguments: 1...8)
    func model(seed: UInt64) throws {
        let rounds = LongTests.choose(40, otherwise: 24)
        let course = ModelCourse(directory: directory, seed: seed, rounds: rounds, steps: 1..<60)
        _ = try course.run(CollectionEndsModel())
    }

    private func connection(owners: Int) throws -> (Connection, Table, [ListHandle]) {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Owner",
                columns: [ColumnDefinition(name: "numbers", type: .int, collection: .list)])
        ])
        let table = try #require(try connection.table(named: "Owner"))
        let keys = try (0..<owners).map { _ in
            try table.insert(UnsafeBufferPointer(start: nil, count: 0))
        }
        return (connection, table, keys.map { table.list(0, of: $0) })
    }

    private func writer(_ table: Table, _ list: ListHandle, at position: Int) throws -> TreeWriter {
        let root = try #require(try list.collection.stored().root)
        let writer = table.collectionWriters.existingWriter(
            of: list.owner, at: position, in: root)
        return try #require(writer)
    }

    private func isKnown(_ table: Table, _ list: ListHandle, at position: Int) throws -> Bool {
        let root = try #require(try list.collection.stored().root)
        let tree = CollectionTree(hasKeys: false, kind: .integer, treeID: table.cluster.treeID)
        return try writer(table, list, at: position).knownRow(at: position, in: root, of: tree)
            != nil
    }

    @Test func listsInTurnKeepThePathsToBothEnds() throws {
        let (connection, table, lists) = try connection(owners: 5)
        for number in 0..<20_000 {
            try lists[number % 5].append(.integer(Int64(number) << 40))
        }
        for list in lists { try list.remove(at: 0) }
        for list in lists {
            #expect(try isKnown(table, list, at: 0))
            #expect(try isKnown(table, list, at: list.count()))
            #expect(try !isKnown(table, list, at: list.count() / 2))
        }
        // Also after a change elsewhere in one of them.
        try lists[2].set(.integer(1), at: 2000)
        #expect(try isKnown(table, lists[1], at: 0))
        #expect(try list(lists[2], 2000) == 1)
        connection.rollback()
    }

    private func list(_ list: ListHandle, _ position: Int) throws -> Int64? {
        guard case .integer(let number)? = try list.value(ifAt: position) else { return nil }
        return number
    }

    @Test func pathsEndWithTheirTransactionAndTheirTree() throws {
        let (connection, table, lists) = try connection(owners: 2)
        for number in 0..<4000 { try lists[0].append(.integer(Int64(number) << 40)) }
        #expect(try isKnown(table, lists[0], at: 4000))
        try connection.commit()
        try connection.beginWrite()
        #expect(try !isKnown(table, lists[0], at: 4000))
        try lists[0].append(.integer(7))
        #expect(try isKnown(table, lists[0], at: 4001))
        // A cleared list begins with another tree.
        try lists[0].removeAll()
        for number in 0..<300 { try lists[0].append(.integer(Int64(number) << 40)) }
        #expect(try list(lists[0], 299) == 299 << 40)
        #expect(try list(lists[0], 0) == 0)
        // The owner with a key 8 higher has the same writers.
        let others = try (0..<8).map { _ in
            table.list(0, of: try table.insert(UnsafeBufferPointer(start: nil, count: 0)))
        }
        let place = lists[0].owner.rawValue % 8
        let same = try #require(others.first { $0.owner.rawValue % 8 == place })
        for number in 0..<300 { try same.append(.integer(Int64(number) << 41)) }
        #expect(try !isKnown(table, lists[0], at: 300))
        try lists[0].append(.integer(5))
        #expect(try list(lists[0], 300) == 5)
        #expect(try list(same, 299) == 299 << 41)
        try connection.commit()
        #expect(try connection.verify() == [])
    }
}
