import Foundation
import Glibc
import StressModel
import Testing

@testable import StorageEngine

/// Reading in a write transaction after it has failed.
@Suite final class FailedTransactionReadTests {
    private let directory = TestDirectory()
    private let interceptor: SystemInterceptor

    init() {
        interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
    }

    deinit { interceptor.uninstall() }

    private func connection() throws -> Connection {
        let connection = try Connection(.open(path: directory.file("failing.realm")))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Thing",
                columns: [
                    ColumnDefinition(name: "number", type: .int, isIndexed: true),
                    ColumnDefinition(name: "text", type: .string),
                    ColumnDefinition(name: "list", type: .int, collection: .list),
                ])
        ])
        try change(connection, from: 0)
        try connection.commit()
        return connection
    }

    private func insert(_ number: Int, _ textBytes: Int, into table: Table) throws -> ObjectKey {
        let text = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: textBytes)
        return try text.withUnsafeBytes { bytes in
            try withUnsafeTemporaryAllocation(of: Scalar.self, capacity: 2) { row in
                row.initialize(repeating: .integer(Int64(number)))
                row[1] = .bytes(bytes)
                return try table.insert(UnsafeBufferPointer(row))
            }
        }
    }

    /// Inserts, grows and deletes. Reading the index in between applies its pending changes.
    private func change(_ connection: Connection, from first: Int) throws {
        let table = try #require(try connection.table(named: "Thing"))
        for number in first..<first + 60 {
            let key = try insert(number, number * 13 % 700, into: table)
            let list = table.list(2, of: key)
            for element in 0..<number { try list.append(.integer(Int64(element))) }
            if number % 16 == 0 { _ = try table.index(of: 0)?.count() }
        }
        let long = [UInt8](repeating: 7, count: 3000)
        for position in stride(from: 0, to: 50, by: 7) {
            let key = try table.key(at: position)
            try long.withUnsafeBytes { try table.set(1, of: key, to: .bytes($0)) }
            try table.set(0, of: key, to: .integer(9))
        }
        try table.delete(table.key(at: 1))
    }

    private func contents(_ connection: Connection) throws -> [String] {
        let table = try #require(try connection.table(named: "Thing"))
        var contents = ["\(try table.count())"]
        for position in 0..<(try table.count()) {
            let key = try table.key(at: position)
            let number = try table.value(0, of: key)
            guard case .bytes(let text) = try table.value(1, of: key) else { continue }
            let list = table.list(2, of: key)
            contents.append("\(key) \(number) \(text.count) \(try list.count())")
        }
        return contents
    }

    @Test("A transaction that fails at any page reads its base, and its changes throw the failure")
    func failingAtAnyPage() throws {
        let connection = try connection()
        let before = try contents(connection)
        let table = try #require(try connection.table(named: "Thing"))
        for ordinal in sequence(first: 1, next: { $0 + max(1, $0 / 8) }) {
            interceptor.setFaults([
                SystemCallFault(.fail(errno: ENOSPC), call: .takePages, ordinal: ordinal)
            ])
            try connection.beginWrite()
            let error = Result { try change(connection, from: 100) }
            guard case .failure(let failure as StorageError) = error else {
                #expect(ordinal > 20)
                connection.rollback()
                break
            }
            #expect(failure.code == .outOfDiskSpace)
            #expect(connection.transactionFailure == failure)
            #expect(try contents(connection) == before, "page \(ordinal)")
            let count = try #require(table.index(of: 0)).count()
            #expect(count == (try table.count()), "page \(ordinal)")
            for _ in 0..<2 {
                #expect(throws: failure) { _ = try insert(1, 10, into: table) }
                #expect(throws: failure) { try table.set(0, of: table.key(at: 0), to: .integer(1)) }
                #expect(throws: failure) { try table.deleteAll() }
                #expect(throws: failure) { try connection.setSchemaVersion(7) }
            }
            #expect(try contents(connection) == before, "page \(ordinal), after changes")
            #expect(throws: failure) { try connection.commit() }
            #expect(!connection.isInWriteTransaction)
            #expect(try contents(connection) == before, "page \(ordinal), at the end")
        }
        interceptor.setFaults([])
        #expect(try connection.verify() == [])
        try connection.beginWrite()
        try change(connection, from: 100)
        try connection.commit()
        #expect(try table.count() == 118)
    }

    @Test("Tables and indexes that the failed transaction made are empty and not asked")
    func failedChangesOfTheSchema() throws {
        let connection = try connection()
        let table = try #require(try connection.table(named: "Thing"))
        let count = try table.count()
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "New", columns: [ColumnDefinition(name: "number", type: .int)])
        ])
        let new = try #require(try connection.table(named: "New"))
        try connection.setIndexed(false, 0, of: table)
        connection.failTransaction(
            StorageError(.outOfDiskSpace, path: connection.database.path, message: "It is full."))
        #expect(try new.count() == 0)
        #expect(table.index(of: 0) == nil)
        #expect(try table.count() == count)
        connection.rollback()
        #expect(try connection.table(named: "New") == nil)
        #expect(try #require(table.index(of: 0)).count() == count)
    }
}
