import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Pages of encrypted files: decrypted once, refused in wrong places, and never stale.
@Suite struct EncryptionPageTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// Returns the image with a range replaced by a part of `other`.
    private func image(
        _ image: [UInt8], with other: [UInt8], at target: Int, from source: Int, count: Int
    ) -> [UInt8] {
        var changed = image
        changed.replaceSubrange(target..<target + count, with: other[source..<source + count])
        return changed
    }

    /// Whether a part of the newest version is refused. All other parts must be right.
    private func isRefused(_ image: [UInt8], _ digest: UInt64, _ label: String) throws -> Bool {
        try directory.withImage(image) { path in
            do {
                let connection = try FileKind.encrypted.open(path)
                #expect(try DatabaseDigest.of(connection) == digest, "\(label)")
                #expect(try connection.verify() == [], "\(label)")
                return false
            } catch let error as StorageError {
                #expect(error.code == .damaged, "\(label): \(error)")
                return true
            }
        }
    }

    /// Returns the ranges of all runs, including old ones.
    private func runs(_ image: [UInt8]) throws -> [Range<Int>] {
        try EncryptedImage(image).sealed(in: image, at: 0).found.filter(\.isRun)
            .map { $0.offset..<$0.offset + $0.bytes.count }
    }

    @Test func runsThatWereMovedInsideTheFileAreRefused() throws {
        let file = try SmallFile.of(.encrypted)
        let all = try EncryptedImage(file.bytes)
        var refused = 0
        for page in Int(FileHeader.newBlockCount)..<file.bytes.count / 4096 - 1 {
            let place = page * 4096
            let source = place + 4096
            let moved = image(
                file.bytes, with: file.bytes, at: place, from: source, count: 4096)
            if try isRefused(moved, file.digest, "page \(page)") { refused += 1 }
            // Nothing that was moved can be opened at its new place.
            let part = Array(moved[place..<place + 4096])
            #expect(all.sealed(in: part, at: place).found.isEmpty)
        }
        #expect(refused > 8)
    }

    @Test func runsOfAnotherFileOfTheSameKeyAreRefused() throws {
        func makeFile(_ name: String) throws -> (image: [UInt8], digest: UInt64) {
            let path = directory.file(name)
            do {
                let connection = try FileKind.encrypted.open(path)
                for step in 1...8 { try CrashWorkload.run(step, on: connection) }
            }
            let digest = try DatabaseDigest.of(FileKind.encrypted.open(path))
            return (try readBytes(path), digest)
        }
        // The transactions are the same, so the files differ only in their identity.
        let (first, second) = (try makeFile("first"), try makeFile("second"))
        #expect(first.digest == second.digest && first.image.count == second.image.count)
        var refused = 0
        for block in 1..<first.image.count / 4096 {
            let mixed = image(
                first.image, with: second.image, at: block * 4096, from: block * 4096,
                count: 4096)
            if try isRefused(mixed, first.digest, "block \(block)") { refused += 1 }
        }
        #expect(refused > 8)
    }

    /// Every older run is put back at its place, alone and in whole sets.
    @Test func oldVersionsOfPagesAreRefused() throws {
        let path = directory.file("old")
        var images: [[UInt8]] = []
        var digest: UInt64 = 0
        for step in 1...24 {
            let connection = try FileKind.encrypted.open(path)
            try CrashWorkload.run(step, on: connection)
            digest = try DatabaseDigest.of(connection)
            withExtendedLifetime(connection) {}
            images.append(try readBytes(path))
        }
        do { _ = try FileKind.encrypted.open(path) }
        let newest = try readBytes(path)
        var (tried, refused) = (0, 0)
        for older in images.dropLast() {
            for range in try runs(older) where range.upperBound <= newest.count {
                guard older[range] != newest[range] else { continue }
                tried += 1
                let mixed = image(
                    newest, with: older, at: range.lowerBound, from: range.lowerBound,
                    count: range.count)
                if tried % 5 == 0, try isRefused(mixed, digest, "\(range)") { refused += 1 }
            }
        }
        #expect(tried > 50 && refused > 5, "\(tried), \(refused)")
    }

    // MARK: Decrypted pages

    @Test func pagesAreDecryptedOnceForEachBirth() throws {
        let path = directory.file("once")
        let writer = try Pager(
            database: .open(path: path, options: FileKind.encrypted.options))
        try writer.write { for index in 0..<50 { try $0.set(index, value(UInt8(index))) } }
        let reader = try Pager(
            database: .openUnregistered(path: path, options: FileKind.encrypted.options))
        try reader.beginRead()
        let references = try ValueStore(reader).references().filter { !$0.isNone }
        let addresses = try references.map { try reader.page($0) }
        // The page is changed without the reader's knowledge. It is not decrypted again.
        let page = references[7].page
        let file = writer.database.file
        try file.write([UInt8](repeating: 0xEE, count: 4096), at: file.offset(of: page))
        #expect(try references.map { try reader.page($0) } == addresses)
        #expect(try ValueStore(reader).values()[7] == value(7))
        // The writer has its own copy, without having decrypted the page.
        #expect(try writer.newestValues()[7] == value(7))
        let third = try Pager(
            database: .openUnregistered(path: path, options: FileKind.encrypted.options))
        let error = #expect(throws: StorageError.self) { try third.newestValues() }
        #expect(error?.code == .damaged && error?.page == page)
    }

    @Test func aReaderKeepsItsVersionWhileOthersRewritePages() throws {
        let path = directory.file("versions")
        let options = FileKind.encrypted.options
        let databases = try (0..<2).map { _ in
            try Database.openUnregistered(path: path, options: options)
        }
        let writers = try databases.map { try Pager(database: $0) }
        var random = SeededGenerator(seed: 5)
        var expected = [[UInt8]](repeating: [], count: ValueStore.capacity)
        var readers: [(pager: Pager, values: [[UInt8]])] = []
        for round in 0..<400 {
            let writer = writers[random.next(below: 2)]
            try writer.write { store in
                for _ in 0..<3 {
                    let index = random.next(below: 12)
                    expected[index] = randomValue(&random, maximum: [50, 9000][round % 2])
                    try store.set(index, expected[index])
                }
            }
            if round % 10 == 0 {
                let reader = try Pager(database: databases[random.next(below: 2)])
                try reader.beginRead()
                readers.append((reader, expected))
                if readers.count > 4 { readers.removeFirst() }
            }
            if round % 7 == 0 {
                for reader in readers {
                    #expect(try ValueStore(reader.pager).values() == reader.values)
                }
            }
            #expect(try writers[round % 2].newestValues() == expected)
        }
    }

    @Test func threadsDecryptTheSamePagesAtTheSameTime() throws {
        let path = directory.file("threads")
        let digest = try CrashStates.shared.get().digests[CrashWorkload.lastStep]
        do {
            let connection = try FileKind.encrypted.open(path)
            for step in 1...CrashWorkload.lastStep { try CrashWorkload.run(step, on: connection) }
        }
        for _ in 0..<5 {
            let database = try Database.open(path: path, options: FileKind.encrypted.options)
            let writer = BackgroundThread { isStopped in
                let connection = try Connection(database)
                while !isStopped() { _ = try CrashWorkload.countBystander(connection) }
            }
            let failures = Locked<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { _ in
                do {
                    let connection = try Connection(database)
                    for _ in 0..<3 {
                        _ = try connection.refresh()
                        let found = try CrashWorkload.digest(of: connection)
                        if found != digest { failures.withLock { $0.append("\(found)") } }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
            try writer.finish()
        }
    }

    @Test func aLargeCommitIsSealedInPartsAndReadBack() throws {
        let path = directory.file("large")
        let options = FileKind.encrypted.options
        let pager = try Pager(database: .open(path: path, options: options))
        var random = SeededGenerator(seed: 6)
        let values = (0..<90).map { index in
            index == 40
                ? (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                : randomValue(&random, maximum: 60_000)
        }
        let statistics = try pager.write { store in
            for (index, value) in values.enumerated() { try store.set(index, value) }
        }
        #expect(statistics.bytes > 6 << 20)
        #expect(Array(try pager.newestValues()[..<90]) == values)
        let other = try Pager(database: .openUnregistered(path: path, options: options))
        #expect(Array(try other.newestValues()[..<90]) == values)
    }

    @Test func aScanIsGivenLargePagesAndSingleReadsAreNot() {
        let region = DecryptedPlaces.regionBytes
        // The base is not aligned, but regions are those of the processor.
        let base = UnsafeRawPointer(bitPattern: 100 * region + 5 * 4096)!
        func enlarged(_ offsets: [Int], pageSize: Int = 4096) -> [Int] {
            var places = DecryptedPlaces(base: base, memory: DecryptedMemory(mostBytes: .max))
            var found: [Int] = []
            for offset in offsets {
                places.willUse(pageSize, at: base + offset) {
                    found.append(Int(bitPattern: $0) / region - 100)
                }
            }
            #expect(places.byteCount == offsets.count * pageSize)
            return found
        }
        let pages = 5 * region / 4096
        #expect(enlarged((0..<pages).map { $0 * 4096 }) == [1, 2, 3, 4, 5])
        // Each region is enlarged once, even if a page lies across its border.
        #expect(enlarged((0..<pages / 4).map { $0 * 16384 }, pageSize: 16384) == [1, 2, 3, 4, 5])
        #expect(enlarged((0..<pages / 50).map { $0 * 50 * 4096 }) == [])
        // A region that was touched in small pieces before is left alone.
        #expect(enlarged([4 * region] + (0..<pages).map { $0 * 4096 }) == [1, 2, 3, 5])
    }

    /// A false length must not cost the time and memory that it suggests.
    @Test func forgedLengthsCostLittle() throws {
        let file = try SmallFile.of(.encrypted)
        // The length is encrypted with the rest: flipping its bits in the ciphertext flips them.
        for place in try runs(file.bytes).map(\.lowerBound) {
            for bit in 0..<32 {
                var image = file.bytes + [UInt8](repeating: 0, count: 1 << 20)
                image[place + 36 + bit / 8] ^= 1 << UInt8(bit % 8)
                guard bit % 5 == place / 4096 % 5 else { continue }
                _ = try isRefused(image, file.digest, "page \(place / 4096), bit \(bit)")
            }
        }
    }
}
