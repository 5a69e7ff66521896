import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Encrypted files that exceed the memory for decrypted pages.
@Suite struct DecryptedMemoryTests {
    private let directory = TestDirectory()
    /// The memory that all connections of a file may use together, and each one for itself, in
    /// these tests.
    private static let mostBytes = 128 << 10
    private static let rowCount = 12_000

    private struct Row {
        var number: Int64
        var score: Double
        var text: [UInt8]
    }

    /// The texts have pages of their own, some of them runs.
    private static let rows: [Row] = {
        var random = SeededGenerator(seed: 71)
        return (0..<rowCount).map { index in
            let length = index % 500 == 7 ? 9_000 : 20 + random.next(below: 60)
            return Row(
                number: Int64(random.next(below: 1000)), score: Double(index) / 8,
                text: (0..<length).map { _ in UInt8(random.next(below: 256)) })
        }
    }()

    private func write(_ row: Row, _ body: (UnsafeBufferPointer<Scalar>) throws -> Void) throws {
        try row.text.withUnsafeBytes { text in
            let scalars: [Scalar] = [.integer(row.number), .double(row.score), .bytes(text)]
            try scalars.withUnsafeBufferPointer(body)
        }
    }

    private func makeFile() throws -> String {
        let path = directory.file()
        let connection = try FileKind.encrypted.open(path)
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Note",
                columns: [
                    ColumnDefinition(name: "number", type: .int),
                    ColumnDefinition(name: "score", type: .double),
                    ColumnDefinition(name: "text", type: .data),
                ])
        ])
        let table = try #require(try connection.table(named: "Note"))
        for row in Self.rows { try write(row) { _ = try table.insert($0) } }
        try connection.commit()
        return path
    }

    private static func open(
        _ path: String, mostBytes: Int = mostBytes
    ) throws -> (Connection, Table) {
        var options = FileKind.encrypted.options
        options.mostDecryptedBytes = mostBytes
        let connection = try Connection(Database.open(path: path, options: options))
        return (connection, try #require(try connection.table(named: "Note")))
    }

    /// The number of bytes in shared places, according to the words of the pages.
    private func usedBytes(_ file: PageFile) -> Int {
        (0..<Int(file.mappedPages)).count { file.pages!.checkedBirths[$0] != 0 } * file.pageSize
    }

    private func expectBounds(_ connection: Connection, _ what: String) {
        let file = connection.database.file
        let shared = file.pages!.installing.withLock { $0.byteCount }
        #expect(shared == usedBytes(file), "\(what)")
        // The map of free pages has places regardless of the limit.
        #expect(shared <= Self.mostBytes + file.pageSize, "\(what)")
    }

    private func privateBytes(_ connection: Connection) -> Int {
        connection.pager.privateRuns?.byteCount ?? 0
    }

    @Test func scansTakeNoMoreMemoryThanALeafDoes() throws {
        let (connection, table) = try Self.open(makeFile())
        let fileBytes = connection.pager.file.byteCount(connection.pager.file.mappedPages)
        #expect(fileBytes > 5 * Self.mostBytes)
        let isLow = try table.predicate(0, .compare(.less, .integer(300)))
        let low = Self.rows.indices.filter { Self.rows[$0].number < 300 }
        let keys = try table.allKeys()
        let prefix = [UInt8(0x40)]
        let named = Self.rows.indices.filter { Self.rows[$0].text.starts(with: prefix) }
        let hasPrefix = try prefix.withUnsafeBytes { try table.predicate(2, .hasPrefix($0)) }
        connection.releaseExcessMemory()
        for _ in 0..<3 {
            #expect(try table.count(where: isLow) == low.count)
            #expect(try table.keys(where: isLow) == low.map { keys[$0] })
            #expect(try table.keys(where: hasPrefix) == named.map { keys[$0] })
            #expect(try table.sum(1).floating == Self.rows.reduce(0) { $0 + $1.score })
            #expect(
                try table.sum(0, where: isLow).integer
                    == Int128(low.reduce(0) { $0 + Self.rows[$1].number }))
            #expect(
                try table.maximum(1, where: isLow)?.isIdentical(
                    to: .double(Self.rows[low.last!].score)) == true)
            #expect(
                try table.firstKeys(20, sortedBy: 0)
                    == Array(order(by: { $0.number < $1.number }).prefix(20)).map { keys[$0] })
            // These are the newest leaf, its column of texts, their runs, and the branches.
            #expect(privateBytes(connection) < 400 << 10)
            expectBounds(connection, "scans")
        }
        #expect(try connection.verify() == [])
    }

    private func order(by areInOrder: (Row, Row) -> Bool) -> [Int] {
        Self.rows.indices.sorted {
            areInOrder(Self.rows[$0], Self.rows[$1])
                || !areInOrder(Self.rows[$1], Self.rows[$0]) && $0 < $1
        }
    }

    /// A scan that ends early leaves a leaf behind, which the enclosing scan visits next.
    @Test func scansInsideOfScansKeepTheirLeaves() throws {
        let (connection, table) = try Self.open(makeFile(), mostBytes: 0)
        let keys = try table.allKeys()
        var outer = try LeafScan(table, keepsLeaves: false)
        var next = 0
        while try outer.next() {
            var inner = try LeafScan(table, keepsLeaves: false)
            while try inner.next(), inner.firstPosition <= outer.firstPosition {}
            for row in 0..<outer.rowCount {
                #expect(outer.key(row) == keys[next])
                let value = try table.value(
                    1, at: RowLocation(leaf: outer.leaf, row: row))
                #expect(value.isIdentical(to: .double(Self.rows[next].score)))
                next += 1
            }
            #expect(privateBytes(connection) < 400 << 10)
        }
        #expect(next == keys.count)
    }

    /// What several threads read with would keep all that they read.
    @Test func searchesWithAFrozenConnectionKeepBranchesOnly() throws {
        let (connection, _) = try Self.open(makeFile(), mostBytes: 0)
        let frozen = try Connection(freezing: connection)
        let table = try #require(try frozen.table(named: "Note"))
        let isLow = QueryCondition.values(
            .values(QueryPath(end: .column(0))), name: "low"
        ) { value, _ in MixedValue.compare(value, .int(300)) < 0 }
        let low = Self.rows.count { $0.number < 300 }
        for _ in 0..<3 {
            #expect(try frozen.searching { try QueryPlan(table, isLow).count() } == low)
            let keys = try frozen.searching { try table.keys(sortedBy: 2) }
            #expect(keys.count == Self.rowCount)
            #expect(frozen.decryptedBytes < 400 << 10)
        }
        let location = try table.location(at: 0)
        // A search inside of a search does not end it.
        try frozen.searching {
            let sum = try frozen.searching { try table.sum(1).floating }
            #expect(try sum == table.sum(1).floating)
        }
        #expect(try table.value(0, at: location).isIdentical(to: .integer(Self.rows[0].number)))
        #expect(try table.keys(sortedBy: 2).count == Self.rowCount)
        #expect(frozen.decryptedBytes > 400 << 10)
    }

    @Test func textsAreSortedWhereTheyLie() throws {
        let (connection, table) = try Self.open(makeFile())
        let keys = try table.allKeys()
        let sorted = order { $0.text.lexicographicallyPrecedes($1.text) }.map { keys[$0] }
        #expect(try table.keys(sortedBy: 2) == sorted)
        #expect(privateBytes(connection) > Self.mostBytes)
        #expect(try table.firstKeys(50, sortedBy: 2) == Array(sorted.prefix(50)))
        expectBounds(connection, "sorting")
    }

    @Test func whatWasReadStaysUntilItIsGivenBack() throws {
        let (connection, table) = try Self.open(makeFile())
        let keys = try table.allKeys()
        func check(_ location: RowLocation, _ row: Row) throws {
            #expect(try table.value(0, at: location).isIdentical(to: .integer(row.number)))
            let value = try table.value(2, at: location)
            row.text.withUnsafeBytes { #expect(value.isIdentical(to: .bytes($0))) }
        }
        for _ in 0..<2 {
            let locations = try keys.map { try #require(try table.location(of: $0)) }
            for (location, row) in zip(locations, Self.rows) { try check(location, row) }
            // Scans in between release only their own leaves.
            #expect(try table.sum(1).floating == Self.rows.reduce(0) { $0 + $1.score })
            for (location, row) in zip(locations, Self.rows) { try check(location, row) }
            #expect(privateBytes(connection) > Self.mostBytes)
            let stamp = connection.layoutStamp.pointee
            connection.releaseExcessMemory()
            #expect(privateBytes(connection) == 0)
            #expect(connection.layoutStamp.pointee != stamp)
            connection.releaseExcessMemory()
            #expect(connection.layoutStamp.pointee == stamp + 1)
            expectBounds(connection, "lookups")
        }
        connection.endRead()
        #expect(connection.pager.privateRuns == nil)
    }

    /// Connections take turns to make random changes and reads, each compared with the expected
    /// values.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func changesAreSeenByAll(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let path = try makeFile()
        var rows = Self.rows.map { Optional($0) }
        let connections = try (0..<3).map { _ in try Self.open(path) }
        let keys = try connections[0].1.allKeys()
        for step in 0..<120 {
            let (connection, table) = connections[random.next(below: 3)]
            if step % 3 == 0 {
                try connection.beginWrite()
                let old = rows
                for _ in 0..<1 + random.next(below: 40) {
                    let index = random.next(below: rows.count)
                    guard let row = rows[index] else { continue }
                    if random.next(below: 10) == 0 {
                        try table.delete(keys[index])
                        rows[index] = nil
                    } else {
                        let text = Array(row.text.reversed())
                        rows[index]!.text = text
                        try text.withUnsafeBytes {
                            try table.set(2, of: keys[index], to: .bytes($0))
                        }
                    }
                    if random.next(below: 8) == 0 { connection.releaseExcessMemory() }
                }
                if random.next(below: 5) == 0 {
                    connection.rollback()
                    rows = old
                } else {
                    try connection.commit()
                }
            } else {
                try connection.refresh()
            }
            for _ in 0..<60 {
                let index = random.next(below: rows.count)
                guard let row = rows[index] else {
                    #expect(try table.contains(keys[index]) == false)
                    continue
                }
                let value = try table.value(2, of: keys[index])
                row.text.withUnsafeBytes { #expect(value.isIdentical(to: .bytes($0))) }
            }
            if step % 20 == 0 {
                let sum = rows.reduce(0) { $0 + ($1?.score ?? 0) }
                #expect(try table.sum(1).floating == sum)
            }
            connection.releaseExcessMemory()
            #expect(privateBytes(connection) <= Self.mostBytes)
            expectBounds(connection, "step \(step)")
        }
        #expect(try connections[0].0.verify() == [])
    }

    @Test func placesOfPagesThatWereCutOffAreFree() throws {
        var options = FileKind.encrypted.options
        options.mostDecryptedBytes = 8 << 20
        let connection = try Connection(Database.open(path: directory.file(), options: options))
        let file = connection.pager.file
        try ShrinkWorkload.prepare(connection, items: 1200)
        #expect(usedBytes(file) > 4 << 20)
        let (pages, used) = (file.mappedPages, usedBytes(file))
        try ShrinkWorkload.deleteMost(connection)
        for step in 1...300 {
            try connection.beginWrite()
            try connection.table(named: "Progress")!.set(
                0, of: ObjectKey(rawValue: 0), to: .integer(Int64(step)))
            try connection.commit()
            #expect(file.pages!.installing.withLock { $0.byteCount } == usedBytes(file))
        }
        #expect(file.mappedPages < pages / 2 && usedBytes(file) < used)
    }

    @Test func threadsReadWhileAnotherWrites() throws {
        let path = try makeFile()
        // This connection keeps the file open, and with it the limit.
        let (connection, table) = try Self.open(path)
        let keys = try table.allKeys()
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            do {
                let (own, table) = try Self.open(path)
                var random = SeededGenerator(seed: UInt64(thread))
                for step in 0..<60 {
                    if thread == 0 {
                        try own.beginWrite()
                        for _ in 0..<20 {
                            let index = random.next(below: keys.count)
                            try table.set(0, of: keys[index], to: .integer(Int64(step)))
                        }
                        try own.commit()
                    } else {
                        try own.refresh()
                        for _ in 0..<100 {
                            let index = random.next(below: keys.count)
                            let row = Self.rows[index]
                            let value = try table.value(2, of: keys[index])
                            if !row.text.withUnsafeBytes({ value.isIdentical(to: .bytes($0)) }) {
                                failures.withLock { $0.append("row \(index)") }
                            }
                        }
                        if step % 10 == 0,
                            try table.sum(1).floating != Self.rows.reduce(0, { $0 + $1.score })
                        {
                            failures.withLock { $0.append("sum") }
                        }
                    }
                    own.releaseExcessMemory()
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
        expectBounds(connection, "threads")
    }

    @Test func aShareOfTheMachinesMemoryIsTheLimit() throws {
        let database = try Database.open(
            path: directory.file(), options: FileKind.encrypted.options)
        let most = database.file.decryptedMemory.mostBytes
        #expect(most >= 64 << 20)
        #expect(UInt64(most) <= max(64 << 20, ProcessInfo.processInfo.physicalMemory / 8))
    }
}

extension Table {
    /// Returns all keys in ascending order.
    func allKeys() throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        var scan = try LeafScan(self, keepsLeaves: false)
        while try scan.next() { keys += (0..<scan.rowCount).map { scan.key($0) } }
        return keys
    }
}
