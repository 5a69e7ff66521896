import Foundation
import Glibc
import Testing
import ToolSupport

@testable import StorageEngine

/// The space that readers at old versions take, and that it is freed when they leave.
@Suite struct PinnedSpaceTests {
    let directory = TestDirectory()

    private func inMemory() throws -> Database {
        try Database.open(path: UUID().uuidString, options: .init(inMemory: true))
    }

    /// A writer, and the values as of its newest version.
    fileprivate struct Bank {
        let pager: Pager
        let count: Int
        var expected: [[UInt8]]

        init(_ database: Database, values count: Int) throws {
            pager = try Pager(database: database)
            self.count = count
            expected = [[UInt8]](repeating: [], count: ValueStore.capacity)
            for index in 0..<count { expected[index] = value(UInt8(index % 251), count: 3000) }
            let values = expected
            try pager.write { for index in 0..<count { try $0.set(index, values[index]) } }
        }

        /// Creates a bank with the same values through another connection.
        init(sharing other: Bank, _ pager: Pager) {
            self.pager = pager
            count = other.count
            expected = other.expected
        }

        /// Syncs the file, so that no page waits for that.
        mutating func sync() throws {
            for _ in 0..<2 {
                try pager.beginWrite()
                try ValueStore(pager).set(0, expected[0])
                _ = try pager.commit(.relaxed)
            }
            try pager.database.writer.backgroundSync.syncNow()
        }

        /// Replaces one value.
        mutating func change(_ random: inout SeededGenerator) throws {
            let index = Int.random(in: 0..<count, using: &random)
            let new = value(.random(in: 0...255, using: &random), count: 3000)
            expected[index] = new
            try pager.write { try $0.set(index, new) }
        }
    }

    /// A reader at a version, and the values that it must see there.
    fileprivate struct Reader {
        let pager: Pager
        let expected: [[UInt8]]

        init(_ bank: Bank) throws {
            pager = try Pager(database: bank.pager.database)
            try pager.beginRead()
            expected = bank.expected
        }

        func check(_ comment: Comment? = nil) throws {
            #expect(try ValueStore(pager).values() == expected, comment)
        }
    }

    // MARK: One reader

    @Test func aReaderPinnedFor20000CommitsCostsItsSnapshotOnly() throws {
        let database = try inMemory()
        var bank = try Bank(database, values: 60)
        var random = SeededGenerator(seed: 1)
        let reader = try Reader(bank)
        let live = try database.statistics().liveBytes
        for _ in 0..<20_000 { try bank.change(&random) }
        // Each commit wrote at least the root and a value: 240 MB in total.
        let statistics = try database.statistics()
        #expect(statistics.newestVersion == 20_001)
        #expect(statistics.liveBytes <= live + 4096)
        #expect(statistics.waitingBytes <= live)
        #expect(statistics.fileBytes <= 2 * live + 2 << 20)
        try reader.check()
        #expect(try bank.pager.newestValues() == bank.expected)
        #expect(try bank.pager.spaceProblems() == [])
        let pin = try #require(statistics.pinnedVersions.first)
        #expect(pin.version == 1)
        #expect(pin.heldBytes == statistics.waitingBytes)
        reader.pager.endRead()
        #expect(try database.statistics().waitingBytes == 0)
        #expect(try database.statistics().freeBytes >= statistics.waitingBytes)
    }

    @Test func everythingMayBeDeletedAndFilledAgainBesideAReader() throws {
        let database = try inMemory()
        var bank = try Bank(database, values: 120)
        let reader = try Reader(bank)
        var sizes: [UInt64] = []
        for round in 0..<150 {
            try bank.pager.write { for index in 0..<120 { try $0.set(index, []) } }
            for index in 0..<120 { bank.expected[index] = value(UInt8(round), count: 3000) }
            let values = bank.expected
            try bank.pager.write { for index in 0..<120 { try $0.set(index, values[index]) } }
            sizes.append(try database.fileSize)
            if round % 30 == 0 {
                try reader.check()
                #expect(try bank.pager.spaceProblems() == [])
            }
        }
        // The file holds the snapshot, the live pages, and the pages that the previous version
        // freed.
        #expect(sizes[149] == sizes[75])
        #expect(sizes[149] <= 4 * 122 * 4096 + 1 << 20)
        try reader.check()
        #expect(try bank.pager.newestValues() == bank.expected)
    }

    // MARK: Several readers

    enum Leaving: CaseIterable { case oldestFirst, newestFirst, middleFirst, atRandom }

    @Test(arguments: Leaving.allCases)
    func eachReaderThatLeavesGivesBackWhatItAloneHeld(order: Leaving) throws {
        let database = try inMemory()
        var bank = try Bank(database, values: 100)
        var random = SeededGenerator(seed: 7)
        var readers: [Reader] = []
        for _ in 0..<9 {
            readers.append(try Reader(bank))
            for _ in 0..<40 { try bank.change(&random) }
        }
        // Two readers are at one version.
        readers.append(try Reader(bank))
        readers.append(try Reader(bank))
        for _ in 0..<400 { try bank.change(&random) }
        let snapshots = UInt64(readers.count - 1) * 102 * 4096
        #expect(try database.fileSize <= snapshots + 102 * 4096 + 4 << 20)
        while !readers.isEmpty {
            for reader in readers { try reader.check("\(order), \(readers.count) readers") }
            let before = try database.statistics()
            let index =
                switch order {
                case .oldestFirst: 0
                case .newestFirst: readers.count - 1
                case .middleFirst: readers.count / 2
                case .atRandom: Int.random(in: readers.indices, using: &random)
                }
            let leaving = readers.remove(at: index).pager
            let version = leaving.version
            leaving.endRead()
            let after = try database.statistics()
            let pin = try #require(before.pinnedVersions.first { $0.version == version })
            let hasOthers = after.pinnedVersions.contains { $0.version == version }
            #expect(
                before.waitingBytes - after.waitingBytes == (hasOthers ? 0 : pin.heldBytes))
            // The pages that became free are written at once.
            for _ in 0..<20 { try bank.change(&random) }
            #expect(try bank.pager.spaceProblems() == [])
        }
        #expect(try database.statistics().waitingBytes == 0)
        #expect(try bank.pager.newestValues() == bank.expected)
    }

    @Test func readersThatComeAndGoBesideAnOldOneCostNothingAfterwards() throws {
        let database = try inMemory()
        var bank = try Bank(database, values: 60)
        var random = SeededGenerator(seed: 3)
        let oldest = try Reader(bank)
        var readers: [Reader] = []
        for round in 0..<3000 {
            try bank.change(&random)
            if round % 5 == 0 { readers.append(try Reader(bank)) }
            if readers.count > 8 {
                let reader = readers.remove(at: .random(in: readers.indices, using: &random))
                try reader.check()
            }
        }
        #expect(try database.fileSize <= 11 * 62 * 4096 + 2 << 20)
        readers.removeAll()
        let statistics = try database.statistics()
        #expect(statistics.waitingBytes <= 63 * 4096)
        #expect(statistics.pinnedVersions.first?.heldBytes == statistics.waitingBytes)
        try oldest.check()
        #expect(try bank.pager.spaceProblems() == [])
    }

    // MARK: Several processes

    /// Each `Database` acts as a process: it has a map of its own, and follows the other's changes
    /// through the records.
    @Test func writersThatTakeTurnsBothRespectAReader() throws {
        let path = directory.file()
        let first = try Bank(Database.open(path: path), values: 40)
        let reader = try Reader(first)
        let other = try Pager(database: .openUnregistered(path: path))
        var banks = [first, Bank(sharing: first, other)]
        var random = SeededGenerator(seed: 11)
        for round in 0..<600 {
            // Sometimes one of them misses more commits than there are records.
            let writer = round % 100 < 40 ? 0 : Int.random(in: 0...1, using: &random)
            try banks[writer].change(&random)
            banks[1 - writer].expected = banks[writer].expected
            if round % 50 == 0 {
                try reader.check()
                #expect(try banks[1 - writer].pager.newestValues() == banks[writer].expected)
                #expect(try banks[1 - writer].pager.spaceProblems() == [])
            }
        }
        try reader.check()
        #expect(try banks[0].pager.database.fileSize <= 4 * 42 * 4096 + 2 << 20)
        reader.pager.endRead()
        try banks[0].sync()
        for bank in banks { #expect(try bank.pager.newestValues() == bank.expected) }
        for bank in banks {
            #expect(try bank.pager.database.statistics().waitingBytes == 0)
            #expect(try bank.pager.spaceProblems() == [])
        }
    }

    @Test func whatAKilledReaderHeldIsFreeWhenTheFileIsOpenedAgain() throws {
        let path = directory.file()
        var random = SeededGenerator(seed: 4)
        let child: CoordinationTestProcess
        var expected: [[UInt8]] = []
        do {
            var bank = try Bank(Database.open(path: path), values: 30)
            child = try CoordinationTestProcess("pin-version", path)
            #expect(child.nextLine() == "1")
            for _ in 0..<120 { try bank.change(&random) }
            try bank.sync()
            let statistics = try bank.pager.database.statistics()
            #expect(statistics.waitingBytes > 20 * 4096)
            #expect(
                statistics.pinnedVersions.first { $0.processID == child.processID }?.heldBytes
                    == statistics.waitingBytes)
            expected = bank.expected
        }
        child.kill()
        let pager = try Pager(database: .open(path: path))
        #expect(try pager.newestValues() == expected)
        #expect(try pager.database.statistics().waitingBytes == 0)
        #expect(try pager.spaceProblems() == [])
        let size = try pager.database.fileSize
        for round in 0..<40 { try pager.write { try $0.set(round % 30, value(9)) } }
        #expect(try pager.database.fileSize <= size + 256 << 10)
        #expect(try pager.spaceProblems() == [])
    }
}

extension Pager {
    /// Returns violations of the rule that every page is in exactly one state: in use, free, or
    /// waiting.
    func spaceProblems() throws -> [String] {
        try beginWrite()
        defer { rollback() }
        var reached = ExtentSet()
        for reference in [root] + (try ValueStore(self).references()) where !reference.isNone {
            let pages = UInt64(PageHeader(try page(reference)).pageCount)
            _ = reached.insert(Extent(start: reference.page, count: pages))
        }
        return spaceProblems(reached: reached)
    }
}
