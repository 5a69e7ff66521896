import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// A pinned version that outlives the connection it was taken from, and is read by several threads.
@Suite struct SnapshotTests {
    private let directory = TestDirectory()
    private static let count = 40

    private func open(_ kind: FileKind) throws -> (writer: Pager, reader: Pager) {
        let database = try Database.open(path: directory.file(), options: kind.options)
        let writer = try Pager(database: database)
        try fill(writer, 1)
        let reader = try Pager(database: database)
        try reader.beginRead()
        return (writer, reader)
    }

    private func fill(_ pager: Pager, _ byte: UInt8) throws {
        _ = try pager.write { store in
            for index in 0..<Self.count { try store.set(index, value(byte, count: 3000)) }
        }
    }

    /// Reads everything, without a connection.
    private static func values(_ snapshot: Snapshot) throws -> [[UInt8]] {
        let file = snapshot.pin.file
        func bytes(_ reference: PageReference) throws -> UnsafeRawBufferPointer {
            try #require(file.contents(at: snapshot.page(reference), kind: .overflow))
        }
        let root = try bytes(try #require(snapshot.record).root)
        return try (0..<Self.count).map { index in
            let page = root.loadUnaligned(fromByteOffset: index * 16, as: UInt64.self)
            let birth = root.loadUnaligned(fromByteOffset: index * 16 + 8, as: UInt64.self)
            return Array(try bytes(PageReference(page: page, birth: birth)))
        }
    }

    private func pinnedVersions(_ database: Database) throws -> [UInt64] {
        try database.statistics().pinnedVersions.map(\.version)
    }

    /// The reader is stopped in its move for as long as the version comes that changes the layout.
    @Test(arguments: FileKind.allCases)
    func aReaderThatAChangeOfLayoutOvertakesCanGoBack(kind: FileKind) throws {
        let (writer, reader) = try open(kind)
        let database = reader.database
        var snapshot = Snapshot(emptyWith: try VersionPin(claimedFor: database))
        #expect(try snapshot.moveToNewest() == nil)
        reader.endRead()
        try fill(writer, 2)
        var former = try snapshot.moveToNewest(beforePinning: {
            database.coordinator.announceLayout(of: 3)
            #expect(throws: Never.self) { try fill(writer, 3) }
        })
        writer.forgetFormer()
        for byte in UInt8(4)...20 { try fill(writer, byte) }
        #expect(try Self.values(snapshot)[0] == value(3, count: 3000))
        #expect(try Self.values(#require(former))[0] == value(1, count: 3000))
        #expect(database.coordinator.collectedPins == [1, 3, 20])

        snapshot.moveBack(to: try #require(former))
        former = nil
        for byte in UInt8(21)...40 { try fill(writer, byte) }
        #expect(try Self.values(snapshot)[0] == value(1, count: 3000))
        #expect(database.coordinator.collectedPins == [1, 40])

        #expect(try snapshot.moveToNewest() != nil)
        snapshot.forgetFormer()
        // Nothing is kept where no such change comes.
        try fill(writer, 41)
        #expect(try snapshot.moveToNewest() == nil)
        #expect(try Self.values(snapshot)[0] == value(41, count: 3000))
        #expect(database.coordinator.collectedPins == [41])
    }

    @Test(arguments: FileKind.allCases)
    func threadsReadASnapshotWhileItsConnectionMovesOn(kind: FileKind) throws {
        let (writer, reader) = try open(kind)
        let snapshot = reader.snapshot
        let expected = [[UInt8]](repeating: value(1, count: 3000), count: Self.count)
        let threads = (0..<4).map { _ in
            BackgroundThread { _ in
                try (0..<20).allSatisfy { _ in try Self.values(snapshot) == expected }
            }
        }
        for round in 2...30 {
            try fill(writer, UInt8(round))
            #expect(try reader.refresh())
            #expect(reader.version == UInt64(round))
        }
        for thread in threads { #expect(try thread.wait()) }
        #expect(try Self.values(snapshot) == expected)
        #expect(try reader.newestValues()[0] == value(30, count: 3000))
    }

    /// What the connection no longer reads stays pinned as long as one copy of the snapshot exists.
    @Test func aSharedPinIsReleasedWithTheLastCopy() throws {
        let (writer, reader) = try open(.plain)
        var snapshot: Snapshot? = reader.snapshot
        var copy = snapshot
        try fill(writer, 2)
        writer.endRead()
        #expect(try reader.refresh())
        #expect(try pinnedVersions(writer.database) == [1, 2])
        snapshot = nil
        #expect(try pinnedVersions(writer.database) == [1, 2])
        #expect(try Self.values(try #require(copy))[0] == value(1, count: 3000))
        copy = nil
        #expect(try pinnedVersions(writer.database) == [2])
        reader.endRead()
        #expect(try pinnedVersions(writer.database) == [])
    }

    @Test func aConnectionThatStopsReadingLeavesASharedPinAlone() throws {
        let (writer, reader) = try open(.plain)
        writer.endRead()
        var snapshot: Snapshot? = reader.snapshot
        reader.endRead()
        #expect(reader.version == 0)
        for round in 2...6 { try fill(writer, UInt8(round)) }
        writer.endRead()
        #expect(try pinnedVersions(writer.database) == [1])
        #expect(try Self.values(try #require(snapshot))[0] == value(1, count: 3000))
        try reader.beginRead()
        #expect(try pinnedVersions(writer.database) == [1, 6])
        snapshot = nil
        #expect(try pinnedVersions(writer.database) == [6])
    }

    /// Without other copies the connection goes on with the slot that it has.
    @Test func aPinThatIsNotSharedMovesOn() throws {
        let (writer, reader) = try open(.plain)
        let pin = ObjectIdentifier(reader.snapshot.pin)
        for round in 2...5 {
            try fill(writer, UInt8(round))
            _ = try reader.refresh()
            if round == 3 {
                reader.endRead()
                try reader.beginRead()
            }
            #expect(ObjectIdentifier(reader.snapshot.pin) == pin)
        }
    }
}
