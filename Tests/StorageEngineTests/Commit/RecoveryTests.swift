import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Opening files that are damaged or incomplete.
@Suite struct RecoveryTests {
    /// The offset of the first run.
    private let firstRun = Int(FileHeader.newBlockCount * FileHeader.blockSize)
    let directory = TestDirectory()

    private func load() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.file())))
    }

    private func store(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: directory.file()))
    }

    private func openError(_ options: Database.Options = .init()) -> StorageError? {
        do {
            _ = try Database.open(path: directory.file(), options: options)
            return nil
        } catch {
            return error
        }
    }

    private func makeDatabase(versions: Int, _ options: Database.Options = .init()) throws {
        let pager = try Pager(database: .open(path: directory.file(), options: options))
        for version in 1...versions {
            try pager.write { try $0.set(version % 10, value(UInt8(version), count: 6000)) }
        }
    }

    private func newestValues() throws -> [[UInt8]] {
        try Pager(database: .open(path: directory.file())).newestValues()
    }

    @Test func whatIsNoDatabaseIsNamed() throws {
        #expect(openError(.init(createIfMissing: false))?.code == .fileNotFound)
        #expect(openError(.init(readOnly: true))?.code == .fileNotFound)
        try store([])
        #expect(openError(.init(createIfMissing: false))?.code == .notADatabase)
        try store([UInt8](repeating: 7, count: 100))
        let small = try #require(openError())
        #expect(small.code == .notADatabase)
        #expect(
            small.message.contains(
                "file is non-empty but too small (100 bytes) to be a valid Realm"))
        #expect(small.message.contains(directory.file()))
        for byte in [UInt8(0), 7] {
            try store([UInt8](repeating: byte, count: 1 << 20))
            #expect(openError()?.code == .notADatabase)
        }
    }

    @Test func aDirectoryIsNoDatabase() throws {
        try FileManager.default.createDirectory(
            atPath: directory.file(), withIntermediateDirectories: true)
        let error = try #require(openError())
        #expect(error.code == .fileAccess)
        #expect(error.message.contains("directory"))
    }

    @Test func aMissingParentDirectoryIsNamed() throws {
        let error = #expect(throws: StorageError.self) {
            try Database.open(path: directory.file("none/test.realm"))
        }
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("parent directory") == true)
    }

    @Test func aNewerFormatIsRefusedByName() throws {
        try makeDatabase(versions: 1)
        var bytes = try load()
        let newer = FileHeader.formatVersion + 1
        bytes[8] = UInt8(newer)
        bytes.withUnsafeMutableBytes { block in
            let sum = Checksum.hash(UnsafeRawBufferPointer(rebasing: block[0..<504]), seed: 0)
            block.storeBytes(of: sum, toByteOffset: 504, as: UInt64.self)
        }
        try store(bytes)
        let error = try #require(openError())
        #expect(error.code == .unsupportedFormat)
        #expect(
            error.message.contains(
                "Database has an unsupported version (\(newer)) and cannot be upgraded"))
    }

    @Test func aFlippedBitInTheHeaderIsAnError() throws {
        try makeDatabase(versions: 1)
        let bytes = try load()
        var random = SeededGenerator(seed: 1)
        for _ in 0..<60 {
            var damaged = bytes
            damaged[.random(in: 0..<512, using: &random)] ^=
                1
                << UInt8.random(
                    in: 0..<8, using: &random)
            try store(damaged)
            let code = openError()?.code
            #expect(code == .damaged || code == .notADatabase || code == .unsupportedFormat)
        }
    }

    @Test func aTruncatedFileIsAnErrorAtEveryLength() throws {
        try makeDatabase(versions: 40)
        let bytes = try load()
        for length in [
            1, 511, 512, 4095, 4096, 4097, 8192, 50_000, firstRun, bytes.count - 4096,
            bytes.count - 1,
        ] {
            try store(Array(bytes[..<length]))
            let error = try #require(openError(), "\(length) bytes")
            #expect(error.code == .damaged || error.code == .notADatabase)
            #expect(error.path == directory.file())
        }
        try store(bytes)
        #expect(openError() == nil)
    }

    @Test func recordsWithoutAnyValidOneAreDamage() throws {
        var options = Database.Options()
        options.formatVersion = FileHeader.earlierFormatVersion
        try makeDatabase(versions: 40, options)
        var bytes = try load()
        for slot in 0..<Int(CommitRing.allSlots) { bytes[8192 + slot * 4096] ^= 1 }
        try store(bytes)
        // The marker leads to the newest record, which is among the pages.
        #expect(openError() == nil)
        bytes[try #require(try FoundRecord(40, in: bytes)).range.lowerBound] ^= 1
        try store(bytes)
        #expect(openError()?.code == .damaged)
    }

    @Test func theNewestRecordOfACleanlyClosedFileCannotVanish() throws {
        try makeDatabase(versions: 40)
        var bytes = try load()
        let newest = try #require(try FoundRecord(40, in: bytes)).range
        bytes[newest.lowerBound + 500] ^= 1
        bytes[newest.lowerBound + 9] ^= 1
        try store(bytes)
        let error = try #require(openError())
        #expect(error.code == .damaged)
        #expect(error.message.contains("40"))
    }

    @Test func withoutAMarkerAnOlderPageAtAListedPlaceMeansTheVersionBefore() throws {
        try makeDatabase(versions: 9)
        let before = try load()
        do {
            let pager = try Pager(database: .open(path: directory.file()))
            try pager.write { try $0.set(0, value(200)) }
        }
        var bytes = try load()
        let record = try #require(try FoundRecord(10, in: bytes)).record
        let page = Int(record.pageList[0].start)
        bytes.replaceSubrange(
            page * 4096..<(page + 1) * 4096, with: before[page * 4096..<(page + 1) * 4096])
        try store(bytes)
        // The file was closed cleanly: the version is durable, so its page is damaged.
        #expect(throws: StorageError.self) { try newestValues() }
        // The file was not closed cleanly: version 10 may be torn.
        for index in 4096..<4160 { bytes[index] = 0 }
        try store(bytes)
        #expect(try newestValues()[9] == value(9, count: 6000))
        let database = try Database.open(path: directory.file())
        #expect(try database.statistics().newestVersion == 9)
    }

    @Test func aStaleButValidPageIsNamed() throws {
        let path = directory.file()
        do {
            let pager = try Pager(database: .open(path: path))
            try pager.write { try $0.set(0, value(1)) }
        }
        // The images of the file, each taken while the value was in a given page, until the value
        // is in the same page again.
        var images: [UInt64: [UInt8]] = [:]
        var reference = PageReference.none
        for round in 2..<200 {
            let pager = try Pager(database: .open(path: path))
            try pager.write { try $0.set(0, value(UInt8(round))) }
            reference = try ValueStore(pager).references()[0]
            if images[reference.page] != nil { break }
            images[reference.page] = try load()
        }
        let old = try #require(images[reference.page])
        var bytes = try load()
        let place = Int(reference.page) * 4096
        #expect(bytes[place..<place + 4096] != old[place..<place + 4096])
        bytes.replaceSubrange(place..<place + 4096, with: old[place..<place + 4096])
        try store(bytes)
        let error = #expect(throws: StorageError.self) { try newestValues() }
        #expect(error?.code == .damaged)
        #expect(error?.page == reference.page)
    }

    @Test func aFlippedBitInAPageIsFoundAndNamed() throws {
        try makeDatabase(versions: 12)
        let bytes = try load()
        let expected = try newestValues()
        var random = SeededGenerator(seed: 4)
        for _ in 0..<60 {
            var damaged = bytes
            damaged[.random(in: firstRun..<bytes.count, using: &random)] ^= 1
            try store(damaged)
            do {
                #expect(try newestValues() == expected)
            } catch let error as StorageError {
                #expect(error.code == .damaged)
                #expect(error.page != nil || error.message.contains("commit record"))
            }
        }
    }

    @Test func aNewFileGrowsOnlyAfterItsHeaderIsDurable() throws {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), faults: [], recordsTrace: true)
        interceptor.install()
        do { _ = try Database.open(path: directory.file()) }
        interceptor.uninstall()
        let changes = interceptor.trace.filter { $0.path == directory.file() }.map(\.change)
        #expect(changes[0] == .truncate(size: FileHeader.newFileSize))
        #expect(changes[1] == .sync)
        guard case .write(0, let header) = changes[2] else {
            Issue.record("the header is not written first")
            return
        }
        #expect(header.count == 4096)
        #expect(changes[3] == .sync)
    }

    @Test func anInterruptedCreationIsCreatedAnew() throws {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), faults: [], recordsTrace: true)
        interceptor.install()
        do { _ = try Database.open(path: directory.file()) }
        interceptor.uninstall()
        var image: [UInt8] = []
        for event in interceptor.trace where event.path == directory.file() {
            event.apply(to: &image)
            // The last event is that of the marker, if any. Before the final header, nothing is
            // valid.
            try store(image)
            try? FileManager.default.removeItem(atPath: directory.file() + ".lock")
            try Pager(database: .open(path: directory.file())).write { try $0.set(0, value(5)) }
            #expect(try newestValues()[0] == value(5))
        }
    }
}
