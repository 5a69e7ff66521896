import Foundation
import StressModel
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// Typical mistakes of new storage engines concerning pages, slots and space, with a test for each.
///
/// The race between a reader's pin and the writer is tested together with pins, in the
/// coordinator's tests.
@Suite struct KnownSpaceMistakesTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    private func withoutMarker(_ image: [UInt8]) -> [UInt8] {
        var image = image
        image.replaceSubrange(4096..<4160, with: [UInt8](repeating: 0, count: 64))
        return image
    }

    private func digest(_ image: [UInt8]) throws -> UInt64 {
        try directory.withImage(image) {
            let connection = try Connection(Database.open(path: $0))
            let digest = try DatabaseDigest.of(connection)
            #expect(try connection.verify() == [])
            return digest
        }
    }

    // Trusting a page's own seal.
    @Test func anOldValidPageAtAListedPositionIsNotTrusted() throws {
        let states = try CrashStates.shared.get()
        let path = directory.file("old")
        try Data(states.image).write(to: URL(fileURLWithPath: path))
        var images = [states.image]
        let first = CrashStates.preparedStep + 1
        let last = CrashWorkload.lastStep
        for step in first...last {
            do {
                let connection = try Connection(Database.open(path: path))
                try CrashWorkload.run(step, on: connection)
            }
            images.append(try readBytes(path))
        }
        var count = 0
        // Find the newest step that wrote to the place of an older one.
        for step in (first...last).reversed() where count == 0 {
            let newest = images.removeLast()
            let record = try #require(try FoundRecord(UInt64(step), in: newest)).record
            for extent in record.pageList {
                for page in Int(extent.start)..<Int(extent.end) {
                    let range = page * 4096..<(page + 1) * 4096
                    for older in images where range.upperBound <= older.count {
                        guard older[range] != newest[range],
                            older[range].contains(where: { $0 != 0 })
                        else { continue }
                        count += 1
                        var image = newest
                        image.replaceSubrange(range, with: older[range])
                        // If the version is known to be durable, this is damage. Otherwise, the
                        // version before is opened.
                        #expect(throws: StorageError.self) { try digest(image) }
                        try directory.withImage(withoutMarker(image)) {
                            let connection = try Connection(Database.open(path: $0))
                            #expect(
                                try CrashWorkload.digest(of: connection)
                                    == states.digests[step - 1])
                            #expect(try connection.verify() == [])
                        }
                    }
                }
            }
        }
        #expect(count > 0)
    }

    // An all-zero page or slot counts as valid.
    @Test func zerosAreNeverValid() throws {
        let file = try SmallFile.shared.get()
        #expect {
            try digest([UInt8](repeating: 0, count: file.bytes.count))
        } throws: { ($0 as? StorageError)?.code == .notADatabase }
        var withoutSlots = file.bytes
        let slots = Int(CommitRing.fewSlots) * 4096
        withoutSlots.replaceSubrange(
            8192..<8192 + slots, with: [UInt8](repeating: 0, count: slots))
        let newest = try #require(try FoundRecord(31, in: file.bytes))
        withoutSlots.replaceSubrange(newest.range, with: [UInt8](repeating: 0, count: 4096))
        #expect(throws: StorageError.self) { try digest(withoutSlots) }
        let crashed = withoutMarker(file.bytes)
        for block in 2..<file.bytes.count / 4096 {
            let range = block * 4096..<(block + 1) * 4096
            let zeros = [UInt8](repeating: 0, count: 4096)
            var closed = file.bytes
            closed.replaceSubrange(range, with: zeros)
            let isNewest = block == newest.block
            let isListed = newest.record.pageList.contains {
                $0.start <= UInt64(block) && UInt64(block) < $0.end
            }
            if isNewest || isListed {
                #expect(throws: StorageError.self) { try digest(closed) }
            }
            // The result is the right data, the data before the last commit, or an error.
            var torn = crashed
            torn.replaceSubrange(range, with: zeros)
            if let found = try? digest(torn) {
                #expect(found == file.digest || found == file.previousDigest, "block \(block)")
                if isNewest || isListed { #expect(found == file.previousDigest) }
            }
        }
    }

    // Relaxed reuse of slots.
    @Test func aReaderOutlivesTheSlotOfItsVersionManyTimes() throws {
        let path = directory.file("slots")
        let database = try Database.open(path: path)
        let writer = try Connection(database)
        try SharedCounter.create(writer)
        var readers: [(Connection, Int64)] = []
        for round in 0..<200 {
            try SharedCounter.increment(writer, writer: 0, Int64(round))
            if round % 20 == 0 { readers.append((try Connection(database), Int64(round) + 1)) }
            for (reader, count) in readers {
                let (found, log) = try SharedCounter.read(reader)
                #expect(found == count && log.count == Int(count), "round \(round)")
            }
        }
        for (reader, _) in readers {
            #expect(try reader.refresh())
            #expect(try SharedCounter.read(reader).count == 200)
        }
    }

    // Rollback inside a group.
    @Test func aTransactionThatEditsALeafAndThrowsLeavesTheOneBefore() throws {
        let path = directory.file("rollback")
        let states = try CrashStates.shared.get()
        try Data(states.image).write(to: URL(fileURLWithPath: path))
        let step = CrashStates.preparedStep + 1
        do {
            let database = try Database.open(path: path)
            let connection = try Connection(database)
            let other = try Connection(database)
            try CrashWorkload.run(step, on: connection)
            for round in 0..<10 {
                #expect(throws: TestFailure.self) {
                    try connection.beginWrite()
                    defer { connection.rollback() }
                    // The next steps edit the same leaves, the list and the long values.
                    for next in 1...6 { try CrashWorkload.apply(step + next, to: connection) }
                    try connection.table(named: "Event")!.deleteAll()
                    try connection.createTables([
                        TableDefinition(
                            name: "New", columns: [ColumnDefinition(name: "a", type: .int)])
                    ])
                    throw TestFailure("changed my mind")
                }
                #expect(
                    try CrashWorkload.digest(of: connection) == states.digests[step],
                    "round \(round)")
                #expect(try connection.table(named: "New") == nil)
            }
            _ = try other.refresh()
            #expect(try CrashWorkload.digest(of: other) == states.digests[step])
            #expect(try connection.verify() == [])
        }
        try states.check(path, allowed: step...step, "after rollback")
    }

    // Free map freeing itself.
    @Test func deletingAndRefillingEverythingKeepsTheSizeOfTheFile() throws {
        let path = directory.file("refill")
        let database = try Database.open(path: path)
        let connection = try Connection(database)
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Item",
                columns: [
                    ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                    ColumnDefinition(name: "text", type: .string),
                    ColumnDefinition(
                        name: "others", type: .link, collection: .list, linkTarget: "Item"),
                ])
        ])
        try connection.commit()
        let table = try connection.table(named: "Item")!
        var size: UInt64 = 0
        let rounds = LongTests.choose(1000, otherwise: 300)
        for round in 0..<rounds {
            try connection.beginWrite()
            try table.deleteAll()
            if round % 3 == 0 {
                try connection.commit()
                try connection.beginWrite()
            }
            for id in 0..<40 {
                let length = id % 20 == 0 ? 9000 : 30
                let key = try table.insert([
                    .integer(Int64(id + round)), .text(String(repeating: "t", count: length)),
                ])
                if id % 8 == 0 {
                    let list = table.list(2, of: key)
                    for index in 0..<20 { try list.insert(.integer(key.rawValue), at: index) }
                }
            }
            try connection.commit()
            let problems = try connection.verify()
            try #require(problems == [], "round \(round)")
            // What was freed since the last sync of the file waits for the next one.
            if round <= 150 {
                size = max(size, try database.fileSize)
            } else {
                try #require(try database.fileSize <= size, "round \(round)")
            }
        }
    }
}
