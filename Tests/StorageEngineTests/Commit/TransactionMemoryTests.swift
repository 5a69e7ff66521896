import Foundation
import StressModel
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// The memory for the private copies of a large transaction, and values that are stored in it.
@Suite struct TransactionMemoryTests {
    private let directory = TestDirectory()
    private static let limit = 64 << 10
    private static let count = 12_000

    private func open(_ kind: FileKind) throws -> Connection {
        var options = kind.options
        options.largestPrivateBytes = Self.limit
        let connection = try Connection(Database.open(path: directory.file(), options: options))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Thing",
                columns: [
                    ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                    ColumnDefinition(name: "number", type: .int, isIndexed: true),
                    ColumnDefinition(name: "text", type: .string),
                    ColumnDefinition(
                        name: "next", type: .link, isOptional: true, linkTarget: "Thing"),
                    ColumnDefinition(name: "words", type: .string, collection: .list),
                    ColumnDefinition(name: "ages", type: .int, collection: .map),
                ])
        ])
        return connection
    }

    private func number(_ index: Int) -> Int { index &* 7919 % 100_003 }

    private func insert(_ range: Range<Int>, _ table: Table) throws {
        for index in range {
            _ = try table.insert([
                .integer(Int64(number(index))), .integer(Int64(number(index) % 997)),
                .text("thing \(index)"),
            ])
        }
    }

    /// Returns the largest amount of memory that the connection used since the last call.
    private func peak(_ connection: Connection) -> Int {
        connection.pager.notePeak()
        defer { connection.pager.largestPrivateBytes = 0 }
        return connection.pager.largestPrivateBytes
    }

    private func check(_ connection: Connection, _ what: Comment) throws {
        let peak = peak(connection)
        // The transaction is large, and is not in memory as a whole. In memory are its changes, the
        // pages written ahead that the current change may need, as many decrypted pages, and the
        // pages of one step.
        #expect(peak > Self.limit, what)
        let isEncrypted = connection.database.file.cipher != nil
        // A commit that moves pages from the end of the file reads 64 leaves, which are decrypted
        // here.
        let step = isEncrypted ? 512 << 10 : 64 << 10
        #expect(peak <= (isEncrypted ? 4 : 2) * Self.limit + step, what)
    }

    @Test(arguments: [FileKind.plain, .encrypted])
    func largeTransactionsTakeLittleMemory(kind: FileKind) throws {
        let connection = try open(kind)
        let table = try #require(try connection.table(named: "Thing"))
        try insert(0..<Self.count, table)
        let statistics = try connection.commit()
        #expect(statistics.bytes > 4 * Self.limit)
        try check(connection, "inserting")
        #expect(try connection.verify() == [])

        try connection.beginWrite()
        for key in 0..<Self.count {
            try table.set(1, of: ObjectKey(rawValue: Int64(key)), to: .integer(Int64(key % 1009)))
        }
        try connection.commit()
        try check(connection, "updating all")
        #expect(try connection.verify() == [])

        try connection.beginWrite()
        for key in stride(from: 0, to: Self.count, by: 40) {
            let key = ObjectKey(rawValue: Int64(key))
            for element in 0..<30 {
                try OwnedValue.text("word \(element)").withScalar {
                    try table.list(4, of: key).append($0)
                }
                try [UInt8]("key \(element)".utf8).withUnsafeBytes {
                    try table.map(5, of: key).set(.integer(Int64(element)), forKey: $0)
                }
            }
        }
        try connection.commit()
        try check(connection, "filling lists and maps")
        #expect(try connection.verify() == [])

        try connection.beginWrite()
        try table.delete((0..<Self.count / 2).map { ObjectKey(rawValue: Int64($0) * 2) })
        try connection.commit()
        try check(connection, "deleting every other one")
        #expect(try table.count() == Self.count / 2)
        #expect(try connection.verify() == [])
    }

    /// An added index is filled in parts, and each part leaf by leaf.
    @Test(arguments: [FileKind.plain, .encrypted])
    func addingAnIndexTakesLittleMemory(kind: FileKind) throws {
        let connection = try open(kind)
        let table = try #require(try connection.table(named: "Thing"))
        try connection.setIndexed(false, 1, of: table)
        try insert(0..<3 * Self.count, table)
        try connection.commit()
        _ = peak(connection)
        try connection.beginWrite()
        try connection.setIndexed(true, 1, of: table)
        try connection.commit()
        try check(connection, "adding an index")
        #expect(try connection.verify() == [])
    }

    /// An object to which every other object refers is deleted, and a list that holds all objects
    /// is emptied.
    @Test func oneChangeOfManyObjectsTakesLittleMemory() throws {
        let connection = try open(.plain)
        let table = try #require(try connection.table(named: "Thing"))
        try insert(0..<Self.count / 2, table)
        for key in 1..<Self.count / 2 {
            try table.set(3, of: ObjectKey(rawValue: Int64(key)), to: .integer(0))
        }
        try connection.commit()
        _ = peak(connection)
        try connection.beginWrite()
        try table.delete(ObjectKey(rawValue: 0))
        try connection.commit()
        try check(connection, "deleting what all refer to")
        #expect(try connection.verify() == [])
    }

    /// The value passed to a change may be stored in a page that is written ahead when the change
    /// begins.
    @Test(arguments: FileKind.writingAhead)
    func whatAChangeIsGivenMayLieInAPage(kind: FileKind) throws {
        let connection = try Connection(
            Database.open(path: directory.file(), options: kind.options))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Text", columns: [ColumnDefinition(name: "text", type: .data)])
        ])
        let table = try #require(try connection.table(named: "Text"))
        func text(_ round: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(round), count: 1 + round * 131 % 5000)
        }
        var keys: [ObjectKey] = []
        for round in 0..<120 {
            keys.append(try table.insert([.bytes(text(round))]))
            // The value is that of an object of some changes before, whose page may or may not be
            // in memory.
            let source = keys[keys.count / 2]
            let value = try table.value(0, of: source)
            keys.append(
                try withUnsafePointer(to: value) {
                    try table.insert(UnsafeBufferPointer(start: $0, count: 1))
                })
            try table.set(0, of: keys[keys.count / 3], to: table.value(0, of: keys.last!))
            guard case .bytes(let copied) = try table.value(0, of: keys.last!),
                case .bytes(let again) = try table.value(0, of: keys[keys.count / 3])
            else { throw TestFailure("not bytes") }
            #expect(copied.elementsEqual(again), "round \(round)")
        }
        #expect(connection.pager.ahead != nil)
        for (position, key) in keys.enumerated() {
            guard case .bytes(let bytes) = try table.value(0, of: key), let first = bytes.first
            else { throw TestFailure("object \(position) has no bytes") }
            #expect(bytes.elementsEqual(text(Int(first))), "object \(position)")
        }
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    /// A place of a row is valid until the layout stamp changes, even if pages are written ahead.
    @Test func placesOfRowsAreLookedUpAgain() throws {
        let connection = try Connection(
            Database.open(path: directory.file(), options: FileKind.plainAhead.options))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Row", columns: [ColumnDefinition(name: "value", type: .data)])
        ])
        let table = try #require(try connection.table(named: "Row"))
        let first = try table.insert([.bytes([1, 2, 3])])
        var stamp = connection.layoutStamp.pointee
        var place = try #require(try table.location(of: first))
        var moves = 0
        for round in 0..<400 {
            _ = try table.insert([.bytes([UInt8](repeating: 9, count: round * 17 % 400))])
            if connection.layoutStamp.pointee != stamp {
                stamp = connection.layoutStamp.pointee
                place = try #require(try table.location(of: first))
                moves += 1
            }
            guard case .bytes(let bytes) = try table.value(0, at: place) else {
                throw TestFailure("not bytes")
            }
            #expect(bytes.elementsEqual([1, 2, 3]))
        }
        #expect(connection.pager.ahead != nil && moves > 0)
        connection.rollback()
    }

    /// A transaction that fails while it writes ahead has no effect.
    @Test(arguments: FileKind.writingAhead, [EIO, ENOSPC])
    func aWriteThatFailsFailsTheTransaction(kind: FileKind, number: Int32) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let connection = try kind.open(directory.file())
        for step in 1...4 { try CrashWorkload.run(step, on: connection) }
        let before = try CrashWorkload.digest(of: connection)
        interceptor.setFaults([
            SystemCallFault(.failForever(errno: number), call: .pwritev, ordinal: 1)
        ])
        try connection.beginWrite()
        let error = #expect(throws: StorageError.self) {
            for step in 5...12 { try CrashWorkload.apply(step, to: connection) }
        }
        #expect(error?.code == (number == EIO ? .fileAccess : .outOfDiskSpace))
        #expect(connection.transactionFailure != nil)
        // Reads return the version before. No change is possible any more, even after the disk has
        // room.
        #expect(try CrashWorkload.digest(of: connection) == before)
        interceptor.setFaults([])
        #expect(throws: StorageError.self) { try CrashWorkload.apply(5, to: connection) }
        #expect(throws: StorageError.self) { try connection.commit() }
        #expect(try CrashWorkload.digest(of: connection) == before)
        for step in 5...12 { try CrashWorkload.run(step, on: connection) }
        #expect(try connection.verify() == [])
    }
}
