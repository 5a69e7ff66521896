import Testing

@testable import StorageEngine
@testable import engine_test_process

/// A version becomes visible in two steps: first the sequence number of its record, then the
/// version. Whatever happens in between, other processes read the version before, and continue to
/// write after it.
@Suite struct PublicationTests {
    let directory = TestDirectory()

    /// Returns a database whose newest commit was reset to the state between the two steps: its
    /// record is complete, on disk, and not visible. The values are those of the version before.
    private func halfPublished(
        _ options: Database.Options = FileKind.plain.earlierOptions, count: Int = 100
    ) throws -> Database {
        let database = try Database.openUnregistered(path: directory.file(), options: options)
        let pager = try Pager(database: database)
        for number: UInt8 in 1...5 { try pager.write { try $0.set(0, value(number)) } }
        let before = (database.coordinator.visibleVersion, database.coordinator.visibleSequence)
        try pager.write { try $0.set(0, value(99, count: count)) }
        let region = database.coordinator.region
        region.visibleVersion.storeSequential(before.0)
        region.durableVersion.storeSequential(before.0)
        region.durableSequence.storeSequential(before.1)
        #expect(database.coordinator.visibleSequence > before.1)
        return database
    }

    @Test func readersSeeTheVersionBefore() throws {
        let writer = try halfPublished()
        let reader = try Pager(database: .openUnregistered(path: directory.file()))
        try reader.moveToNewest()
        #expect(reader.version == writer.newestVersion)
        #expect(try reader.newestValues()[0] == value(5))
    }

    @Test(arguments: [false, true])
    func slotsThatNoVersionCameToNameAreForgotten(hasReader: Bool) throws {
        let dead = try halfPublished(.init(), count: 300_000)
        #expect(dead.coordinator.ring(from: dead.file.ring).isExtended)
        if hasReader {
            let reader = try Pager(database: .openUnregistered(path: directory.file()))
            #expect(try reader.newestValues()[0] == value(5))
        }
        dead.coordinator.region.writerActive.storeSequential(1)
        let pager = try Pager(database: .openUnregistered(path: directory.file()))
        try pager.write { try $0.set(0, value(6)) }
        #expect(!pager.database.coordinator.ring(from: pager.file.ring).isExtended)
        #expect(try pager.spaceProblems() == [])
        for number: UInt8 in 7...9 {
            try pager.write { try $0.set(0, value(number, count: 300_000)) }
            let record = try #require(try pager.database.records.record(of: pager.version))
            #expect(record.ring.isExtended)
            let reader = try Pager(database: .openUnregistered(path: directory.file()))
            #expect(try reader.newestValues()[0] == value(number, count: 300_000))
        }
        #expect(try pager.spaceProblems() == [])
    }

    @Test func theNextWriterRemovesWhatADeadOneDidNotPublish() throws {
        let dead = try halfPublished()
        let abandoned = dead.coordinator.visibleSequence
        let place = dead.coordinator.recordPlace(of: abandoned, in: dead.file.ring)
        #expect(place.isPage)
        #expect(try dead.file.readRecord(at: place)?.version == dead.newestVersion + 1)
        dead.coordinator.region.writerActive.storeSequential(1)

        let pager = try Pager(database: .openUnregistered(path: directory.file()))
        try pager.beginWrite()
        #expect(try pager.database.file.readRecord(at: place) == nil)
        #expect(pager.database.coordinator.visibleSequence == abandoned - 1)
        pager.rollback()
        try pager.write { try $0.set(0, value(6)) }
        let reader = try Pager(database: .openUnregistered(path: directory.file()))
        #expect(try reader.newestValues()[0] == value(6))
    }
}
