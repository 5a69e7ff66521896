import Foundation
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Files with wrong contents and correct checksums, as only an attacker or a bug would write them.
///
/// Reading may return anything, but must end, with or without an error. A child process reads, so
/// that the test can report what ended it.
@Suite struct CorruptionHostileTests {
    private let directory: CrashDirectory
    private let file: SmallFile

    init() throws {
        directory = try CrashDirectory()
        file = try SmallFile.shared.get()
    }

    /// Lets a child process read images. If it dies, the seed is reported, and a new child is
    /// started.
    private func read(
        seeds: ClosedRange<UInt64>, _ forge: (inout SeededGenerator, inout [UInt8]) -> String
    ) throws -> (right: Int, errors: Int, other: Int) {
        let path = directory.file("forged")
        var child = try CoordinationTestProcess("read-images", path)
        var counts = (right: 0, errors: 0, other: 0)
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            var image = file.bytes
            let change = forge(&random, &image)
            unlink(path)
            unlink(path + ".lock")
            try Data(image).write(to: URL(fileURLWithPath: path))
            try child.proceed()
            guard let line = child.nextLine() else {
                let signal = child.waitForSignal()
                Issue.record("seed \(seed) ends the process (signal \(signal)): \(change)")
                child = try CoordinationTestProcess("read-images", path)
                continue
            }
            #expect(!line.hasPrefix("unexpected"), "seed \(seed): \(line)")
            if line.hasPrefix("\(file.digest) ") {
                counts.right += 1
            } else if line.contains("problems") {
                counts.other += 1
            } else {
                counts.errors += 1
            }
        }
        return counts
    }

    /// Returns the byte ranges of all sealed runs of a kind, both live and old.
    private func runs(of kind: PageKind) throws -> [Range<Int>] {
        try file.bytes.withUnsafeBytes { bytes in
            let header = try FileHeader(bytes, path: "")
            return (Int(FileHeader.newBlockCount)..<bytes.count / 4096).compactMap { page in
                let start = page * 4096
                let runHeader = PageHeader(bytes.baseAddress! + start)
                let count = runHeader.pageCount
                guard runHeader.kind == kind, count >= 1, start + count * 4096 <= bytes.count
                else { return nil }
                let run = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count * 4096])
                let isSealed = PageHeader.isSealed(
                    run, pageNumber: UInt64(page), fileSeed: header.fileSeed)
                return isSealed ? start..<start + count * 4096 : nil
            }
        }
    }

    private func seal(_ run: Range<Int>, in image: inout [UInt8]) {
        image.withUnsafeMutableBytes { bytes in
            let header = try? FileHeader(UnsafeRawBufferPointer(bytes), path: "")
            _ = PageHeader.seal(
                UnsafeMutableRawBufferPointer(rebasing: bytes[run]),
                pageNumber: UInt64(run.lowerBound / 4096), fileSeed: header!.fileSeed)
        }
    }

    @Test func forgedPagesNeverEndTheProcess() throws {
        let runs = try runs(of: .node)
        #expect(runs.count > 12)
        let counts = try read(seeds: 1...UInt64(LongTests.choose(100_000, otherwise: 400))) {
            random, image in
            let run = runs[random.next(below: runs.count)]
            var change = "page \(run.lowerBound / 4096):"
            for _ in 0...random.next(below: 3) {
                // Mostly headers and column directories are changed, because they hold the
                // structure.
                let reach = [64, 300, run.count][random.next(below: 3)]
                let offset = 32 + random.next(below: reach - 32)
                let byte: UInt8 =
                    random.next(below: 2) == 0
                    ? image[run.lowerBound + offset] ^ (1 << UInt8(random.next(below: 8)))
                    : [0, 1, 0x7F, 0x80, 0xFF][random.next(below: 5)]
                change += " \(offset)=\(byte)"
                image[run.lowerBound + offset] = byte
            }
            seal(run, in: &image)
            return change
        }
        #expect(counts.errors > 0)
    }

    /// Valid nodes are copied over others, so that every tree meets nodes of every other tree.
    @Test func nodesOfOtherTreesNeverEndTheProcess() throws {
        let runs = try runs(of: .node)
        let counts = try read(seeds: 1...UInt64(LongTests.choose(20_000, otherwise: 300))) {
            random, image in
            let target = runs[random.next(below: runs.count)]
            let alike = runs.filter { $0.count == target.count && $0 != target }
            guard !alike.isEmpty else { return "nothing" }
            let source = alike[random.next(below: alike.count)]
            let birth = image.withUnsafeBytes {
                PageHeader($0.baseAddress! + target.lowerBound).birth
            }
            image.replaceSubrange(target, with: Array(image[source]))
            image.withUnsafeMutableBytes {
                MutablePageHeader($0.baseAddress! + target.lowerBound).birth = birth
            }
            seal(target, in: &image)
            return "page \(source.lowerBound / 4096) in the place of \(target.lowerBound / 4096)"
        }
        #expect(counts.errors > 0)
    }

    @Test func forgedMapsOfFreePagesNeverEndTheProcess() throws {
        let runs = try runs(of: .freeSpaceCheckpoint)
        #expect(!runs.isEmpty)
        let counts = try read(seeds: 1...UInt64(LongTests.choose(50_000, otherwise: 200))) {
            random, image in
            let run = runs[random.next(below: runs.count)]
            var change = "map at page \(run.lowerBound / 4096):"
            for _ in 0...random.next(below: 3) {
                // The length and the first numbers are changed, because the map of a small file is
                // short.
                let offset = 56 + random.next(below: 40)
                let byte = UInt8(truncatingIfNeeded: random.next() >> UInt64(random.next(below: 7)))
                change += " \(offset)=\(byte)"
                image[run.lowerBound + offset] = byte
            }
            seal(run, in: &image)
            return change
        }
        #expect(counts.errors > 0)
    }

    @Test func forgedRecordsNeverEndTheProcess() throws {
        let header = try file.bytes.withUnsafeBytes { try FileHeader($0, path: "") }
        let slot = try #require(try FoundRecord(31, in: file.bytes)).range.lowerBound
        let counts = try read(seeds: 1...UInt64(LongTests.choose(50_000, otherwise: 200))) {
            random, image in
            var change = "record:"
            for _ in 0...random.next(below: 3) {
                let offset = [32, 40, 48, 56, 64, 72, 88, 96, 100, 104, 112, 116, 128, 136][
                    random.next(below: 14)]
                let place = offset + random.next(below: offset >= 96 ? 24 : 8)
                // The identity stays the same, because the marker would name another commit
                // otherwise.
                let byte = UInt8(truncatingIfNeeded: random.next() >> UInt64(random.next(below: 7)))
                change += " \(place)=\(byte)"
                image[slot + place] = byte
            }
            image.withUnsafeMutableBytes { bytes in
                let sum = Checksum.hash(
                    UnsafeRawBufferPointer(rebasing: bytes[slot + 8..<slot + 4096]),
                    seed: header.fileSeed)
                bytes.storeBytes(of: sum.littleEndian, toByteOffset: slot, as: UInt64.self)
            }
            return change
        }
        #expect(counts.errors > 0)
    }
}
