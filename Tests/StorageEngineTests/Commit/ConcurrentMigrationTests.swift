import Foundation
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Connections that read and write while another one changes the layout of their table again and
/// again. A connection of an older layout goes on to read the version before.
@Suite struct ConcurrentMigrationTests {
    private let directory = TestDirectory()

    /// Each has the counter, once as a number and once as a text, in other places.
    private static let layouts: [[ColumnDefinition]] = {
        let number = ColumnDefinition(name: "number", type: .int)
        let text = ColumnDefinition(name: "text", type: .string)
        let other = ColumnDefinition(name: "other", type: .double)
        return [
            [number, text], [text, other, number], [other, number, text],
            [ColumnDefinition(name: "more", type: .string, isOptional: true), text, number],
        ]
    }()

    /// The counter as a connection shows it, in all rows alike.
    private static func read(_ connection: Connection) throws -> Int64 {
        let table = try #require(try connection.table(named: "T"))
        func column(_ name: String) throws -> Int {
            try #require(table.definition.columns.firstIndex { $0.name == name })
        }
        let (number, text) = (try column("number"), try column("text"))
        var values: Set<Int64> = []
        for position in 0..<(try table.count()) {
            let location = try table.location(at: position)
            guard case .integer(let value) = try table.value(number, at: location),
                case .bytes(let bytes) = try table.value(text, at: location),
                String(decoding: bytes, as: UTF8.self) == "counter \(value)"
            else { throw Mistake(what: "a row is misread") }
            values.insert(value)
        }
        guard values.count == 1, let value = values.first, try table.count() == 40 else {
            throw Mistake(what: "\(values) in \(try table.count()) rows")
        }
        return value
    }

    private struct Mistake: Error { let what: String }

    /// Counts up in the open transaction.
    private static func increment(_ connection: Connection) throws {
        let table = try #require(try connection.table(named: "T"))
        let names = table.definition.columns.map(\.name)
        let value = try read(connection) + 1
        let text = Array("counter \(value)".utf8)
        var keys: [ObjectKey] = []
        for position in 0..<40 { keys.append(try table.key(at: position)) }
        for key in keys {
            try table.set(names.firstIndex(of: "number")!, of: key, to: .integer(value))
            try text.withUnsafeBytes {
                try table.set(names.firstIndex(of: "text")!, of: key, to: .bytes($0))
            }
        }
    }

    private static func migrate(_ database: Database, to layout: Int) throws {
        let connection = try Connection(database)
        try connection.beginWrite()
        let migration = try SchemaMigration(
            connection, to: [TableDefinition(name: "T", columns: layouts[layout])])
        try migration.finish()
        try connection.commit()
    }

    /// Reads and writes until it is stopped. Returns how often it has counted up.
    private static func work(
        _ database: Database, _ number: Int, _ isStopped: () -> Bool
    ) throws -> Int64 {
        var random = SeededGenerator(seed: UInt64(number) + 1)
        var connection = try Connection(database)
        var count: Int64 = 0
        while !isStopped() {
            let (version, before) = (connection.version, try read(connection))
            var hasEndedRead = false
            do throws(StorageError) {
                switch random.next(below: 5) {
                case 0, 1: try connection.refresh()
                case 2:
                    hasEndedRead = true
                    connection.endRead()
                    try connection.refresh()
                default:
                    try connection.beginWrite()
                    try rethrow { try increment(connection) }
                    if random.next(below: 4) == 0 {
                        connection.rollback()
                    } else {
                        try connection.commit(keepingVersion: random.next(below: 2) == 0)
                        count += 1
                    }
                }
                if connection.version < version { throw goneBack }
                if try rethrow({ try read(connection) }) < before { throw goneBack }
            } catch {
                switch error.code {
                case .schemaChanged where hasEndedRead:
                    connection = try Connection(database)
                case .schemaChanged:
                    guard connection.version == version, try read(connection) == before,
                        !connection.isInWriteTransaction
                    else { throw goneBack }
                    if random.next(below: 3) == 0 { connection = try Connection(database) }
                default: throw error
                }
            }
        }
        return count
    }

    private static var goneBack: StorageError {
        StorageError(.damaged, path: "", message: "a connection does not read what it read before")
    }

    private static func rethrow<R>(_ body: () throws -> R) throws(StorageError) -> R {
        do { return try body() } catch {
            throw error as? StorageError
                ?? StorageError(.damaged, path: "", message: "\(error)")
        }
    }

    @Test(arguments: FileKind.allCases)
    func nothingIsLostOrMisread(kind: FileKind) throws {
        let database = try Database.open(path: directory.file(), options: kind.options)
        let first = try Connection(database)
        try first.beginWrite()
        try first.createTables([TableDefinition(name: "T", columns: Self.layouts[0])])
        let table = try #require(try first.table(named: "T"))
        for _ in 0..<40 {
            _ = try table.insert(owned: [.integer(0), .bytes(Array("counter 0".utf8))])
        }
        try first.commit()
        let threads = (0..<3).map { number in
            BackgroundThread { isStopped in try Self.work(database, number, isStopped) }
        }
        let rounds = ProcessInfo.processInfo.environment["MIGRATION_ROUNDS"].flatMap { Int($0) }
        for round in 1...(rounds ?? 40) {
            try Self.migrate(database, to: round % Self.layouts.count)
            usleep(3_000)
        }
        let counts = try threads.map { try $0.finish() }
        let last = try Connection(database)
        #expect(try Self.read(last) == counts.reduce(0, +))
        #expect(counts.reduce(0, +) > 0)
        #expect(try last.verify() == [])
    }
}
