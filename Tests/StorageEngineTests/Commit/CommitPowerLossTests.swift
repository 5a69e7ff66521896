import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Rebuilds the files that power loss could leave, and opens them.
@Suite struct CommitPowerLossTests {
    let directory = TestDirectory()

    /// The file after a durable state, and the writes that no sync covers yet.
    private struct Moment {
        var durable: [UInt8]
        var pending: [SystemTraceEvent] = []
        /// The number of transactions whose commit had returned.
        var acknowledged = 0
    }

    /// Runs transactions on a new file, and returns the moments between their system calls.
    private func trace(
        _ transactions: [(ValueStore) throws -> Void], after prepared: Int
    ) throws -> (moments: [Moment], states: [[[UInt8]]]) {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        var acknowledgedAt: [Int] = []
        var states: [[[UInt8]]] = [[]]
        let path = directory.file()
        let pager = try Pager(database: .open(path: path))
        func dataEvents() -> [SystemTraceEvent] {
            interceptor.trace.filter { $0.path == path }
        }
        for transaction in transactions {
            try pager.write(transaction)
            acknowledgedAt.append(dataEvents().count)
            states.append(try pager.newestValues())
        }
        var moments: [Moment] = []
        var moment = Moment(durable: [])
        for (index, event) in dataEvents().prefix(acknowledgedAt.last!).enumerated() {
            if event.change == .sync {
                for pending in moment.pending { pending.apply(to: &moment.durable) }
                moment.pending = []
            } else {
                moment.pending.append(event)
            }
            moment.acknowledged = acknowledgedAt.count { $0 <= index + 1 }
            if moment.acknowledged >= prepared { moments.append(moment) }
        }
        return (moments, states)
    }

    /// Opens an image, and returns the number of transactions in it. The file must then accept
    /// another transaction.
    private func open(_ image: [UInt8], _ states: [[[UInt8]]]) throws -> Int? {
        let name = directory.path + "/image-" + UUID().uuidString
        try Data(image).write(to: URL(fileURLWithPath: name))
        defer {
            unlink(name)
            unlink(name + ".lock")
        }
        let pager = try Pager(database: .open(path: name))
        let values = try pager.newestValues()
        let found = states.firstIndex(of: values)
        try pager.write { store in for index in 100..<103 { try store.set(index, value(77)) } }
        let after = try pager.newestValues()
        #expect(after[101] == value(77))
        if !values.isEmpty { #expect(after[..<100] == values[..<100]) }
        return found
    }

    /// Splits the pending writes into single pages, and records into the ways in which 512-byte
    /// sectors can be torn.
    private func pieces(_ moment: Moment) throws -> [[SystemTraceEvent]] {
        let header = try moment.durable.withUnsafeBytes { try FileHeader($0, path: "") }
        func isRecord(_ bytes: ArraySlice<UInt8>, at offset: UInt64) -> Bool {
            if offset < FileHeader.newBlockCount * FileHeader.blockSize { return true }
            return bytes.withUnsafeBytes {
                $0.count == CommitRecord.size
                    && CommitRecord(
                        $0, at: .page(offset / FileHeader.blockSize), fileSeed: header.fileSeed,
                        firstPage: header.firstPage, ring: header.ring) != nil
            }
        }
        return moment.pending.flatMap { event -> [[SystemTraceEvent]] in
            guard case .write(let offset, let bytes) = event.change else { return [[event]] }
            func parts(_ range: Range<Int>, of size: Int) -> [SystemTraceEvent] {
                stride(from: range.lowerBound, to: range.upperBound, by: size).map {
                    var copy = event
                    copy.change = .write(
                        offset: offset + UInt64($0),
                        bytes: Array(bytes[$0..<min($0 + size, range.upperBound)]))
                    return copy
                }
            }
            return stride(from: 0, to: bytes.count, by: 4096).map {
                let range = $0..<min($0 + 4096, bytes.count)
                let isRecord = isRecord(bytes[range], at: offset + UInt64($0))
                return parts(range, of: isRecord ? 512 : 4096)
            }
        }
    }

    /// Returns an image for every subset of the pending pages, with the record whole, missing, or
    /// torn in two ways.
    private func images(_ moment: Moment) throws -> [[UInt8]] {
        let pieces = try pieces(moment)
        guard pieces.count <= 7 else { return [] }
        var images: [[UInt8]] = []
        for subset in 0..<1 << pieces.count {
            for tear in [0, 1, -1] {
                var image = moment.durable
                var hasRecord = false
                for (index, parts) in pieces.enumerated() where subset & 1 << index != 0 {
                    let kept =
                        parts.count == 1 || tear == 0
                        ? parts[...] : (tear > 0 ? parts.prefix(tear) : parts.dropFirst())
                    hasRecord = hasRecord || parts.count > 1
                    for part in kept { part.apply(to: &image) }
                }
                if tear == 0 || hasRecord { images.append(image) }
            }
        }
        return images
    }

    @Test func everySubsetOfSmallCommitsOpensToTheOlderOrTheNewerState() throws {
        let (moments, states) = try trace(
            [
                { for index in 0..<5 { try $0.set(index, value(UInt8(index + 1))) } },
                { try $0.set(0, value(10)) },
                { try $0.set(1, value(11)) },
                { try $0.touch(0, 12) },
                { try $0.set(2, value(13, count: 5000)) },
            ], after: 2)
        var count = 0
        for moment in moments {
            for image in try images(moment) {
                let found = try open(image, states)
                #expect(found == moment.acknowledged || found == moment.acknowledged + 1)
                count += 1
            }
        }
        #expect(count > 40)
    }

    /// Deletes and refills values, so that each commit overwrites pages of an older one.
    @Test func randomSubsetsOfCommitsThatReusePagesOpenToAnAcknowledgedState() throws {
        var random = SeededGenerator(seed: 8)
        let transactions = (0..<40).map { round -> (ValueStore) throws -> Void in
            { store in
                for index in 0..<8 {
                    try store.set((round * 3 + index) % 20, value(UInt8(round + 1), count: 3000))
                }
            }
        }
        let (moments, states) = try trace(transactions, after: 30)
        for moment in moments where !moment.pending.isEmpty {
            let pieces = try pieces(moment)
            for _ in 0..<3 {
                var image = moment.durable
                for parts in pieces {
                    for part in parts where Bool.random(using: &random) { part.apply(to: &image) }
                }
                let found = try open(image, states)
                #expect(found == moment.acknowledged || found == moment.acknowledged + 1)
            }
        }
    }

    @Test func aLargeCommitThatWasTornOpensToTheOlderState() throws {
        var random = SeededGenerator(seed: 2)
        let (moments, states) = try trace(
            [
                { for index in 0..<80 { try $0.set(index, value(1, count: 16_000)) } },
                { for index in 0..<80 { try $0.set(index, value(2, count: 16_000)) } },
            ], after: 1)
        for moment in moments where !moment.pending.isEmpty {
            let pieces = try pieces(moment)
            for _ in 0..<4 {
                var image = moment.durable
                for parts in pieces {
                    for part in parts where Bool.random(using: &random) { part.apply(to: &image) }
                }
                let found = try open(image, states)
                #expect(found == 1 || found == 2)
            }
        }
    }

    /// A commit whose record could not be written leaves sealed pages of the same version behind.
    /// They must not be accepted as pages of the commit that became this version.
    @Test func pagesOfAFailedCommitDoNotPassForThoseOfTheNextOne() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        func load() throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.file())))
        }
        let pager = try Pager(database: .open(path: directory.file()))
        try pager.write { try $0.set(0, value(1)) }
        let before = try pager.newestValues()
        interceptor.setFaults([.init(.fail(errno: EIO), call: .pwrite, ordinal: 1)])
        #expect(throws: StorageError.self) { try pager.write { try $0.set(0, value(2)) } }
        let failed = try load()
        try pager.write { try $0.set(0, value(3)) }
        var image = try load()
        let record = try #require(try pager.database.file.readRecord(at: CommitRing().place(of: 2)))
        for extent in record.pageList {
            let bytes = Int(extent.start) * 4096..<Int(extent.end) * 4096
            #expect(failed[bytes] != image[bytes])
            image.replaceSubrange(bytes, with: failed[bytes])
        }
        #expect(try open(image, [before]) == 0)
    }
}
