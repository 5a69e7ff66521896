import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Connections with which any number of threads read at the same time.
@Suite struct FrozenConnectionTests {
    private let directory = TestDirectory()
    private static let rowCount = 1_500

    private static func text(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number % 251), count: number % 100 == 3 ? 9_000 : 40)
    }

    /// Opens a file in which each row has the number of its position, a text, and a list with the
    /// row before it.
    private func open(_ options: Database.Options) throws -> Connection {
        let connection = try Connection(Database.open(path: directory.file(), options: options))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Note",
                columns: [
                    ColumnDefinition(name: "number", type: .int, isIndexed: true),
                    ColumnDefinition(name: "text", type: .data),
                    ColumnDefinition(
                        name: "others", type: .link, collection: .list, linkTarget: "Note"),
                ])
        ])
        let table = try #require(try connection.table(named: "Note"))
        var last: ObjectKey?
        for number in 0..<Self.rowCount {
            let key = try Self.text(number).withUnsafeBytes { text in
                let row: [Scalar] = [.integer(Int64(number)), .bytes(text), .null]
                return try row.withUnsafeBufferPointer { try table.insert($0) }
            }
            if let last { try table.list(2, of: key).append(.integer(last.rawValue)) }
            last = key
        }
        try connection.commit()
        return connection
    }

    /// Reads everything and throws if something is not as it was written.
    private static func read(_ connection: Connection) throws {
        let table = try #require(try connection.table(named: "Note"))
        let keys = try connection.searching { try QueryPlan(table, .constant(true)).keys() }
        try #require(keys.count == rowCount)
        // Does nothing here: other threads have pointers.
        connection.releaseExcessMemory()
        try #require(try table.count() == rowCount)
        for (number, key) in keys.enumerated() {
            let location = try #require(try table.location(of: key))
            guard case .integer(Int64(number)) = try table.value(0, at: location),
                case .bytes(let bytes) = try table.value(1, at: location),
                bytes.elementsEqual(text(number)),
                try table.list(2, of: key).count() == (number == 0 ? 0 : 1)
            else { throw WrongRow(number: number) }
        }
        let index = try #require(table.index(of: 0))
        let high = try #require(try index.positions(where: .compare(.greater, .integer(1_000))))
        try #require(high.count == rowCount - 1_001)
        let linked = try QueryPlan(
            table, .link(column: 2, .value(column: 0, .compare(.less, .integer(10)))))
        try #require(try linked.count() == 10)
    }

    private struct WrongRow: Error {
        let number: Int
    }

    /// - Parameter mostBytes: The memory for the decrypted pages of an encrypted file; nil for a
    ///   plain file.
    @Test(arguments: [nil, 0, 256 << 10, 64 << 20] as [Int?])
    func manyThreadsReadWhileOthersCommit(_ mostBytes: Int?) throws {
        var options = mostBytes == nil ? FileKind.plain.options : FileKind.encrypted.options
        options.mostDecryptedBytes = mostBytes
        let writer = try open(options)
        // Safe because any number of threads may read with it.
        nonisolated(unsafe) let frozen = try Connection(freezing: writer)
        let threads = (0..<4).map { _ in
            BackgroundThread { isStopped in
                repeat { try Self.read(frozen) } while !isStopped()
            }
        }
        let table = try #require(try writer.table(named: "Note"))
        for round in 0..<20 {
            try writer.beginWrite()
            for position in stride(from: round, to: Self.rowCount, by: 50) {
                try table.set(0, of: table.key(at: position), to: .integer(-1))
            }
            try writer.commit()
        }
        for thread in threads { try thread.finish() }
        try Self.read(frozen)
        #expect(frozen.version + 20 == writer.version)
    }

    @Test(arguments: [FileKind.plain, .encrypted])
    func pinsSayThatTheyAreFrozen(_ kind: FileKind) throws {
        let writer = try open(kind.options)
        let version = writer.version
        var frozen: Connection? = try Connection(freezing: writer)
        try writer.beginWrite()
        try writer.setSchemaVersion(1)
        try writer.commit()
        let pins = try writer.database.statistics().pinnedVersions
        #expect(pins.map(\.version) == [version, version + 1])
        #expect(pins.map(\.isFrozen) == [true, false])
        #expect(writer.database.activeVersionCount == 2)
        #expect(frozen?.version == version)
        frozen = nil
        // The slot of the frozen pin is used again.
        let reader = try Connection(writer.database)
        let later = try writer.database.statistics().pinnedVersions
        #expect(later.map(\.isFrozen) == [false, false] && reader.version == version + 1)
        #expect(writer.database.activeVersionCount == 1)
    }

    @Test func inAWriteTransactionTheVersionBeforeItIsFrozen() throws {
        let writer = try open(FileKind.plain.options)
        try writer.beginWrite()
        let table = try #require(try writer.table(named: "Note"))
        try table.set(0, of: table.key(at: 0), to: .integer(77))
        let frozen = try Connection(freezing: writer)
        #expect(frozen.version == writer.version)
        try Self.read(frozen)
        try writer.commit()
        try Self.read(frozen)
    }

    /// Variables of a condition are bound while its plans run.
    @Test func conditionsWithTheirOwnVariablesAreUsedByManyThreads() throws {
        let writer = try open(FileKind.plain.options)
        nonisolated(unsafe) let frozen = try Connection(freezing: writer)
        let number = try #require(try frozen.table(named: "Note")).number
        let (object, element) = (QueryVariable(table: number), QueryVariable(table: number))
        // The rows whose list has a row with the number before theirs: all but the first.
        let isBefore = QueryCondition.pairs(
            .bound(object, .values(QueryPath(end: .column(0)))),
            .bound(element, .values(QueryPath(end: .column(0)))), name: "before"
        ) { first, second, _ in MixedValue.compare(first, second) > 0 }
        nonisolated(unsafe) let condition = QueryCondition.values(
            .countMatchingEach(
                QueryPath(end: .column(2)), isBefore, object: object, element: element),
            name: "count"
        ) { value, _ in MixedValue.compare(value, .int(1)) == 0 }
        let threads = (0..<4).map { _ in
            BackgroundThread { _ in
                let table = try #require(try frozen.table(named: "Note"))
                let plan = try QueryPlan(table, condition.withOwnVariables())
                return try (0..<10).map { _ in try plan.count() }
            }
        }
        for thread in threads {
            #expect(try thread.wait() == Array(repeating: Self.rowCount - 1, count: 10))
        }
    }
}
