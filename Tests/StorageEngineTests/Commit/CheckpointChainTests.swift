import Foundation
import Glibc
import Testing
import ToolSupport

@testable import StorageEngine

/// The map of free pages of a large file with many gaps.
@Suite struct CheckpointChainTests {
    /// Returns a connection to a file of which every second page is free. The others count as live,
    /// although nothing reaches them.
    private func fragmented(gaps: UInt64) throws -> Pager {
        let database = try Database.open(
            path: UUID().uuidString, options: .init(inMemory: true))
        let pager = try Pager(database: database)
        try pager.write { try $0.set(0, value(1)) }
        let pageCount = try #require(pager.record).pageCount + 2 * gaps
        // The file is sparse, so it takes no memory.
        let bytes = database.file.offset(of: pageCount)
        try #require(ftruncate(database.file.descriptor, off_t(bytes)) == 0)
        try database.file.map(pageCount: pageCount)
        try pager.write { store in
            pager.writing.map.space.grow(to: pageCount)
            var pages: [UInt64] = []
            while let page = pager.writing.map.space.allocate(1) { pages.append(page) }
            for page in pages where page % 2 == 1 {
                pager.writing.map.space.freeOwn(Extent(start: page, count: 1))
            }
            try store.set(0, value(2))
        }
        return pager
    }

    private func chain(_ pager: Pager) throws -> CheckpointChain {
        let record = try #require(pager.record)
        return try CheckpointChain(
            newest: record.checkpoint, of: record.bounds, in: pager.file)
    }

    @Test func smallCommitsDoNotWriteTheWholeMapAgain() throws {
        let pager = try fragmented(gaps: 100_000)
        #expect(try chain(pager).links.count == 1)
        // Each gap takes two bytes.
        #expect(try chain(pager).links[0].pageCount >= 2 * 100_000 / 4096)
        var pages: UInt64 = 0
        var longest = 0
        for round in 0..<480 {
            pages += UInt64(try pager.write { try $0.set(0, value(UInt8(round % 256))) }.pages)
            longest = max(longest, try chain(pager).links.count)
        }
        // Each commit writes two pages for the root, one for the value, and one for a checkpoint
        // instead of the whole map.
        #expect(pages <= 480 * 3 + 2 * 480 / 24)
        #expect(longest >= 19)
    }

    @Test func theMapThatIsReadFromTheChainIsTheOneInMemory() throws {
        let pager = try fragmented(gaps: 100_000)
        let database = pager.database
        var random = SeededGenerator(seed: 5)
        for round in 0..<130 {
            try pager.write { store in
                for _ in 0..<4 {
                    try store.set(
                        .random(in: 0..<200, using: &random),
                        randomValue(&random, maximum: 9000))
                }
            }
            guard round % 16 == 0 else { continue }
            // A transaction examines the pins, so that no page waits without need.
            try pager.beginWrite()
            let known = pager.writing.map.space
            pager.rollback()
            database.writer.forgetMap()
            try pager.beginWrite()
            let read = pager.writing.map.space
            pager.rollback()
            #expect(read.freePages == known.freePages)
            #expect(read.waitingPages == known.waitingPages)
            #expect(read.livePages == known.livePages)
            #expect(read.invariantsHold())
            var free = known.free
            if !known.current.isEmpty { _ = free.insert(known.current) }
            #expect(Array(free) == Array(read.free))
        }
        #expect(try chain(pager).links.count > 3)
    }

    /// Once the runs of steps take half as much as the map, the map is written as a whole, and the
    /// pages of the steps are free again.
    @Test func theChainIsBounded() throws {
        let pager = try fragmented(gaps: 15_000)
        var wasWhole = 0
        var previous = try chain(pager).links.count
        for round in 0..<500 {
            try pager.write { try $0.set(round % 9, value(UInt8(round % 200))) }
            let links = try chain(pager).links
            let steps = links.dropLast().reduce(0) { $0 + $1.pageCount }
            #expect(steps <= links.last!.pageCount / 2)
            if links.count < previous { wasWhole += 1 }
            previous = links.count
        }
        // The map has 8 pages, so there are 4 runs of steps, one every 25 commits.
        #expect(wasWhole >= 3)
        try pager.beginWrite()
        #expect(pager.writing.map.space.invariantsHold())
        pager.rollback()
    }

    @Test func aSmallMapIsAlwaysWrittenAsAWhole() throws {
        let pager = try Pager(
            database: .open(path: UUID().uuidString, options: .init(inMemory: true)))
        for round in 0..<200 { try pager.write { try $0.set(round % 20, value(UInt8(round))) } }
        #expect(try chain(pager).links.count == 1)
    }
}
