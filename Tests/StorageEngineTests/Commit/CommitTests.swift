import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct CommitTests {
    let directory = TestDirectory()

    @Test func anEmptyDatabaseIsCreatedAndOpenedAgain() throws {
        for _ in 0..<2 {
            let pager = try Pager(database: .open(path: directory.file()))
            try pager.beginRead()
            #expect(pager.version == 0)
            #expect(pager.root.isNone)
        }
    }

    @Test(arguments: [4096, 8192, 16384])
    func committedValuesAreThereAfterReopening(pageSize: Int) throws {
        var random = SeededGenerator(seed: UInt64(pageSize))
        var expected = [[UInt8]](repeating: [], count: ValueStore.capacity)
        var additionalSyncs = 0
        for _ in 0..<6 {
            let database = try Database.open(
                path: directory.file(), options: .init(pageSize: pageSize))
            let pager = try Pager(database: database)
            #expect(pager.pageSize == pageSize)
            for _ in 0..<12 {
                let version = pager.version
                let statistics = try pager.write { store in
                    for _ in 0..<5 {
                        let index = Int.random(in: 0..<ValueStore.capacity, using: &random)
                        expected[index] = randomValue(&random, maximum: 20_000)
                        try store.set(index, expected[index])
                    }
                }
                additionalSyncs += statistics.syncs - 1
                #expect(pager.version == statistics.version)
                #expect(pager.version > version)
            }
            #expect(try pager.newestValues() == expected)
        }
        let pager = try Pager(database: .open(path: directory.file()))
        #expect(try pager.newestValues() == expected)
        #expect(pager.version == 72)
        // The additional sync happens once, when the file gets all its commit slots.
        #expect(additionalSyncs == 1)
    }

    @Test func rollbackLeavesEverythingAsItWas() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        try pager.write { for index in 0..<20 { try $0.set(index, value(UInt8(index))) } }
        let before = try pager.newestValues()
        let statistics = try pager.database.statistics()
        try pager.beginWrite()
        for index in 0..<20 { try ValueStore(pager).set(index, value(7, count: 30_000)) }
        try ValueStore(pager).touch(3, 99)
        pager.rollback()
        #expect(try ValueStore(pager).values() == before)
        #expect(try pager.newestValues() == before)
        let after = try pager.database.statistics()
        #expect(after.liveBytes == statistics.liveBytes)
        #expect(after.newestVersion == 1)
    }

    @Test func writingCanBeginWithoutReading() throws {
        let database = try Database.open(path: directory.file())
        let pager = try Pager(database: database)
        try pager.write { try $0.set(0, value(1)) }
        let other = try Pager(database: database)
        pager.endRead()
        try other.write { try $0.set(0, value(2)) }
        try pager.beginWrite()
        #expect(pager.version == 2)
        #expect(try ValueStore(pager).values()[0] == value(2))
        try ValueStore(pager).set(0, value(3))
        _ = try pager.commit()
        pager.endRead()
        try pager.beginWrite()
        pager.rollback()
        #expect(try pager.newestValues()[0] == value(3))
    }

    @Test func aConnectionCanWriteDirectlyAfterEndRead() throws {
        let database = try Database.open(path: directory.file())
        let connection = try Connection(database)
        let other = try Connection(database)
        connection.endRead()
        try other.beginWrite()
        try other.createTables([
            TableDefinition(name: "Person", columns: [ColumnDefinition(name: "age", type: .int)])
        ])
        try other.commit()
        try connection.beginWrite()
        let people = try #require(try connection.table(named: "Person"))
        try withUnsafePointer(to: Scalar.integer(42)) {
            _ = try people.insert(UnsafeBufferPointer(start: $0, count: 1))
        }
        try connection.commit()
        #expect(connection.version == 2)
    }

    @Test func aRunThatGrowsKeepsItsPlaceAndIsGivenItsContents() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        try pager.write { try $0.set(0, value(1, count: 5000)) }
        func move(_ old: UnsafeMutableRawPointer, _ new: UnsafeMutableRawPointer) {
            // Copies the length of the contents, and the contents.
            (new + 56).copyMemory(from: old + 56, byteCount: 2 * 4096 - 56)
        }
        for pages in [3, 5, 4] {
            try pager.beginWrite()
            let (own, _, _) = try pager.makeWritable(pager.root)
            let (longer, _) = try pager.reallocate(own, pages: pages, move: move)
            #expect(longer.page == own.page)
            let (last, buffer) = try pager.reallocate(longer, pages: 2, move: move)
            #expect(PageHeader(buffer).pageCount == 2)
            pager.root = last
            _ = try pager.commit()
            #expect(try pager.newestValues()[0] == value(1, count: 5000))
        }
        // One more page belongs to the free map, which such a small file writes with every second
        // commit.
        #expect(try pager.database.statistics().liveBytes == 5 * 4096)
    }

    @Test func aTransactionWithoutChangesWritesNothing() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        try pager.write { try $0.set(0, value(1)) }
        try pager.beginWrite()
        let statistics = try pager.commit()
        #expect(statistics == CommitStatistics(version: 1))
        #expect(pager.version == 1)
    }

    @Test func aReaderSeesItsVersionUntilItAsksForANewerOne() throws {
        let database = try Database.open(path: directory.file())
        let writer = try Pager(database: database)
        let reader = try Pager(database: database)
        try writer.write { try $0.set(0, value(1)) }
        try reader.beginRead()
        for round in 2..<60 { try writer.write { try $0.set(0, value(UInt8(round))) } }
        #expect(try ValueStore(reader).values()[0] == value(1))
        #expect(try reader.refresh())
        #expect(try ValueStore(reader).values()[0] == value(59))
        #expect(try !reader.refresh())
    }

    @Test func aDatabaseInMemoryIsSharedByNameAndSyncsNothing() throws {
        let name = UUID().uuidString
        let options = Database.Options(inMemory: true)
        let writer = try Pager(database: .open(path: name, options: options))
        let reader = try Pager(database: .open(path: name, options: options))
        #expect(writer.database === reader.database)
        let statistics = try writer.write { try $0.set(0, value(1)) }
        #expect(statistics.syncs == 0)
        #expect(try reader.newestValues()[0] == value(1))
    }

    @Test func aFileIsSharedWithinAProcess() throws {
        let first = try Database.open(path: directory.file())
        let link = directory.file("link.realm")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: directory.file())
        #expect(try Database.open(path: link) === first)
    }

    /// Uses threads of its own: a test that waits must not occupy one of the few threads for tests.
    @Test func aFileThatMustBeWaitedForKeepsNoOtherFileFromOpening() throws {
        let path = directory.file("slow")
        // This simulates the recovery of another process, which holds the opening lock.
        let recovering = try System.open(path + ".lock", flags: O_RDWR | O_CREAT)
        try System.lock(recovering, .exclusive, on: LockRanges.opening)
        let slow = BackgroundThread { _ in _ = try Database.open(path: path) }
        Thread.sleep(forTimeInterval: 0.05)
        let otherPath = directory.file("other")
        let isOpen = Locked(false)
        let other = BackgroundThread { _ in
            _ = try Database.open(path: otherPath)
            isOpen.withLock { $0 = true }
        }
        let deadline = ContinuousClock().now + .seconds(10)
        while !isOpen.withLock({ $0 }), ContinuousClock().now < deadline {
            Thread.sleep(forTimeInterval: 0.001)
        }
        #expect(isOpen.withLock { $0 })
        System.close(recovering)
        try slow.finish()
        try other.finish()
    }

    @Test func aReadOnlyDatabaseRefusesToWrite() throws {
        try Pager(database: .open(path: directory.file())).write { try $0.set(0, value(1)) }
        let pager = try Pager(
            database: .open(path: directory.file(), options: .init(readOnly: true)))
        #expect(try pager.newestValues()[0] == value(1))
        #expect(throws: StorageError.self) { try pager.beginWrite() }
    }

    @Test func theFileStaysSmallWhenEverythingIsReplacedAgainAndAgain() throws {
        let database = try Database.open(
            path: UUID().uuidString, options: .init(inMemory: true))
        let pager = try Pager(database: database)
        var random = SeededGenerator(seed: 5)
        var sizes: [UInt64] = []
        for _ in 0..<300 {
            try pager.write { for index in 0..<60 { try $0.set(index, []) } }
            try pager.write { store in
                for index in 0..<60 {
                    try store.set(index, value(1, count: .random(in: 1...12_000, using: &random)))
                }
            }
            sizes.append(try database.fileSize)
        }
        #expect(sizes[299] == sizes[150])
        #expect(sizes[299] <= 4 << 20)
    }

    /// Each `Database` acts as a process. The readers take records from slots that the writers keep
    /// overwriting, and check pages that were just written.
    @Test func readersSeeWholeVersionsWhileOthersWrite() async throws {
        let path = directory.file()
        let commits = 80
        try Pager(database: .open(path: path)).write { store in
            for index in 0..<5 { try store.set(index, value(0)) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let pager = try Pager(database: .openUnregistered(path: path))
                    for _ in 0..<commits {
                        try pager.write { store in
                            let next = try store.values()[0][0] &+ 1
                            for index in 0..<5 { try store.set(index, value(next)) }
                        }
                    }
                }
                group.addTask {
                    let pager = try Pager(database: .openUnregistered(path: path))
                    var version: UInt64 = 0
                    while version < 1 + 2 * UInt64(commits) {
                        let values = try pager.newestValues()[..<5]
                        #expect(Set(values).count == 1)
                        #expect(values[0].first == UInt8(truncatingIfNeeded: pager.version - 1))
                        #expect(pager.version >= version)
                        version = pager.version
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
