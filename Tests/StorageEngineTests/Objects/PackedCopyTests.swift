import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Copies are packed, whatever the state of their source, and are trees like all others.
@Suite struct PackedCopyTests {
    private let directory = TestDirectory()

    /// A table with narrow and wide columns, some of which leaves spill, and keys for both kinds of
    /// maps.
    private static func definition(stringKey: Bool, texts: Int) -> TableDefinition {
        var columns = [
            ColumnDefinition(name: "key", type: stringKey ? .string : .int, isPrimaryKey: true),
            ColumnDefinition(name: "flag", type: .bool, isOptional: true),
            ColumnDefinition(name: "number", type: .int, isOptional: true),
            ColumnDefinition(name: "price", type: .double),
            ColumnDefinition(name: "weight", type: .float, isOptional: true),
            ColumnDefinition(name: "id", type: .uuid),
            ColumnDefinition(name: "object", type: .objectID, isOptional: true),
        ]
        for text in 0..<texts {
            columns.append(
                ColumnDefinition(name: "text\(text)", type: .string, isOptional: text % 2 == 1))
        }
        return TableDefinition(name: "Row", columns: columns)
    }

    private static func value(
        _ definition: ColumnDefinition, _ number: Int, _ random: inout SeededGenerator
    ) -> OracleValue {
        if definition.isOptional, random.next(below: 4) == 0 { return .null }
        switch definition.type {
        case .bool: return .integer(Int64(random.next(below: 2)))
        case .int:
            // Numbers are mostly narrow, and sometimes as wide as possible.
            let shift = random.next(below: 50) == 0 ? 0 : 40 + random.next(below: 24)
            return definition.isPrimaryKey
                ? .integer(Int64(number)) : .integer(Int64(bitPattern: random.next()) >> shift)
        case .double:
            let whole = Double(random.next(below: 1000))
            return .double((random.next(below: 500) == 0 ? whole + 0.5 : whole).bitPattern)
        case .float: return .float(Float(random.next(below: 100)).bitPattern)
        case .uuid: return .fixed16(random.next(), random.next())
        case .objectID: return .fixed12(random.next(), 7)
        default:
            if definition.isPrimaryKey { return OracleValue("key \(number)") }
            let length = random.next(below: 200) == 0 ? 3000 : random.next(below: 30)
            return .bytes((0..<length).map { _ in UInt8(65 + random.next(below: 26)) })
        }
    }

    private static func insert(
        _ number: Int, into table: Table, _ random: inout SeededGenerator
    ) throws {
        let columns = table.definition.columns
        _ = try table.insert(owned: columns.map { value($0, number, &random) })
    }

    /// Deletes and changes at random, reproducibly for a seed.
    private static func age(
        _ table: Table, steps: Int, newNumbers first: Int, _ random: inout SeededGenerator
    ) throws {
        var next = first
        for _ in 0..<steps {
            let count = try table.count()
            switch random.next(below: 4) {
            case 0:
                try insert(next, into: table, &random)
                next += 1
            case 1 where count > 10:
                try table.delete(try table.key(at: random.next(below: count)))
            default:
                let column = 1 + random.next(below: table.definition.columns.count - 1)
                let new = value(table.definition.columns[column], 0, &random)
                let key = try table.key(at: random.next(below: count))
                try new.withScalar { try table.set(column, of: key, to: $0) }
            }
        }
    }

    private static func expectEqual(_ left: Table, _ right: Table) throws {
        let count = try left.count()
        try #require(try right.count() == count)
        for position in 0..<count {
            let (a, b) = (try left.location(at: position), try right.location(at: position))
            let key = left.key(at: a)
            try #require(right.key(at: b) == key)
            for column in left.definition.columns.indices {
                let value = try left.value(column, at: a)
                try #require(
                    try right.value(column, at: b).isIdentical(to: value),
                    "object \(key.rawValue), column \(column)")
            }
            try #require(try right.find(primaryKey: left.value(0, at: a)) == key)
        }
    }

    private static let key = [UInt8](repeating: 7, count: 64)

    private func make(
        _ definition: TableDefinition, pageSize: Int, name: String = "source",
        encryptionKey: [UInt8]? = nil
    ) throws -> (Connection, Table) {
        let options = Database.Options(pageSize: pageSize, encryptionKey: encryptionKey)
        let connection = try Connection(
            Database.open(path: directory.file(name), options: options))
        try connection.beginWrite()
        try connection.createTables([definition])
        return (connection, try #require(try connection.table(named: definition.name)))
    }

    /// Creates `count` values of 300 KB, and leaves the write transaction open.
    private func makeLongValues(_ count: Int) throws -> Connection {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Row", columns: [ColumnDefinition(name: "data", type: .data)])
        ])
        let table = try #require(try connection.table(named: "Row"))
        for number in 0..<count {
            let value = [UInt8](repeating: UInt8(number), count: 300_000)
            _ = try table.insert(owned: [.bytes(value)])
        }
        return connection
    }

    private func copy(_ connection: Connection, _ name: String) throws -> Connection {
        try connection.writeCopy(toPath: directory.file(name))
        let copy = try Connection(Database.open(path: directory.file(name)))
        try #require(try copy.verify() == [])
        return copy
    }

    private func liveBytes(_ connection: Connection) throws -> UInt64 {
        try connection.database.statistics().liveBytes
    }

    @Test(arguments: [(4096, 2), (4096, 30), (8192, 4), (16384, 12)], [false, true])
    func aCopyHoldsWhatItsSourceHoldsAndCanBeChangedLikeIt(
        form: (pageSize: Int, texts: Int), stringKey: Bool
    ) throws {
        let definition = Self.definition(stringKey: stringKey, texts: form.texts)
        let (source, table) = try make(definition, pageSize: form.pageSize)
        let seed = UInt64(form.pageSize + form.texts)
        var random = SeededGenerator(seed: seed)
        for number in (0..<2500).shuffled(using: &random) {
            try Self.insert(number, into: table, &random)
        }
        try Self.age(table, steps: 2000, newNumbers: 10_000, &random)
        // Uncommitted changes are copied as well.
        let first = try copy(source, "first")
        let copied = try #require(try first.table(named: "Row"))
        try Self.expectEqual(table, copied)
        let (once, twice) = (try liveBytes(first), try liveBytes(copy(first, "second")))
        #expect(twice <= once + once / 100, "\(once) and \(twice) bytes")
        try source.commit()
        try first.beginWrite()
        try source.beginWrite()
        var same = random
        try Self.age(table, steps: 1500, newNumbers: 20_000, &random)
        try Self.age(copied, steps: 1500, newNumbers: 20_000, &same)
        try first.commit()
        try source.commit()
        try Self.expectEqual(table, copied)
        #expect(try first.verify() == [])
    }

    /// A copy reads each leaf once, so leaves of an encrypted file need not stay in memory for it.
    /// Pages that were decrypted before are used.
    @Test(arguments: [(4096, 2), (4096, 30), (8192, 4)], [false, true])
    func leavesOfAnEncryptedFileAreCopiedWithoutStayingDecrypted(
        form: (pageSize: Int, texts: Int), isPartlyRead: Bool
    ) throws {
        func options() -> Database.Options { .init(encryptionKey: Self.key) }
        try {
            let (source, table) = try make(
                Self.definition(stringKey: true, texts: form.texts), pageSize: form.pageSize,
                encryptionKey: Self.key)
            var random = SeededGenerator(seed: UInt64(form.texts))
            for number in (0..<2500).shuffled(using: &random) {
                try Self.insert(number, into: table, &random)
            }
            try Self.age(table, steps: 2000, newNumbers: 10_000, &random)
            try source.commit()
        }()
        let source = try Connection(
            Database.open(path: directory.file("source"), options: options()))
        let table = try #require(try source.table(named: "Row"))
        if isPartlyRead {
            for position in 0..<table.definition.columns.count * 20 {
                _ = try table.value(position % 8, of: table.key(at: position))
            }
        }
        func decryptedRuns() -> Int {
            let file = source.database.file
            return (0..<Int(source.pager.bounds.pageCount))
                .count { file.pages!.checkedBirths[$0] != 0 }
        }
        let before = decryptedRuns()
        let first = try copy(source, "copy")
        let after = decryptedRuns()
        try Self.expectEqual(table, try #require(try first.table(named: "Row")))
        let all = decryptedRuns()
        #expect(after - before < (all - before) / 5, "\(before), \(after), \(all)")
    }

    @Test(arguments: [false, true])
    func keysThatCameAtRandomTakeNoMoreThanKeysInOrder(stringKey: Bool) throws {
        var random = SeededGenerator(seed: 3)
        let definition = TableDefinition(
            name: "Row",
            columns: [
                ColumnDefinition(name: "id", type: stringKey ? .string : .int, isPrimaryKey: true)
            ])
        func copiedBytes(_ numbers: [Int], _ name: String) throws -> UInt64 {
            let (connection, table) = try make(definition, pageSize: 4096, name: name)
            for number in numbers {
                _ = try table.insert(owned: [
                    stringKey
                        ? OracleValue(String(100_000 + number)) : .integer(Int64(number) * 2)
                ])
            }
            try connection.commit()
            let copy = try copy(connection, name + ".copy")
            #expect(try liveBytes(copy) <= liveBytes(connection))
            return try liveBytes(copy)
        }
        let ordered = Array(0..<20_000)
        let inOrder = try copiedBytes(ordered, "ordered")
        let atRandom = try copiedBytes(ordered.shuffled(using: &random), "random")
        // Object keys that do not ascend with the primary keys take two bytes; others take none.
        #expect(atRandom < inOrder * 7 / 4, "\(inOrder) and \(atRandom) bytes")
    }

    @Test func whatDeletionsLeaveIsPackedAgain() throws {
        let definition = Self.definition(stringKey: false, texts: 1)
        let (connection, table) = try make(definition, pageSize: 4096)
        var random = SeededGenerator(seed: 5)
        for number in 0..<20_000 { try Self.insert(number, into: table, &random) }
        try connection.commit()
        let full = try liveBytes(connection)
        try connection.beginWrite()
        let keys = try (0..<20_000).map { try table.key(at: $0) }
        try table.delete(keys.filter { _ in random.next(below: 4) > 0 })
        try connection.commit()
        let left = try table.count()
        // Neither primary keys nor object keys ascend by one any more, so each takes two bytes, in
        // the leaves of the objects and in the map.
        let expected = full * UInt64(left) / 20_000 + 8 * UInt64(left)
        #expect(try liveBytes(try copy(connection, "copy")) < expected * 6 / 5)
    }

    @Test func leavesThatAreOlderThanAColumnAreCopiedWithIt() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(name: "Target", columns: [ColumnDefinition(name: "n", type: .int)]),
            TableDefinition(
                name: "Owner",
                columns: [ColumnDefinition(name: "any", type: .mixed, isOptional: true)]),
        ])
        let targets = try #require(try connection.table(named: "Target"))
        let owners = try #require(try connection.table(named: "Owner"))
        let keys = try (0..<5000).map { try targets.insert(owned: [.integer(Int64($0))]) }
        // The first link adds the column of backlinks to the leaves that it refers to, and to no
        // other.
        for number in [17, 18, 4000] {
            let link = MixedValue.link(TypedLink(table: targets.number, key: keys[number]))
            _ = try owners.insert(owned: [OracleValue(link)])
        }
        try connection.commit()
        let copy = try copy(connection, "copy")
        let copied = try #require(try copy.table(named: "Target"))
        for number in stride(from: 0, to: 5000, by: 1) {
            let isTarget = [17, 18, 4000].contains(number)
            #expect(try copied.backlinkCount(of: keys[number]) == (isTarget ? 1 : 0))
        }
        try copy.beginWrite()
        try copied.delete(keys[17])
        try copy.commit()
        #expect(try copy.verify() == [])
    }

    @Test(arguments: [false, true])
    func longCollectionsAndLongValuesAreCopiedInSeveralTransactions(isEncrypted: Bool) throws {
        let options = Database.Options(encryptionKey: isEncrypted ? Self.key : nil)
        let connection = try Connection(Database.open(path: directory.file(), options: options))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Owner",
                columns: [
                    ColumnDefinition(name: "list", type: .data, collection: .list),
                    ColumnDefinition(name: "map", type: .int, collection: .map),
                    ColumnDefinition(name: "data", type: .data),
                ])
        ])
        let table = try #require(try connection.table(named: "Owner"))
        let key = try table.insert(owned: [.null, .null, .bytes([9])])
        var random = SeededGenerator(seed: 11)
        var list: [[UInt8]] = []
        for number in 0..<3000 {
            let length = number % 100 == 0 ? 300_000 : random.next(below: 20)
            let element = [UInt8](repeating: UInt8(number & 0xFF), count: length)
            let place = random.next(below: list.count + 1)
            try element.withUnsafeBytes { try table.list(0, of: key).insert(.bytes($0), at: place) }
            list.insert(element, at: place)
        }
        for number in (0..<3000).shuffled(using: &random) {
            // Some keys are too long to be stored in a leaf.
            let name = Array(String(repeating: "\(number)", count: number % 50 == 0 ? 200 : 1).utf8)
            try name.withUnsafeBytes {
                try table.map(1, of: key).set(.integer(Int64(number)), forKey: $0)
            }
        }
        let before = try OracleValue(table.map(1, of: key))
        try connection.commit()
        let copy = try copy(connection, "copy")
        #expect(copy.version > 2, "9 MB are more than one transaction takes")
        let copied = try #require(try copy.table(named: "Owner"))
        let elements = copied.list(0, of: key)
        try #require(try elements.count() == list.count)
        for (index, element) in list.enumerated() {
            try #require(try OracleValue(elements.value(at: index)) == .bytes(element))
        }
        #expect(try OracleValue(copied.map(1, of: key)) == before)
    }

    /// After power loss, a copy that has its name is complete.
    @Test(arguments: [false, true])
    func allThatWasWrittenIsSyncedBeforeTheCopyHasItsName(isEncrypted: Bool) throws {
        let connection = try makeLongValues(30)
        let folder = directory.file("copies")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: folder), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        try connection.writeCopy(
            toPath: folder + "/copy",
            encryptionKey: isEncrypted ? Self.key : nil)
        var unsynced = 0
        var renames = 0
        for event in interceptor.trace {
            switch event.change {
            // The marker of a clean close is written after the last sync. It is only a hint.
            case .write(_, let bytes): if bytes.count > 512 { unsynced += 1 }
            case .writeSynced: break
            case .allocate: unsynced += 1
            case .sync: unsynced = 0
            // The file is truncated when it is closed. A longer file is valid as well.
            case .truncate: break
            case .rename:
                renames += 1
                #expect(unsynced == 0)
            case .failedSync, .syncDirectory, .unlink: break
            }
        }
        #expect(renames == 1)
        connection.rollback()
    }

    /// Another thread reads leaves ahead of the copy, and does not report what it finds.
    @Test(arguments: [false, true])
    func aPageThatRottedEndsTheCopyOrIsNotInIt(isEncrypted: Bool) throws {
        let key = isEncrypted ? Self.key : nil
        let definition = Self.definition(stringKey: false, texts: 12)
        var random = SeededGenerator(seed: 21)
        let options = Database.Options(pageSize: 4096, encryptionKey: key)
        let count: Int
        do {
            let (connection, table) = try make(definition, pageSize: 4096, encryptionKey: key)
            for number in 0..<600 { try Self.insert(number, into: table, &random) }
            try connection.commit()
            try connection.beginWrite()
            try Self.age(table, steps: 300, newNumbers: 600, &random)
            count = try table.count()
            try connection.commit()
        }
        // The database is closed, so that no page looks like that of an incomplete commit.
        let whole = try Data(contentsOf: URL(fileURLWithPath: directory.file("source")))
        var (damaged, copied) = (0, 0)
        for page in stride(from: 12, to: whole.count / 4096, by: 5) {
            var image = whole
            image[page * 4096 + 64 + random.next(below: 4032)] ^= 1
            let path = directory.file("rotten-\(page)")
            try image.write(to: URL(fileURLWithPath: path))
            do {
                let source = try Connection(Database.open(path: path, options: options))
                let copy = try copy(source, "copy-\(page)")
                copied += 1
                #expect(try #require(try copy.table(named: "Row")).count() == count)
            } catch let error as StorageError {
                damaged += 1
                #expect(error.code == .damaged, "page \(page): \(error)")
                #expect(!FileManager.default.fileExists(atPath: directory.file("copy-\(page)")))
            }
        }
        #expect(damaged > 10)
        #expect(copied > 0, "some pages are free")
    }

    /// Pages that are not in the file yet are copied as well.
    @Test func leavesOfAnOpenTransactionAreCopied() throws {
        let definition = Self.definition(stringKey: true, texts: 6)
        var random = SeededGenerator(seed: 22)
        let (source, table) = try make(definition, pageSize: 4096)
        for number in 0..<3000 { try Self.insert(number, into: table, &random) }
        try source.commit()
        try source.beginWrite()
        try Self.age(table, steps: 300, newNumbers: 3000, &random)
        let copy = try copy(source, "copy")
        try Self.expectEqual(table, #require(try copy.table(named: "Row")))
        source.rollback()
    }

    /// Transactions are written while the next ones are made. If any of them fails, the copy fails.
    @Test(arguments: [false, true])
    func aWriteThatFailsOnTheWayLeavesNoCopy(isEncrypted: Bool) throws {
        let key = isEncrypted ? Self.key : nil
        let connection = try makeLongValues(60)
        try connection.commit()
        let folder = directory.file("copies")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: folder))
        interceptor.install()
        defer { interceptor.uninstall() }
        try connection.writeCopy(toPath: folder + "/whole", encryptionKey: key)
        let counts = [SystemCall.pwritev, .fdatasync].map { ($0, interceptor.count(of: $0)) }
        try #require(counts[0].1 > 6, "there are several transactions")
        #expect(counts[1].1 < counts[0].1, "only the last one needs syncs")
        for (call, count) in counts {
            for ordinal in 1...count {
                interceptor.setFaults([
                    SystemCallFault(.fail(errno: EIO), call: call, ordinal: ordinal)
                ])
                #expect(throws: StorageError.self, "\(call) \(ordinal)") {
                    try connection.writeCopy(toPath: folder + "/part", encryptionKey: key)
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(names.filter { !$0.hasPrefix("whole") } == [], "\(call) \(ordinal)")
            }
            interceptor.setFaults([])
            let path = folder + "/whole-\(call)"
            try connection.writeCopy(toPath: path, encryptionKey: key)
            let copy = try Connection(
                Database.open(path: path, options: .init(encryptionKey: key)))
            #expect(try copy.verify() == [])
            #expect(try #require(try copy.table(named: "Row")).count() == 60)
        }
    }

    /// Space for the whole copy is requested in the beginning. If the disk does not have that much,
    /// space is requested step by step.
    @Test func aCopyThatCannotHaveItsRoomAtOnceGrowsStepByStep() throws {
        let connection = try makeLongValues(60)
        try connection.commit()
        let folder = directory.file("copies")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: folder))
        interceptor.install()
        defer { interceptor.uninstall() }
        try connection.writeCopy(toPath: folder + "/whole")
        var copies = 0
        for ordinal in 1...interceptor.count(of: .fallocate) {
            interceptor.setFaults([
                SystemCallFault(.fail(errno: ENOSPC), call: .fallocate, ordinal: ordinal)
            ])
            let path = folder + "/copy-\(ordinal)"
            do {
                try connection.writeCopy(toPath: path)
                copies += 1
                let copy = try Connection(Database.open(path: path))
                #expect(try copy.verify() == [])
                #expect(try #require(try copy.table(named: "Row")).count() == 60)
            } catch let error as StorageError {
                #expect(error.code == .outOfDiskSpace)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
        #expect(copies > 0, "no call was the one for all of the room")
    }
}

extension OracleValue {
    /// All entries of a map of integers, as bytes.
    fileprivate init(_ map: MapHandle) throws {
        var bytes: [UInt8] = []
        // swift-format-ignore: ReplaceForEachWithForLoop
        try map.forEach { key, value in
            bytes.append(contentsOf: key)
            if case .integer(let number) = value { bytes.append(littleEndian: UInt64(number)) }
            return true
        }
        self = .bytes(bytes)
    }
}
