import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Typical mistakes of new storage engines concerning threads, syncs and the layout of nodes, with
/// a test for each.
@Suite struct KnownWritingMistakesTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// A connection that is passed to another thread.
    // Unchecked because its threads use it one after the other: each waits for the previous one to
    // end.
    private struct Moving: @unchecked Sendable {
        let connection: Connection
    }

    // Lock owned by a thread.
    @Test func aTransactionBegunOnAThreadThatEndsIsCommittedOnAnother() throws {
        let path = directory.file("threads")
        let database = try Database.open(path: path)
        let moving = Moving(connection: try Connection(database))
        try SharedCounter.create(moving.connection)
        for round in 0..<50 {
            try BackgroundThread { _ in
                try moving.connection.beginWrite()
                let table = try moving.connection.table(named: "Counter")!
                try table.set(0, of: table.key(at: 0), to: .integer(Int64(round)))
            }.wait()
            let isCommitted = round % 3 != 2
            try BackgroundThread { _ in
                if isCommitted {
                    try moving.connection.commit()
                } else {
                    moving.connection.rollback()
                }
            }.wait()
            // Others write in between, so the lock is really free.
            let other = try Connection(database)
            // The transaction was rolled back, so the count is that of the previous round: its
            // number plus one.
            #expect(try SharedCounter.read(other).count == Int64(round))
            try SharedCounter.increment(other, writer: 0, Int64(round))
        }
        _ = try moving.connection.refresh()
        #expect(try moving.connection.verify() == [])
    }

    // Failed sync.
    @Test(arguments: 1...6)
    func afterAFailedSyncTheOutcomeIsUnknownToAllAndEitherStateOpens(ordinal: Int) throws {
        let states = try CrashStates.shared.get()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        try directory.withImage(states.image) { path in
            var step = CrashStates.preparedStep
            var durable = states.image
            do {
                let database = try Database.open(path: path)
                let connection = try Connection(database)
                let bystander = try Connection(database)
                interceptor.setFaults([
                    SystemCallFault(.fail(errno: EIO), call: .fdatasync, ordinal: ordinal)
                ])
                var failure: StorageError?
                while failure == nil {
                    durable = try readBytes(path)
                    do {
                        try CrashWorkload.run(step + 1, on: connection)
                        step += 1
                    } catch let error as StorageError {
                        failure = error
                    }
                }
                #expect(failure?.code == .outcomeUnknown)
                for writer in [connection, bystander] {
                    let error = #expect(throws: StorageError.self) { try writer.beginWrite() }
                    #expect(error?.code == .outcomeUnknown)
                    _ = try writer.refresh()
                    #expect(try CrashWorkload.digest(of: writer) == states.digests[step])
                }
            }
            interceptor.setFaults([])
            // One image is from a kernel that dropped the unsynced pages, the other from one that
            // kept them.
            let kept = try readBytes(path)
            for image in [durable, kept] {
                try directory.withImage(image) {
                    try states.check($0, allowed: step...step + 1, "sync \(ordinal)")
                }
            }
        }
    }

    // Overflow while sealing.
    @Test func oneValueOf64ColumnsInAFullLeafMayGrow() throws {
        let path = directory.file("flags")
        let rows = 1500
        var expected = [[Bool]](repeating: [Bool](repeating: false, count: 64), count: rows)
        let connection = try Connection(Database.open(path: path))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Flags",
                columns: (0..<64).map { ColumnDefinition(name: "f\($0)", type: .bool) })
        ])
        let table = try connection.table(named: "Flags")!
        for _ in 0..<rows {
            _ = try table.insert([OwnedValue](repeating: .integer(0), count: 64))
        }
        try connection.commit()
        var random = SeededGenerator(seed: 41)
        func check() throws {
            for row in 0..<rows {
                let location = try table.location(at: row)
                for column in 0..<64 {
                    let value = try table.value(column, at: location)
                    guard value.isIdentical(to: .integer(expected[row][column] ? 1 : 0)) else {
                        throw TestFailure("row \(row), column \(column): \(value)")
                    }
                }
            }
        }
        for round in 0..<80 {
            try connection.beginWrite()
            // The first round changes one value, later rounds more and more of a leaf.
            for _ in 0...round / 8 * 4 {
                let (row, column) = (random.next(below: rows), random.next(below: 64))
                expected[row][column].toggle()
                try table.set(
                    column, of: ObjectKey(rawValue: Int64(row)),
                    to: .integer(expected[row][column] ? 1 : 0))
            }
            try connection.commit()
            if round % 20 == 0 { try check() }
        }
        try check()
        #expect(try connection.verify() == [])
    }

    // Wide class.
    @Test func scanningOneOfThirtyColumnsTouchesItsPagesOnly() throws {
        let path = directory.file("wide")
        let (rows, columns) = (3000, 30)
        func value(_ row: Int, _ column: Int) -> Int64 {
            Int64(bitPattern: UInt64(row * columns + column) &* 0x9E37_79B9_7F4A_7C15)
        }
        do {
            let connection = try Connection(Database.open(path: path))
            try connection.beginWrite()
            try connection.createTables([
                TableDefinition(
                    name: "Wide",
                    columns: (0..<columns).map { ColumnDefinition(name: "c\($0)", type: .int) })
            ])
            let table = try connection.table(named: "Wide")!
            for row in 0..<rows {
                _ = try table.insert((0..<columns).map { .integer(value(row, $0)) })
            }
            try connection.commit()
        }
        let image = try readBytes(path)
        /// Whether the scan of a column does not need a page: its result is right although the page
        /// is destroyed.
        func scan(_ column: Int, _ image: [UInt8]) throws -> Bool {
            try directory.withImage(image) { path in
                do throws(StorageError) {
                    let connection = try Connection(Database.open(path: path))
                    let table = try connection.table(named: "Wide")!
                    var row = 0
                    try table.forEachLeaf { leaf, _ throws(StorageError) in
                        let (node, position) = try table.column(column, of: leaf)!
                        for index in 0..<leaf.rowCount {
                            #expect(node.integer(position, index) == value(row, column))
                            row += 1
                        }
                        return true
                    }
                    #expect(row == rows)
                    return true
                } catch {
                    #expect(error.code == .damaged)
                    return false
                }
            }
        }
        for column in [0, 17, 29] {
            try #require(try scan(column, image))
            // Pages are destroyed by halves, so that few scans are needed to find the pages that
            // matter.
            func touched(_ pages: Range<Int>) throws -> Int {
                var damaged = image
                for page in pages { damaged[page * 4096 + 40] ^= 0xFF }
                if try scan(column, damaged) { return 0 }
                if pages.count == 1 { return 1 }
                let middle = (pages.lowerBound + pages.upperBound) / 2
                return try touched(pages.lowerBound..<middle)
                    + touched(middle..<pages.upperBound)
            }
            let count = try touched(34..<image.count / 4096)
            // 3,000 values of 8 bytes take 6 pages if packed without gaps. With leaves of 256 rows,
            // the node of each value is half full, and leaf, branches, forest and schema are added.
            // The class has over 180 pages.
            #expect(count >= 6 && count <= 36, "column \(column): \(count) pages")
        }
    }
}
