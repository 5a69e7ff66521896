import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct CommitRecordTests {
    private static let seed: UInt64 = 77
    private static let ring = CommitRing().extended(at: 50, next: 1).0

    private func sample(_ random: inout SeededGenerator) -> CommitRecord {
        let version = UInt64.random(in: 100...1_000_000, using: &random)
        let sequence = UInt64.random(in: 40...version, using: &random)
        func extents(_ count: Int) -> [Extent] {
            var end: UInt64 = 34
            return (0..<count).map { _ in
                let extent = Extent(
                    start: end + .random(in: 1...90, using: &random),
                    count: .random(in: 1...9, using: &random))
                end = extent.end
                return extent
            }
        }
        return CommitRecord(
            version: version, sequence: sequence, commitID: random.next(),
            durableFloor: sequence - 1,
            pageCount: 100_000, root: PageReference(page: 50, birth: version), livePages: 900,
            checkpoint: PageReference(page: 99, birth: version - 3),
            checkpointSequence: sequence - 2, pageListHash: random.next(),
            pagesWereSynced: false, place: place(of: sequence, &random), ring: Self.ring,
            window: RecordWindow(start: .random(in: 34...99_000, using: &random)),
            nextWindow: RecordWindow(start: .random(in: 34...99_000, using: &random)),
            slotID: random.next(), earlierSlotID: random.next(),
            lists: CommitRecord.Lists(
                pageList: extents(100),
                log: FreeSpaceLog(
                    allocated: extents(100),
                    freed: extents(60).map {
                        FreedExtent(extent: $0, birth: .random(in: 1..<version, using: &random))
                    }),
                chain: chain(before: sequence, version, &random)))
    }

    private func place(of sequence: UInt64, _ random: inout SeededGenerator) -> RecordPlace {
        Bool.random(using: &random)
            ? Self.ring.place(of: sequence)
            : .page(.random(in: 34..<100_000, using: &random))
    }

    private func chain(
        before sequence: UInt64, _ version: UInt64, _ random: inout SeededGenerator
    ) -> RecordChain {
        let count = UInt64.random(in: 0...UInt64(CommitRecord.chainCapacity), using: &random)
        return (0..<count).reduce(RecordChain()) { chain, index in
            let age = count - index
            return chain.adding(
                RecordChain.Entry(
                    sequence: sequence - age, version: version - age,
                    page: .random(in: 34..<100_000, using: &random)))
        }
    }

    private func decode(
        _ block: [UInt8], at place: RecordPlace, seed: UInt64 = seed
    ) -> CommitRecord? {
        block.withUnsafeBytes { CommitRecord($0, at: place, fileSeed: seed, firstPage: 34) }
    }

    @Test func aRecordComesBackFromItsPlaceOnly() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<50 {
            let record = sample(&random)
            let block = record.encode(fileSeed: Self.seed)
            let slot = Self.ring.slot(of: record.sequence).number
            #expect(decode(block, at: record.place) == record)
            #expect(decode(block, at: record.place, seed: 78) == nil)
            let others: [RecordPlace] = [
                .slot(Self.ring.slot(numbered: slot)),
                .slot(Self.ring.slot(numbered: (slot + 1) % CommitRing.allSlots)), .page(slot + 34),
                .page(record.place.page + 1),
            ]
            for other in others where other != record.place {
                #expect(decode(block, at: other) == nil)
            }
        }
    }

    @Test func rootsInARecordComeBackAndExcludeARootPage() {
        var random = SeededGenerator(seed: 5)
        for count in [1, 100, CommitRecord.inlineRootsCapacity] {
            var record = sample(&random)
            record.lists = CommitRecord.Lists(
                inlineRoots: (0..<count).map { _ in .random(in: .min ... .max, using: &random) },
                pageList: record.pageList, log: record.log)
            let place = record.place
            #expect(decode(record.encode(fileSeed: Self.seed), at: place) == nil)
            record.root = .none
            #expect(decode(record.encode(fileSeed: Self.seed), at: place) == record)
        }
    }

    @Test func aRecordAmongThePagesIsWithinThem() {
        var random = SeededGenerator(seed: 6)
        for page: UInt64 in [1, 33, 34, 99_999, 100_000, .max] {
            var record = sample(&random)
            record.place = .page(page)
            let isWithin = decode(record.encode(fileSeed: Self.seed), at: record.place) != nil
            #expect(isWithin == (34..<100_000).contains(page))
        }
    }

    @Test func anEmptySlotIsNoRecord() {
        for slot in 0..<CommitRing.fewSlots {
            #expect(decode([UInt8](repeating: 0, count: 4096), at: .slot(slot)) == nil)
        }
    }

    @Test func everyFlippedBitIsNoticed() {
        var random = SeededGenerator(seed: 2)
        let record = sample(&random)
        let block = record.encode(fileSeed: Self.seed)
        for _ in 0..<2000 {
            var damaged = block
            damaged[.random(in: 0..<4096, using: &random)] ^=
                1
                << UInt8.random(
                    in: 0..<8, using: &random)
            #expect(decode(damaged, at: record.place) == nil)
        }
    }

    /// Damage with a correct checksum. The fields themselves are checked as well.
    @Test func hostileFieldsAreNil() {
        var random = SeededGenerator(seed: 3)
        let record = sample(&random)
        let place = record.place
        for _ in 0..<5000 {
            var block = record.encode(fileSeed: Self.seed)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let offset = Int.random(in: 8..<500, using: &random)
                block[offset] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
            }
            let sum = block.withUnsafeBytes {
                Checksum.hash(UnsafeRawBufferPointer(rebasing: $0[8...]), seed: Self.seed)
            }
            block.withUnsafeMutableBytes { $0.storeBytes(of: sum, as: UInt64.self) }
            guard let decoded = decode(block, at: place) else { continue }
            let freed = decoded.log?.freed ?? []
            for extent in decoded.pageList + (decoded.log?.allocated ?? []) + freed.map(\.extent) {
                #expect(extent.start >= 34 && extent.end <= decoded.pageCount)
            }
            for entry in freed {
                #expect(entry.birth >= 1 && entry.birth < decoded.version)
            }
            for entry in decoded.chain.entries {
                #expect((34..<decoded.pageCount).contains(entry.page))
                #expect(entry.sequence < decoded.sequence && entry.version < decoded.version)
            }
        }
    }

    @Test func numbersWhoseSumsWouldOverflowAreNil() {
        var random = SeededGenerator(seed: 4)
        for version: UInt64 in [.max, .max - 1, 1 << 63] {
            var record = sample(&random)
            record.version = version
            record.sequence = version
            record.durableFloor = version - 1
            record.checkpointSequence = version - 2
            record.root.birth = version
            record.checkpoint.birth = version - 3
            #expect(
                decode(record.encode(fileSeed: Self.seed), at: record.place)
                    == nil)
        }
        for pageCount: UInt64 in [.max, 1 << 52] {
            var record = sample(&random)
            record.pageCount = pageCount
            #expect(
                decode(
                    record.encode(fileSeed: Self.seed),
                    at: record.place) == nil)
        }
    }

    @Test func listsThatDoNotFitAreToldApart() {
        let few = (0..<100).map { Extent(start: 40 + 2 * UInt64($0), count: 1) }
        let many = (0..<3000).map { Extent(start: 40 + 200 * UInt64($0), count: 1) }
        let log = FreeSpaceLog(allocated: few, freed: [])
        #expect(CommitRecord.fits(pageList: few, log: log, version: 9))
        #expect(!CommitRecord.fits(pageList: many, log: nil, version: 9))
        // Ages take space: more for older pages.
        func freed(_ count: Int, birth: UInt64) -> FreeSpaceLog {
            let extents = (0..<count).map { Extent(start: 40 + 2 * UInt64($0), count: 1) }
            return FreeSpaceLog(
                allocated: [], freed: extents.map { FreedExtent(extent: $0, birth: birth) })
        }
        let version: UInt64 = 1 << 40
        #expect(
            CommitRecord.fits(
                pageList: [], log: freed(780, birth: version - 1), version: version))
        #expect(!CommitRecord.fits(pageList: [], log: freed(780, birth: 1), version: version))
    }
}
