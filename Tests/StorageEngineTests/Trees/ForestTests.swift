import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// The place of the roots of trees: in the commit record while there are few.
@Suite struct ForestTests {
    private let directory = TestDirectory()

    private func open() throws -> Connection {
        var options = Database.Options()
        // A file with few commit slots writes its free map with every second commit.
        options.formatVersion = FileHeader.earlierFormatVersion
        return try Connection(Database.open(path: directory.file(), options: options))
    }

    private func addTables(_ names: Range<Int>, to connection: Connection) throws {
        try connection.createTables(
            names.map {
                TableDefinition(name: "T\($0)", columns: [ColumnDefinition(name: "n", type: .int)])
            })
        for number in names {
            _ = try connection.table(number).insert([OwnedValue.integer(Int64(number))])
        }
    }

    private func expectTables(_ count: Int, in connection: Connection) throws {
        #expect(connection.tableCount == count)
        for number in 0..<count {
            let table = connection.table(number)
            #expect(try table.count() == 1)
            guard case .integer(Int64(number)) = try table.value(0, of: ObjectKey(rawValue: 0))
            else { throw TestFailure("table \(number) holds something else") }
        }
        #expect(try connection.verify() == [])
    }

    @Test func aCommitOfOneObjectWritesItsLeafAndARecord() throws {
        let connection = try open()
        try connection.beginWrite()
        try addTables(0..<3, to: connection)
        try connection.commit()
        for number in 0..<10 {
            try connection.beginWrite()
            _ = try connection.table(1).insert([OwnedValue.integer(Int64(number))])
            let cost = try connection.commit()
            #expect(cost.pages == 1)
            #expect(cost.bytes == connection.pager.pageSize + CommitRecord.size)
            // The first two records since the file was opened are in their slots, later ones after
            // their pages.
            #expect(cost.writeCalls == (number < 1 ? 2 : 1), "commit \(number)")
        }
        #expect(try connection.verify() == [])
    }

    @Test func rootsThatDoNotFitInARecordMoveToATree() throws {
        var count = 0
        var wasInline: [Bool] = []
        for added in [1, 20, 40, 200, 1] {
            let connection = try open()
            try connection.beginWrite()
            try addTables(count..<count + added, to: connection)
            try connection.commit()
            count += added
            #expect(connection.pager.root.isNone != connection.pager.inlineRoots.isEmpty)
            wasInline.append(connection.pager.root.isNone)
            try expectTables(count, in: connection)
            try expectTables(count, in: try open())
        }
        #expect(wasInline == [true, true, true, false, false])
    }

    @Test func rollingBackTheMoveToATreeLeavesTheRootsInTheRecord() throws {
        let connection = try open()
        try connection.beginWrite()
        try addTables(0..<2, to: connection)
        try connection.commit()
        try connection.beginWrite()
        try addTables(2..<200, to: connection)
        try connection.forest.flush()
        #expect(!connection.pager.root.isNone)
        connection.rollback()
        #expect(connection.pager.root.isNone)
        try expectTables(2, in: connection)
    }

    @Test func aTransactionThatChangesNothingButTheNextKeyIsKept() throws {
        let connection = try open()
        try connection.beginWrite()
        try addTables(0..<1, to: connection)
        try connection.table(0).delete(ObjectKey(rawValue: 0))
        try connection.commit()
        try connection.beginWrite()
        let lost = try connection.table(0).insert([OwnedValue.integer(1)])
        try connection.table(0).delete(lost)
        let cost = try connection.commit()
        #expect(cost.pages == 0)
        let reopened = try open()
        try reopened.beginWrite()
        #expect(
            try reopened.table(0).insert([OwnedValue.integer(2)]).rawValue == lost.rawValue + 1)
        try reopened.commit()
        #expect(try reopened.verify() == [])
    }

    // MARK: Malicious files

    private func openForged(_ forge: (inout [UInt8]) -> Void) throws -> StorageError.Code? {
        let connection = try Connection(
            Database.open(path: UUID().uuidString, options: .init(inMemory: true)))
        try connection.beginWrite()
        try addTables(0..<2, to: connection)
        try connection.forest.flush()
        forge(&connection.pager.inlineRoots)
        _ = try connection.pager.commit()
        do throws(StorageError) {
            let reader = try Connection(connection.database)
            for table in 0..<reader.tableCount { _ = try reader.table(table).count() }
            return try reader.verify().isEmpty ? nil : .damaged
        } catch {
            return error.code
        }
    }

    @Test func rootsThatMakeNoSenseAreDamage() throws {
        #expect(try openForged { _ in } == nil)
        #expect(try openForged { $0.removeLast() } == .damaged)
        #expect(try openForged { $0.append(0) } == .damaged)
        // The id of the schema, 1, occurs a second time.
        #expect(try openForged { $0[0] = 0 } == .damaged)
        // The id would take too much memory.
        #expect(
            try openForged { roots in
                VariableLengthInteger.append(1 << 31, to: &roots)
                for _ in 0..<5 { roots.append(1) }
            } == .damaged)
        // The root is younger than the version.
        #expect(try openForged { $0[2] = 0x7F } == .damaged)
    }

    @Test func randomRootsEndInAValueOrAnError() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<300 {
            let code = try openForged { roots in
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    roots[.random(in: roots.indices, using: &random)] = .random(
                        in: .min ... .max, using: &random)
                }
            }
            #expect(code == nil || code == .damaged)
        }
    }
}
