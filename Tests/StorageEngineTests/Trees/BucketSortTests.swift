import Testing
import ToolSupport

@testable import StorageEngine

/// Entries that are sorted in buckets, compared with the sort of the standard library.
@Suite struct BucketSortTests {
    /// How ranks are spread.
    enum Ranks: CaseIterable {
        case even, equal, few, skewed, highBitsAgree, lowBitsAgree

        func next(_ random: inout SeededGenerator) -> UInt64 {
            switch self {
            case .even: random.next() >> 24
            case .equal: 5 << 20
            case .few: UInt64(random.next(below: 3)) << 38
            case .skewed: random.next() >> UInt64(24 + random.next(below: 40))
            case .highBitsAgree: 0xABC << 28 | random.next() >> 40
            case .lowBitsAgree: random.next() >> 24 & ~0xFFFF
            }
        }
    }

    /// What a sort gives: the buckets by the number of entries before each.
    private static func sorted<Entry: RankedEntry & Sendable>(
        _ entries: [Entry], byBits bits: Range<Int>
    ) -> [Entry] {
        var entries = entries
        let found = Locked<[Int: [Entry]]>([:])
        BucketSort.forEachBucket(of: &entries, byBits: bits) { bucket, start in
            if !bucket.isEmpty { found.withLock { $0[start] = Array(bucket) } }
        }
        var sorted: [Entry] = []
        let buckets = found.withLock { $0 }
        while let bucket = buckets[sorted.count] { sorted += bucket }
        return sorted
    }

    @Test(arguments: Ranks.allCases, [0, 1, 2, 100, 3_000, 70_000])
    func wordsAreInOrder(ranks: Ranks, count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        // A number of up to 40 bits above a key.
        let words = (0..<count).map { ranks.next(&random) << 20 | UInt64($0) }
        #expect(Self.sorted(words, byBits: 20..<60) == words.sorted())
    }

    @Test(arguments: Ranks.allCases, [0, 1, 2, 100, 3_000, 70_000])
    func equalEntriesKeepTheirOrder(ranks: Ranks, count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let entries = (0..<count).map {
            NumberEntry(rank: ~ranks.next(&random), key: ObjectKey(rawValue: Int64($0)))
        }
        // The sort of the standard library is stable.
        let expected = entries.sorted { $0.rank < $1.rank }
        let sorted = Self.sorted(entries, byBits: 0..<64)
        #expect(sorted.map(\.key) == expected.map(\.key))
        #expect(sorted.map(\.rank) == expected.map(\.rank))
    }
}
