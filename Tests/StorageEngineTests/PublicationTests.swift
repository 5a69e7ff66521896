import Testing

@testable import StorageEngine

/// A version becomes visible in two steps: its record's sequence number, then itself. Whatever
/// happens between them, other processes read the version before, and go on writing after it.
@Suite struct PublicationTests {
    let directory = TestDirectory()

    /// A database whose newest commit has been taken back to between the two steps: its record is
    /// complete, on disk, and not visible. The values are of the version before.
    private func halfPublished() throws -> Database {
        let database = try Database.openUnregistered(path: directory.file())
        let pager = try Pager(database: database)
        for number: UInt8 in 1...5 { try pager.write { try $0.set(0, value(number)) } }
        let before = (database.coordinator.visibleVersion, database.coordinator.visibleSequence)
        try pager.write { try $0.set(0, value(99)) }
        let region = database.coordinator.region
        region.visibleVersion.storeSequential(before.0)
        region.durableVersion.storeSequential(before.0)
        region.durableSequence.storeSequential(before.1)
        #expect(database.coordinator.visibleSequence == before.1 + 1)
        return database
    }

    @Test func readersSeeTheVersionBefore() throws {
        let writer = try halfPublished()
        let reader = try Pager(database: .openUnregistered(path: directory.file()))
        try reader.moveToNewest()
        #expect(reader.version == writer.newestVersion)
        #expect(try reader.newestValues()[0] == value(5))
    }

    @Test func theNextWriterRemovesWhatADeadOneDidNotPublish() throws {
        let dead = try halfPublished()
        let abandoned = dead.coordinator.visibleSequence
        let place = dead.coordinator.recordPlace(of: abandoned)
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
