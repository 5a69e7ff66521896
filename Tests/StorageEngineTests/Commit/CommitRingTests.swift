import Foundation
import StressModel
import Testing

@testable import StorageEngine
@testable import engine_test_process

/// The slots for commit records: few in a small file, all of them once the file has grown.
@Suite struct CommitRingTests {
    let directory = TestDirectory()

    private static let few = CommitRing()
    private static let all = CommitRing().extended(at: 100, since: 1)

    @Test(arguments: [(few, 8, 3), (all, 64, 27)] as [(CommitRing, UInt64, UInt64)])
    func neighboursInTheFileAreNoNeighboursByNumber(
        ring: CommitRing, count: UInt64, distance: UInt64
    ) {
        let numbers = (1000..<1000 + count).map { (ring.slot(of: $0), $0) }
        #expect(Set(numbers.map(\.0)).count == Int(count))
        for (slot, number) in numbers {
            for (other, otherNumber) in numbers where other.block == slot.block + 1 {
                let apart = (otherNumber + count - number) % count
                #expect(min(apart, count - apart) == distance)
                #expect(distance > ring.maximumCheckpointAge)
            }
        }
    }

    @Test func theFirstRecordWithAllSlotsIsWhereTheNextOneWouldHaveBeen() {
        for next: UInt64 in 1...200 {
            let (ring, sequence) = CommitRing().extended(at: 100, next: next)
            #expect(sequence >= next && sequence < next + CommitRing.allSlots)
            #expect(ring.slot(of: sequence) == CommitRing().slot(of: next))
            #expect(ring.slot(of: next - 1) == CommitRing().slot(of: next - 1))
            #expect(ring.isPlausible(in: sequence, within: 10..<156))
            #expect(!ring.isPlausible(in: sequence - 1, within: 10..<156))
            #expect(!ring.isPlausible(in: sequence, within: 101..<156))
            #expect(!ring.isPlausible(in: sequence, within: 10..<155))
        }
    }

    @Test(arguments: [4096, 8192, 16384], FileKind.allCases)
    func aFileHasFewSlotsUntilItHasGrown(pageSize: Int, kind: FileKind) throws {
        let path = directory.file()
        var options = kind.options
        options.pageSize = pageSize
        var sizes: [UInt64] = []
        for opening in 0..<4 {
            let pager = try Pager(database: .open(path: path, options: options))
            if opening == 0 { #expect(try pager.database.fileSize == 64 << 10) }
            for round in 0..<30 {
                let index = opening * 30 + round
                try pager.write { try $0.set(index, value(UInt8(index), count: 4000)) }
                let size = try pager.database.fileSize
                if sizes.last != size { sizes.append(size) }
                let record = try #require(try pager.database.records.record(of: pager.version))
                // A file gets the slots when it grows, so sizes in between do not count.
                if size <= 256 << 10 { #expect(!record.ring.isExtended) }
                if size > 512 << 10 { #expect(record.ring.isExtended) }
                #expect(record.ring == pager.database.coordinator.ring(from: pager.file.ring))
                if record.ring.isExtended {
                    #expect(record.ring.extensionPage << pager.file.pageShift <= 384 << 10)
                }
                #expect(try pager.spaceProblems() == [])
            }
        }
        let pager = try Pager(database: .open(path: path, options: options))
        #expect(try pager.newestValues().prefix(120).map(\.first) == (0..<120).map { UInt8($0) })
        let steps = zip(sizes, sizes.dropFirst()).map { ($0, $1 - $0) }
        for (size, step) in steps {
            // One step also adds the slots.
            #expect(step <= max(64 << 10, size / 4) + 288 << 10)
        }
        #expect(steps.count { $1 > max(64 << 10, $0 / 4) } <= 1)
    }

    @Test func anEmptyRealmAndASmallOneTakeLittle() throws {
        let path = directory.file()
        let connection = try Connection(Database.open(path: path))
        #expect(try connection.database.fileSize == 64 << 10)
        try SharedCounter.create(connection)
        #expect(try connection.database.fileSize == 64 << 10)
        for round in 0..<50 { try SharedCounter.increment(connection, writer: 1, Int64(round)) }
        #expect(try connection.database.fileSize <= 128 << 10)
        // After some dozens of commits it gets all slots.
        for round in 50..<200 { try SharedCounter.increment(connection, writer: 1, Int64(round)) }
        // What a commit replaces waits for the next sync of the file, up to 40 commits later.
        #expect(try connection.database.fileSize <= 768 << 10)
        #expect(try connection.verify() == [])
    }

    @Test(arguments: [false, true], FileKind.allCases)
    func aPackedFileGrowsInProportion(isLarge: Bool, kind: FileKind) throws {
        let path = directory.file()
        do {
            let connection = try Connection(Database.open(path: path, options: kind.options))
            for step in 1...(isLarge ? 30 : 1) { try CrashWorkload.run(step, on: connection) }
        }
        #expect(try Database.compact(path: path, options: kind.options))
        let connection = try Connection(Database.open(path: path, options: kind.options))
        let packed = try connection.database.fileSize
        #expect(isLarge ? packed > 1 << 20 : packed <= 160 << 10)
        for _ in 0..<3 { _ = try CrashWorkload.countBystander(connection) }
        let record = try #require(try connection.database.records.record(of: connection.version))
        #expect(record.ring.isExtended == isLarge)
        #expect(try connection.database.fileSize <= packed + max(64 << 10, packed / 4))
        #expect(try connection.verify() == [])
    }

    @Test(arguments: FileKind.allCases) func manySlotsServeCommitsOfAllKinds(kind: FileKind) throws
    {
        let path = directory.file()
        var places: Set<Int> = []
        var pageCount = 0
        for opening in 0..<3 {
            let pager = try Pager(database: .open(path: path, options: kind.options))
            if opening == 0 { try pager.write { try $0.set(100, value(1, count: 300_000)) } }
            for round in 1...100 {
                try pager.beginWrite()
                try ValueStore(pager).set(round % 7, value(UInt8(round)))
                _ = try pager.commit(round % 3 == 0 ? .relaxed : .full)
                let record = try #require(try pager.database.records.record(of: pager.version))
                switch record.place {
                case .slot(let slot): places.insert(Int(slot.number))
                case .page: pageCount += 1
                }
                #expect(try pager.newestValues()[round % 7] == value(UInt8(round)))
            }
            #expect(try pager.spaceProblems() == [])
        }
        #expect(places.count > 40 && places.contains { $0 >= 8 })
        #expect(pageCount > 100)
    }

    /// The first record with all slots is the only one in front of the pages that names them, and
    /// the locator is the only other block that does.
    @Test(arguments: FileKind.allCases) func noSingleBlockHidesTheOtherSlots(kind: FileKind) throws
    {
        let pager = try Pager(database: .open(path: directory.file(), options: kind.options))
        try pager.write { try $0.set(100, value(1, count: 300_000)) }
        for round in 1...5 {
            try pager.beginWrite()
            try ValueStore(pager).set(1, value(UInt8(round)))
            _ = try pager.commit(.relaxed)
            try pager.database.writer.backgroundSync.syncNow()
        }
        let record = try #require(try pager.database.records.record(of: pager.version))
        guard case .slot(let slot) = record.place else { throw Unexpected() }
        #expect(slot.number >= 8)
        let image = try readBytes(directory.file())
        let first = record.ring.slot(of: record.ring.extensionSequence).block
        for block in [1, Int(first)] {
            var damaged = image
            damaged[block * 4096 + 520] ^= 0xFF
            damaged[block * 4096 + 20] ^= 0xFF
            #expect(damaged != image)
            let path = directory.file("damaged-\(block)")
            try Data(damaged).write(to: URL(fileURLWithPath: path))
            let other = try Pager(database: .open(path: path, options: kind.options))
            #expect(try other.newestValues()[1] == value(5))
            try other.write { try $0.set(1, value(9)) }
            #expect(try other.newestValues()[1] == value(9))
        }
    }

    private struct Unexpected: Error {}

    /// Files that the library wrote in the previous format, and in which it was killed.
    @Test(arguments: FileKind.allCases) func aFileOfTheFormatBeforeStaysAsItIs(kind: FileKind)
        throws
    {
        let path = directory.file()
        let blocks = try readBytes(
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent()
                .appendingPathComponent("Fixtures/format5-\(kind.rawValue).blocks").path)
        var image = blocks.withUnsafeBytes { bytes in
            [UInt8](repeating: 0, count: Int(bytes.load(as: UInt64.self)))
        }
        for start in stride(from: 8, to: blocks.count, by: 8 + 4096) {
            let block = blocks.withUnsafeBytes {
                Int($0.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
            image.replaceSubrange(
                block * 4096..<(block + 1) * 4096, with: blocks[start + 8..<start + 8 + 4096])
        }
        try Data(image).write(to: URL(fileURLWithPath: path))
        let states = try CrashStates.of(kind)
        try states.check(path, allowed: 6...7, "as it was left")
        let first = try CrashWorkload.step(of: states.open(path))
        for step in first + 1...CrashWorkload.lastStep {
            let connection = try states.open(path)
            try CrashWorkload.run(step, on: connection)
            #expect(try CrashWorkload.digest(of: connection) == states.digests[step])
            #expect(try connection.verify() == [])
            let record = try #require(
                try connection.database.records.record(of: connection.version))
            #expect(record.ring.hasAllInFront)
        }
        let header = try readBytes(path).withUnsafeBytes { try FileHeader($0, path: path) }
        #expect(header.formatVersion == FileHeader.formatVersion && header.firstPage == 66)
        #expect(try Database.compact(path: path, options: kind.options))
        let compacted = try readBytes(path).withUnsafeBytes { try FileHeader($0, path: path) }
        #expect(compacted.formatVersion == FileHeader.formatVersion && compacted.firstPage == 10)
        let connection = try states.open(path)
        #expect(try CrashWorkload.digest(of: connection) == states.digests.last)
    }
}
