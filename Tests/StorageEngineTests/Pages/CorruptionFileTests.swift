import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Files of unexpected lengths, and files that are not databases.
@Suite struct CorruptionFileTests {
    private let directory: CrashDirectory
    private let file: SmallFile

    init() throws {
        directory = try CrashDirectory()
        file = try SmallFile.shared.get()
    }

    private func openError(_ image: [UInt8]) throws -> StorageError? {
        try directory.withImage(image) { path in
            do {
                let connection = try Connection(Database.open(path: path))
                #expect(try DatabaseDigest.of(connection) == file.digest)
                return nil
            } catch let error as StorageError {
                #expect(error.path == path)
                #expect(error.message.contains(path))
                return error
            }
        }
    }

    @Test func aTruncatedFileIsAnError() throws {
        let lengths =
            Array(stride(from: 4096, to: file.bytes.count, by: 4096))
            + [1, 7, 8, 64, 511, 512, 513, 4095, 4097, 30_001, 45_265, file.bytes.count - 1]
        for length in lengths {
            let error = try #require(
                try openError(Array(file.bytes[..<length])), "\(length) bytes")
            #expect(error.code == .damaged || error.code == .notADatabase, "\(length): \(error)")
        }
    }

    @Test func appendedGarbageIsHarmless() throws {
        for length in [1, 511, 4096, 10_000, 300_000] {
            let image = file.bytes + (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(try openError(image) == nil, "\(length) bytes")
            // The lost contents do not come back when the file grows again.
            try directory.withImage(image) { path in
                let connection = try Connection(Database.open(path: path))
                try connection.beginWrite()
                let people = try connection.table(named: "Person")!
                let note = [UInt8](repeating: 9, count: 600_000)
                try people.set(2, of: people.key(at: 0), owned: .bytes(note))
                try connection.commit()
                #expect(try connection.verify() == [])
            }
        }
    }

    @Test func foreignFilesAreNoDatabases() throws {
        var random = SeededGenerator(seed: 31)
        let garbage = (0..<200_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let files: [(String, [UInt8])] = [
            ("zeros", [UInt8](repeating: 0, count: 1 << 18)),
            ("ones", [UInt8](repeating: 0xFF, count: 1 << 18)),
            ("garbage", garbage),
            ("SQLite", Array("SQLite format 3\0".utf8) + garbage),
            ("ELF", [0x7F, 0x45, 0x4C, 0x46] + garbage),
            ("text", Array(String(repeating: "not a database\n", count: 4000).utf8)),
            ("the magic and garbage", Array(file.bytes[..<8]) + garbage),
            (
                "the header and zeros",
                Array(file.bytes[..<512]) + [UInt8](repeating: 0, count: 100)
            ),
            ("the header and garbage", Array(file.bytes[..<4096]) + garbage),
        ]
        for (name, bytes) in files {
            let error = try #require(try openError(bytes), "\(name)")
            #expect(
                [.notADatabase, .damaged, .unsupportedFormat].contains(error.code),
                "\(name): \(error)")
        }
    }

    @Test func aFileIsLeftAsItWasWhenItIsNoDatabase() throws {
        let bytes = Array(String(repeating: "precious\n", count: 40_000).utf8)
        try directory.withImage(bytes) { path in
            #expect(throws: StorageError.self) { _ = try Database.open(path: path) }
            let after = try readBytes(path)
            #expect(after == bytes)
        }
    }

    /// Changes a field of the header and corrects its checksum, as a newer library might have
    /// written it.
    private func header(changing offset: Int, to value: UInt32) -> [UInt8] {
        var image = file.bytes
        image.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
            let sum = Checksum.hash(UnsafeRawBufferPointer(rebasing: bytes[0..<504]), seed: 0)
            bytes.storeBytes(of: sum.littleEndian, toByteOffset: 504, as: UInt64.self)
        }
        return image
    }

    /// Power loss in the first step of creation leaves zeros of one length.
    @Test func zerosOfOneLengthAreAFileThatIsYetToBeCreated() throws {
        let newFile = [UInt8](repeating: 0, count: Int(FileHeader.newFileSize))
        try directory.withImage(newFile) { path in
            let connection = try Connection(Database.open(path: path))
            #expect(connection.tables.isEmpty)
        }
        for length in [1, 511, 512, 4096, 4097] {
            let zeros = [UInt8](repeating: 0, count: length)
            #expect(try openError(zeros)?.code == .notADatabase, "\(length) bytes")
        }
        var other = newFile
        other[600] = 1
        #expect(try openError(other)?.code == .notADatabase)
    }

    @Test func anotherFormatAndUnknownFlagsAreNamed() throws {
        let format = FileHeader.formatVersion
        #expect(try openError(header(changing: 8, to: format)) == nil)
        for other in [0, FileHeader.earlierFormatVersion - 1, format + 1, .max] {
            let error = try #require(try openError(header(changing: 8, to: other)))
            #expect(error.code == .unsupportedFormat)
            #expect(error.message.contains("(\(other))"))
        }
        for (offset, value) in [(12, 0), (12, 512), (12, 1 << 31), (16, 0), (16, 1 << 20)] {
            let error = try #require(
                try openError(header(changing: offset, to: UInt32(value))), "\(offset): \(value)")
            #expect([.damaged, .notADatabase, .unsupportedFormat].contains(error.code))
        }
        #expect(try openError(header(changing: 20, to: 1))?.code == .wrongKey)
        #expect(try openError(header(changing: 20, to: 4))?.code == .unsupportedFormat)
    }

    /// A lock file holds no data, whatever follows its magic number.
    @Test func aStaleLockFileDoesNotMatter() throws {
        var random = SeededGenerator(seed: 32)
        for length in [0, 8, 4096, 12_288, 200_000] {
            try directory.withImage(file.bytes) { path in
                var stale = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                withUnsafeBytes(of: SharedRegion.magic) {
                    stale.replaceSubrange(0..<min(8, length), with: $0.prefix(length))
                }
                try Data(stale).write(to: URL(fileURLWithPath: path + ".lock"))
                let connection = try Connection(Database.open(path: path))
                #expect(try DatabaseDigest.of(connection) == file.digest)
                #expect(try connection.verify() == [])
            }
        }
    }
}
