import StressModel
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// The walk that moves live pages away from the end of the file.
@Suite struct TailMoveTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// Returns a file whose low pages were deleted: all its live pages are above the boundary.
    private func emptiedBelow(_ kind: FileKind) throws -> Connection {
        let connection = try Connection(
            Database.open(path: directory.file("move"), options: kind.options))
        try write(connection) {
            try connection.createTables([
                TableDefinition(
                    name: "Filler", columns: [ColumnDefinition(name: "text", type: .string)])
            ])
            let filler = connection.table(0)
            let text = OwnedValue.text(String(repeating: "filler ", count: 500))
            for _ in 0..<6000 { _ = try filler.insert([text]) }
        }
        try ShrinkWorkload.prepare(connection, items: 1500)
        try write(connection) { try connection.table(0).deleteAll() }
        return connection
    }

    private func write(_ connection: Connection, _ body: () throws -> Void) throws {
        try connection.beginWrite()
        try body()
        try connection.commit()
    }

    /// Makes a commit that changes as little as possible.
    private func touch(_ connection: Connection, _ number: Int) throws {
        try write(connection) {
            try connection.table(named: "Progress")!.set(
                0, of: ObjectKey(rawValue: 0), to: .integer(Int64(number)))
        }
    }

    private func space(_ connection: Connection) -> FreeSpace {
        connection.database.writer.space!
    }

    /// Returns the pages of all trees of the items whose roots are in the forest.
    private func pages(_ connection: Connection) throws -> [(id: UInt32, pages: [UInt64])] {
        let table = try connection.table(named: "Item")!
        return try table.stored.trees.map { id, role in
            var pages: [UInt64] = []
            let root = try connection.forest.state(id).pointee.root
            try forEachNode(
                connection.pager, root, format: table.map(of: role)?.map.format ?? .cluster
            ) {
                reference, _ in pages.append(reference.page)
            }
            return (id, pages)
        }
    }

    /// The workload has trees of all kinds, values with runs of their own in all places, and
    /// spilled columns. Verification reports every page that is neither reachable nor free.
    @Test(arguments: FileKind.allCases)
    func nothingStaysAboveTheBoundary(kind: FileKind) throws {
        let connection = try emptiedBelow(kind)
        let table = try connection.table(named: "Item")!
        let digest = try DatabaseDigest.of(connection, skipping: ["Progress"])
        var number = 0
        while space(connection).ceiling == nil {
            number += 1
            try touch(connection, number)
            try #require(number < 100)
        }
        let boundary = try #require(space(connection).ceiling)
        let roles = table.stored.trees.count
        #expect(roles == 6)
        for (id, pages) in try pages(connection) {
            #expect(pages.contains { $0 >= boundary }, "tree \(id) has nothing to move")
        }
        var spilled = 0
        var cursor = try LeafCursor(connection.pager, table.root)
        while try cursor.next() {
            let leaf = cursor.leaf
            spilled += (0..<leaf.columnCount).filter { leaf.isSpilled($0) }.count
        }
        #expect(spilled > 0)

        let last = number + 200
        while space(connection).livePages(from: boundary) > 0, number < last {
            number += 1
            try touch(connection, number)
        }
        #expect(space(connection).livePages(from: boundary) == 0)
        #expect(try DatabaseDigest.of(connection, skipping: ["Progress"]) == digest)
        #expect(try connection.verify() == [])
    }

    /// Damage ends the transaction that met it, and the walk, but no later transaction.
    @Test func damageEndsTheWalkAndNotTheProcess() throws {
        let connection = try emptiedBelow(.plain)
        let table = try connection.table(named: "Item")!
        var number = 0
        while connection.database.writer.tailRelease.walk == nil {
            number += 1
            try touch(connection, number)
        }
        let key = try table.key(at: 1200)
        let column = try #require(try table.column(1, of: table.location(of: key)!.leaf))
        let row = try table.location(of: key)!.row
        let (value, _) = column.node.overflowReference(column.column, row)
        let file = connection.database.file
        file.pages!.checkedBirths[Int(value.page)] = 0
        try withUnsafeBytes(of: UInt8(0x5A)) {
            try System.write(file.descriptor, $0, at: file.offset(of: value.page) + 100)
        }
        var failures = 0
        for _ in 0..<100 {
            number += 1
            do { try touch(connection, number) } catch { failures += 1 }
            if failures > 0, connection.isInWriteTransaction { connection.rollback() }
        }
        #expect(failures == 1)
        #expect(connection.database.writer.tailRelease.walk == nil)
    }
}
