import Testing
import ToolSupport

@testable import StorageEngine

/// The free space that loading a table in many transactions leaves.
@Suite struct BulkLoadSpaceTests {
    private let directory = TestDirectory()

    /// Each transaction copies leaves from all parts of the index, and the last leaf of the table.
    /// The holes that this leaves are filled, so that the file grows in proportion to its contents.
    @Test func loadingRowsWithRandomKeysLeavesFewHoles() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        let load = try load(connection)
        for _ in 0..<30 { try load(400) }
        let map = try #require(connection.database.writer.space)
        let inHoles = map.free.filter { $0.count < 16 }.reduce(0) { $0 + $1.count }
        // 256 pages are left free on purpose, and the last transaction has freed some. If holes
        // were not filled, a quarter of the file's 3,300 pages would be in holes.
        #expect(inHoles <= 450)
        #expect(try connection.verify() == [])
    }

    /// A small commit after a large one fills holes with its short runs, and its record is behind
    /// its pages.
    @Test func aSmallCommitAfterALargeOneHasItsRecordBehindItsPages() throws {
        let options = Database.Options(encryptionKey: Array(0..<64))
        let connection = try Connection(
            Database.open(path: directory.file(), options: options))
        let load = try load(connection)
        for _ in 0..<30 {
            try load(400)
            try load(1)
        }
        #expect(try connection.verify() == [])
    }

    /// Creates a table of wide rows with random keys, and returns what adds rows in one commit.
    private func load(_ connection: Connection) throws -> (Int) throws -> Void {
        try connection.beginWrite()
        let columns = (0..<8).map { ColumnDefinition(name: "c\($0)", type: .string) }
        let definition = TableDefinition(
            name: "Loaded",
            columns: [ColumnDefinition(name: "key", type: .string, isPrimaryKey: true)] + columns)
        try connection.createTables([definition])
        try connection.commit()
        let table = try #require(try connection.table(named: "Loaded"))
        var random = SeededGenerator(seed: 12)
        return { rows in
            try connection.beginWrite()
            for _ in 0..<rows {
                let row = (0...8).map { _ in
                    OracleValue.bytes((0..<90).map { _ in UInt8(65 + random.next(below: 26)) })
                }
                _ = try table.insert(owned: row)
            }
            try connection.commit()
        }
    }
}
