import Testing
import ToolSupport

@testable import StorageEngine

/// The leaves that a map finds, compared with those of descents.
@Suite struct LeafMapTests {
    private let directory = TestDirectory()

    private static let definition = TableDefinition(
        name: "A", columns: [ColumnDefinition(name: "text", type: .string)])
    private static let rows: Int64 = 2_000

    /// A table whose keys have gaps of all sizes. The texts make leaves of few rows.
    private func makeTable(
        _ connection: Connection, rows: Int64, _ random: inout SeededGenerator
    ) throws -> Table {
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "A"))
        var keys: [ObjectKey] = []
        for _ in 0..<rows {
            let text = [UInt8](repeating: 97, count: random.next(below: 400))
            keys.append(try table.insert(owned: [.bytes(text)]))
        }
        var next = 0
        while next < keys.count {
            let end = min(keys.count, next + [0, 1, 30, 500][random.next(below: 4)])
            try table.delete(Array(keys[next..<end]))
            next = end + random.next(below: 300) + 1
        }
        try connection.commit()
        return table
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func leavesAreThoseOfDescents(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let connection = try Connection(Database.open(path: directory.file()))
        let table = try makeTable(connection, rows: Self.rows, &random)
        let (pager, tree) = (connection.pager, try table.root)
        let root = try pager.root(of: tree, ClusterShape())
        try #require(root.level > 0)
        let map = try #require(LeafMap(pager, root: root))
        defer { map.deallocate() }
        let ends = [Int64.min, -1, Self.rows + 1, .max].map { ObjectKey(rawValue: $0) }
        for key in ends + (0...Self.rows).map({ ObjectKey(rawValue: $0) }) {
            let leaf = try #require(try ClusterTree.leaf(pager, tree, covering: key))
            let position = map.position(of: key)
            let found = try pager.node(map.reference(position), level: 0, shape: ClusterShape())
            if found.base != leaf.base { Issue.record("the key \(key.rawValue)") }
            if let known = map.leaf(position), known.base != leaf.base {
                Issue.record("the leaf of the key \(key.rawValue)")
            }
            map.setLeaf(position, leaf)
        }
    }

    @Test func aTreeOfOneLeafHasNone() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([Self.definition])
        let table = try #require(try connection.table(named: "A"))
        _ = try table.insert(owned: [.bytes([97])])
        try connection.commit()
        let root = try connection.pager.root(of: table.root, ClusterShape())
        #expect(LeafMap(connection.pager, root: root) == nil)
    }
}
