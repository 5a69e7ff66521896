import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Changes single bytes and lengths of a small file. Everything that is read must be right, or an
/// error must name the damage.
@Suite struct CorruptionTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    private enum Outcome: Equatable {
        case right
        case error(StorageError.Code)
    }

    /// Opens the image, reads everything, and checks that it is one of the expected states.
    private func open(
        _ image: [UInt8], of kind: FileKind, expecting digests: Set<UInt64>,
        _ label: @autoclosure () -> String
    ) throws -> Outcome {
        try directory.withImage(image) { path in
            do {
                let connection = try Connection(Database.open(path: path, options: kind.options))
                let digest = try DatabaseDigest.of(connection)
                #expect(digests.contains(digest), "wrong data: \(label())")
                let problems = try connection.verify()
                #expect(problems == [], "\(label())")
                return .right
            } catch let error as StorageError {
                #expect(error.path == path, "\(label()): \(error)")
                return .error(error.code)
            }
        }
    }

    private static let expectedCodes: Set<StorageError.Code> = [
        .damaged, .notADatabase, .unsupportedFormat,
    ]

    private func flipEverywhere(
        _ image: [UInt8], of kind: FileKind, expecting digests: Set<UInt64>, seed: UInt64
    ) throws -> (right: Int, errors: Int) {
        var random = SeededGenerator(seed: seed)
        var (right, errors) = (0, 0)
        for block in stride(from: 0, to: image.count, by: 512) {
            // The first 104 bytes of a record and 64 of a page are headers. One position is chosen
            // there, and one anywhere.
            var positions = [block + random.next(below: 512), block + random.next(below: 104)]
            if LongTests.isEnabled { positions = Array(block..<block + 512) }
            for position in positions {
                var damaged = image
                let mask = UInt8(1) << UInt8(random.next(below: 8))
                damaged[position] ^= mask
                let outcome = try open(
                    damaged, of: kind, expecting: digests,
                    "seed \(seed), byte \(position), mask \(mask)")
                switch outcome {
                case .right: right += 1
                case .error(let code):
                    errors += 1
                    #expect(
                        Self.expectedCodes.contains(code),
                        "byte \(position), mask \(mask): \(code)")
                }
            }
        }
        return (right, errors)
    }

    @Test(arguments: FileKind.allCases)
    func aFlippedBitInACleanlyClosedFileIsFoundOrHarmless(kind: FileKind) throws {
        let file = try SmallFile.of(kind)
        let (right, errors) = try flipEverywhere(
            file.bytes, of: kind, expecting: [file.digest], seed: 21)
        // Damage to free pages and old records is harmless; damage to live ones must be found.
        #expect(right > 100 && errors > 100, "\(right) right, \(errors) errors")
    }

    /// Without the marker, the newest commit is not known to be durable. It may be lost, but no
    /// other.
    @Test(arguments: FileKind.allCases)
    func aFlippedBitInACrashedFileLosesTheNewestCommitAtMost(kind: FileKind) throws {
        let file = try SmallFile.of(kind)
        var image = file.bytes
        for index in 4096..<4160 { image[index] = 0 }
        _ = try flipEverywhere(
            image, of: kind, expecting: [file.digest, file.previousDigest], seed: 22)
    }

    /// A byte of every live page is flipped, and the error names that page.
    @Test(arguments: FileKind.allCases)
    func damageToAPageIsReportedWithItsNumber(kind: FileKind) throws {
        let file = try SmallFile.of(kind)
        var (named, records) = (0, 0)
        for page in Int(FileHeader.newBlockCount)..<file.bytes.count / 4096 {
            var damaged = file.bytes
            damaged[page * 4096 + 100] ^= 0x10
            try directory.withImage(damaged) { path in
                do {
                    let connection = try Connection(
                        Database.open(path: path, options: kind.options))
                    #expect(try DatabaseDigest.of(connection) == file.digest)
                    #expect(try connection.verify() == [])
                } catch let error as StorageError {
                    #expect(error.code == .damaged)
                    // Runs of several pages are named by their first page.
                    guard let first = error.page else {
                        #expect(error.message.contains("commit record"))
                        records += 1
                        return
                    }
                    #expect(
                        first <= UInt64(page) && first >= FileHeader.newBlockCount,
                        "page \(page): \(error)")
                    named += 1
                }
            }
        }
        #expect(named > 8)
        // In a small file, all records are in slots.
        #expect(records == 0)
    }

    /// Whole sectors are zero, or hold the contents of another place.
    @Test(arguments: FileKind.allCases)
    func sectorsThatAreLostOrMisplacedAreFoundOrHarmless(kind: FileKind) throws {
        let file = try SmallFile.of(kind)
        var random = SeededGenerator(seed: 23)
        for block in stride(from: 0, to: file.bytes.count, by: 512) {
            var lost = file.bytes
            lost.replaceSubrange(block..<block + 512, with: [UInt8](repeating: 0, count: 512))
            _ = try open(lost, of: kind, expecting: [file.digest], "sector at \(block) lost")
            let other = random.next(below: file.bytes.count / 512) * 512
            var misplaced = file.bytes
            misplaced.replaceSubrange(block..<block + 512, with: file.bytes[other..<other + 512])
            _ = try open(
                misplaced, of: kind, expecting: [file.digest], "\(other) written to \(block)")
        }
    }

    @Test(arguments: FileKind.allCases)
    func pagesWrittenToTheWrongPlaceAreFoundOrHarmless(kind: FileKind) throws {
        let file = try SmallFile.of(kind)
        let pages = file.bytes.count / 4096
        for page in 0..<pages {
            for distance in [1, 2, 7] {
                let other = (page + distance) % pages
                var image = file.bytes
                image.replaceSubrange(
                    page * 4096..<page * 4096 + 4096,
                    with: file.bytes[other * 4096..<other * 4096 + 4096])
                _ = try open(
                    image, of: kind, expecting: [file.digest],
                    "page \(other) written to \(page)")
            }
        }
    }

    @Test(arguments: FileKind.allCases)
    func randomGarbageInSeveralPlacesIsFoundOrHarmless(kind: FileKind) throws {
        let file = try SmallFile.of(kind)
        for seed in 1...UInt64(LongTests.choose(3000, otherwise: 120)) {
            var random = SeededGenerator(seed: seed)
            var image = file.bytes
            for _ in 0...random.next(below: 4) {
                let length = 1 + random.next(below: [4, 64, 5000][random.next(below: 3)])
                let start = random.next(below: image.count - length)
                for index in start..<start + length {
                    image[index] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            _ = try open(image, of: kind, expecting: [file.digest], "seed \(seed)")
        }
    }
}
