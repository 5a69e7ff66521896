import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Files that become shorter while they are open.
@Suite struct ShrinkingTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    private static let items = 2400

    /// Creates a file of about 20 MB, and returns a connection to it.
    private func filled(
        _ kind: FileKind = .plain, items: Int = ShrinkingTests.items
    ) throws -> Connection {
        let connection = try Connection(
            Database.open(path: directory.file("shrink"), options: kind.options))
        try ShrinkWorkload.prepare(connection, items: items)
        return connection
    }

    /// The largest size of a file when all is done: twice the live bytes, plus the steps of
    /// truncation.
    private func bound(_ connection: Connection) throws -> UInt64 {
        2 * (try connection.database.statistics().liveBytes) + 3 << 20
    }

    @Test(arguments: FileKind.allCases)
    func smallCommitsAfterALargeDeletionMakeTheFileShort(kind: FileKind) throws {
        let connection = try filled(kind)
        let fullSize = try connection.database.fileSize
        try ShrinkWorkload.deleteMost(connection)
        #expect(try connection.database.statistics().liveBytes < fullSize / 4)
        var largest = 0
        for step in 1...500 {
            try connection.beginWrite()
            try connection.table(named: "Progress")!.set(
                0, of: ObjectKey(rawValue: 0), to: .integer(Int64(step)))
            let cost = try connection.commit()
            largest = max(largest, cost.pages)
            if step % 50 == 0 {
                let problems = try connection.verify()
                try #require(problems == [], "step \(step)")
            }
        }
        #expect(try connection.database.fileSize <= bound(connection))
        // The pages that a commit moves are bounded: 32 pages, the current leaf, and its branches;
        // or the map of free pages.
        #expect(largest <= 120)
        // From then on, no pages are moved.
        var pages = 0
        for step in 0..<100 {
            try connection.beginWrite()
            try connection.table(named: "Progress")!.set(
                0, of: ObjectKey(rawValue: 0), to: .integer(Int64(step)))
            pages += try connection.commit().pages
        }
        #expect(pages <= 100 * 5)
    }

    /// Compares with the same steps in a file that never had pages to free at its end.
    @Test(arguments: FileKind.allCases)
    func movingPagesChangesNothingThatIsRead(kind: FileKind) throws {
        let connection = try filled(kind)
        try ShrinkWorkload.deleteMost(connection)
        let copyPath = directory.file("copy")
        try connection.writeCopy(toPath: copyPath, encryptionKey: kind.options.encryptionKey)
        let copy = try Connection(Database.open(path: copyPath, options: kind.options))
        for step in 1...300 {
            try ShrinkWorkload.run(step, on: connection)
            try ShrinkWorkload.run(step, on: copy)
            guard step % 20 == 0 else { continue }
            #expect(try DatabaseDigest.of(connection) == DatabaseDigest.of(copy), "step \(step)")
            try #require(try connection.verify() == [], "step \(step)")
        }
        #expect(try connection.database.fileSize <= bound(connection))
    }

    @Test(arguments: FileKind.allCases)
    func aReaderKeepsItsVersionAndHoldsTheFileOnlyWhileItReads(kind: FileKind) throws {
        let connection = try filled(kind)
        let first = try Connection(connection.database)
        let expected = try DatabaseDigest.of(first)
        try ShrinkWorkload.deleteMost(connection)
        let size = try connection.database.fileSize
        var second: (connection: Connection, digest: UInt64)?
        for step in 1...200 {
            try ShrinkWorkload.run(step, on: connection)
            if step == 100 {
                let reader = try Connection(connection.database)
                second = (reader, try DatabaseDigest.of(reader))
            }
            if step % 40 == 0 { #expect(try DatabaseDigest.of(first) == expected) }
        }
        #expect(try connection.database.fileSize >= size)
        first.endRead()
        for step in 201...600 {
            try ShrinkWorkload.run(step, on: connection)
            guard step % 40 == 0 else { continue }
            #expect(try DatabaseDigest.of(second!.connection) == second!.digest)
            try #require(try connection.verify() == [], "step \(step)")
        }
        second = nil
        for step in 601...800 { try ShrinkWorkload.run(step, on: connection) }
        #expect(try connection.database.fileSize <= bound(connection))
        #expect(try connection.verify() == [])
    }

    /// Each `Database` acts as a process. The one that only reads keeps its mapping, and the pages
    /// at the end that it has checked or decrypted, which are removed and added again.
    @Test(arguments: FileKind.allCases)
    func aFileThatGrowsAgainIsReadRightByThoseWhoKnewItsOldEnd(kind: FileKind) throws {
        let connection = try filled(kind)
        let other = try Connection(
            Database.openUnregistered(path: directory.file("shrink"), options: kind.options))
        _ = try DatabaseDigest.of(other)
        let fullSize = try connection.database.fileSize
        var step = 0
        for round in 0..<2 {
            try ShrinkWorkload.deleteMost(connection)
            _ = try other.refresh()
            for _ in 0..<300 {
                step += 1
                try ShrinkWorkload.run(step, on: connection)
                if step % 7 == 0 { _ = try other.refresh() }
            }
            #expect(try connection.database.fileSize < fullSize / 2, "round \(round)")
            try connection.beginWrite()
            let table = try connection.table(named: "Item")!
            for index in 0..<2500 {
                let id = 1_000_000 * (round + 1) + index
                _ = try table.insert([
                    .integer(Int64(id)), .text(String(repeating: "again \(id) ", count: 300)),
                ])
            }
            try connection.commit()
            #expect(try connection.database.fileSize > fullSize / 2)
            _ = try other.refresh()
            #expect(try DatabaseDigest.of(other) == DatabaseDigest.of(connection))
            #expect(try connection.verify() == [])
        }
    }

    /// Removed pages are forgotten: neither mapped, nor checked, nor decrypted.
    @Test(arguments: FileKind.allCases)
    func whatIsGivenBackIsForgotten(kind: FileKind) throws {
        let connection = try filled(kind)
        let file = connection.database.file
        _ = try DatabaseDigest.of(connection)
        let mapped = file.mappedPages
        try ShrinkWorkload.deleteMost(connection)
        for step in 1...400 { try ShrinkWorkload.run(step, on: connection) }
        let pages = try file.size() >> file.pageShift
        #expect(pages < mapped / 2)
        #expect(file.mappedPages == pages)
        for page in pages..<mapped { try #require(file.pages!.checkedBirths[Int(page)] == 0) }
        // The pages are zeros when the file grows again.
        try file.map(pageCount: pages)
        try connection.beginWrite()
        connection.rollback()
        #expect(
            throws: StorageError.self,
            performing: {
                try file.page(
                    PageReference(page: pages, birth: 1), of: connection.pager.bounds)
            })
    }

    @Test func twoWritersWhoTakeTurnsBothShrinkTheFile() throws {
        let first = try filled()
        try ShrinkWorkload.deleteMost(first)
        let second = try Connection(
            Database.openUnregistered(path: directory.file("shrink")))
        var random = SeededGenerator(seed: 3)
        for step in 1...600 {
            // Sometimes one of them misses more commits than there are records.
            let isFirst = step % 120 < 40 || Bool.random(using: &random)
            try ShrinkWorkload.run(step, on: isFirst ? first : second)
            guard step % 60 == 0 else { continue }
            for connection in [first, second] {
                _ = try connection.refresh()
                try #require(try connection.verify() == [], "step \(step)")
            }
        }
        #expect(try first.database.fileSize <= bound(first))
        #expect(try DatabaseDigest.of(first) == DatabaseDigest.of(second))
    }

    @Test(arguments: [CommitDurability.full, .relaxed])
    func aFileThatShrankOpensAsItWas(durability: CommitDurability) throws {
        var digest: UInt64 = 0
        var size: UInt64 = 0
        do {
            let connection = try filled()
            try ShrinkWorkload.deleteMost(connection)
            for step in 1...120 { try ShrinkWorkload.run(step, on: connection, durability) }
            digest = try DatabaseDigest.of(connection)
            size = try connection.database.fileSize
        }
        for _ in 0..<2 {
            let connection = try Connection(Database.open(path: directory.file("shrink")))
            #expect(try DatabaseDigest.of(connection) == digest)
            #expect(try connection.verify() == [])
            #expect(try connection.database.fileSize <= size)
        }
    }

    @Test func writersOnManyThreadsShrinkTheFileTogether() throws {
        let connection = try filled()
        try ShrinkWorkload.deleteMost(connection)
        let database = connection.database
        let threads = (0..<4).map { number in
            BackgroundThread { _ in
                let connection = try Connection(database)
                for round in 0..<150 {
                    try ShrinkWorkload.run(number * 1000 + round, on: connection)
                }
                return connection.version
            }
        }
        for thread in threads { _ = try thread.wait() }
        _ = try connection.refresh()
        #expect(try connection.verify() == [])
        for step in 1...200 { try ShrinkWorkload.run(step, on: connection) }
        #expect(try database.fileSize <= bound(connection))
    }

    // MARK: Truncation during commits

    /// Continues until the newest version is shorter than the one before it, and the file is not
    /// truncated yet. Returns that version's step, and a reader of the version before, which
    /// prevents truncation.
    private func uncut(_ connection: Connection) throws -> (step: Int, reader: Connection) {
        let reader = try Connection(connection.database)
        try ShrinkWorkload.deleteMost(connection)
        var step = 0
        while connection.database.writer.space?.uncutSince == nil {
            step += 1
            try #require(step < 200)
            try reader.refresh()
            try ShrinkWorkload.run(step, on: connection)
        }
        return (step, reader)
    }

    /// Returns the digest after the steps in a file that never had pages to free at its end.
    private func digest(of steps: ClosedRange<Int>, on image: [UInt8], _ kind: FileKind) throws
        -> UInt64
    {
        try directory.withImage(image) {
            let connection = try Connection(Database.open(path: $0, options: kind.options))
            for step in steps { try ShrinkWorkload.run(step, on: connection) }
            return try DatabaseDigest.of(connection)
        }
    }

    /// The file is truncated by a transaction that begins while the previous commit is on its way
    /// to the disk.
    @Test(arguments: FileKind.allCases)
    func aFileIsCutWhileACommitIsBeingSynced(kind: FileKind) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.file("shrink")))
        interceptor.install()
        defer { interceptor.uninstall() }
        let connection = try filled(kind)
        let database = connection.database
        let (step, reader) = try uncut(connection)
        // A file is cut to what is durable, so commits sync it.
        database.writer.changesPolicy.beginPause()
        try ShrinkWorkload.run(step + 1, on: connection)
        let size = try database.fileSize
        let copyPath = directory.file("copy")
        try connection.writeCopy(toPath: copyPath, encryptionKey: kind.options.encryptionKey)

        interceptor.setFaults([SystemCallFault(.hold, call: .fdatasync, ordinal: 1)])
        let writers = [step + 2, step + 3].map { next in
            let writer = BackgroundThread { _ in
                let connection = try Connection(database)
                connection.endRead()
                try ShrinkWorkload.run(next, on: connection)
            }
            if next == step + 2 {
                interceptor.waitUntilHeld()
                reader.endRead()
            } else {
                while !database.writer.commits.hasOpenGroup { usleep(200) }
            }
            return writer
        }
        #expect(try database.fileSize < size)
        // A process that dies now leaves either version.
        let found = try directory.withImage(readBytes(database.path)) {
            let connection = try Connection(Database.open(path: $0, options: kind.options))
            #expect(try connection.verify() == [])
            return try ShrinkWorkload.step(of: connection)
        }
        #expect(found == step + 1 || found == step + 2)
        interceptor.release()
        for writer in writers { try writer.wait() }
        try connection.refresh()
        #expect(try connection.verify() == [])
        #expect(
            try DatabaseDigest.of(connection)
                == digest(of: step + 2...step + 3, on: readBytes(copyPath), kind))
    }

    /// The transaction of the dead process began with truncating the file. Its record is on disk,
    /// and the next writer finds it half published.
    @Test(arguments: FileKind.allCases)
    func whoDiesBetweenCuttingAndPublishingLeavesAGoodFile(kind: FileKind) throws {
        let connection = try filled(kind)
        let (step, reader) = try uncut(connection)
        // A file is cut to what is durable, so commits sync it.
        connection.database.writer.changesPolicy.beginPause()
        try ShrinkWorkload.run(step + 1, on: connection)
        let digest = try DatabaseDigest.of(connection)
        reader.endRead()
        let region = connection.database.coordinator.region
        let words = [region.visibleVersion, region.durableVersion]
        let before = words.map { $0.loadSequential() }
        let size = try connection.database.fileSize
        try ShrinkWorkload.run(step + 2, on: connection)
        #expect(try connection.database.fileSize < size)
        let after = try DatabaseDigest.of(connection)
        connection.endRead()
        for (word, value) in zip(words, before) { word.storeSequential(value) }
        region.durableSequence.storeSequential(region.visibleSequence.loadSequential() - 1)
        region.writerActive.storeSequential(1)

        let next = try Connection(
            Database.openUnregistered(path: connection.database.path, options: kind.options))
        #expect(try DatabaseDigest.of(next) == digest)
        try ShrinkWorkload.run(step + 2, on: next)
        #expect(try DatabaseDigest.of(next) == after)
        #expect(try next.verify() == [])
        for later in step + 3...step + 40 { try ShrinkWorkload.run(later, on: next) }
        #expect(try next.verify() == [])
    }

    /// Small values that remain leave no gap for the long value below the ceiling.
    @Test func aLongValueMovesToTheLowestGapThatHoldsIt() throws {
        let connection = try filled()
        try connection.beginWrite()
        let table = try connection.table(named: "Item")!
        let long = try table.insert([.integer(-1), .text(String(repeating: "x", count: 1 << 20))])
        try connection.commit()
        try ShrinkWorkload.deleteMost(connection)
        #expect(try table.contains(long) == true)
        let size = try connection.database.fileSize
        for step in 1...500 { try ShrinkWorkload.run(step, on: connection) }
        #expect(try connection.database.fileSize < size / 2)
        #expect(try connection.database.fileSize <= bound(connection) + 1 << 20)
        #expect(try connection.verify() == [])
    }
}
