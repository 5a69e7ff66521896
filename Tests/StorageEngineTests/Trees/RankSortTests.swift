import Testing

@testable import StorageEngine

/// Sorts that somebody stops. Their order is tested with those who sort, such as tables.
@Suite struct RankSortTests {
    private final class Log {
        var comparisons = 0
        let stop = StopRequest()
        /// After so many comparisons, the sort is to stop.
        let limit: Int

        init(limit: Int) { self.limit = limit }

        func compare() {
            comparisons += 1
            if comparisons == limit { stop.make() }
        }
    }

    private struct Entry: RankedEntry {
        var rank: UInt64
        var number: Int
        var log: Unmanaged<Log>

        func precedes(_ other: Entry) -> Bool {
            log.takeUnretainedValue().compare()
            return rank != other.rank ? rank < other.rank : number < other.number
        }
    }

    /// Numbers of all from 0 on, none in its place.
    private func entries(_ log: Log, rank: (Int) -> UInt64) -> [Entry] {
        (0..<20_000).map {
            let number = ($0 + 1) * 7919 % 20_000
            return Entry(rank: rank(number), number: number, log: .passUnretained(log))
        }
    }

    @Test func comparingEndsWhenItIsToStop() {
        let log = Log(limit: 1000)
        var entries = entries(log) { _ in 7 }
        entries.sortByRank(ranksDecide: false, until: log.stop)
        #expect(log.comparisons == 1000)
        #expect(Set(entries.map(\.number)) == Set(0..<20_000))
    }

    @Test func movingEndsWhenItIsToStop() {
        let log = Log(limit: 0)
        log.stop.make()
        var entries = entries(log) { UInt64($0) }
        let before = entries.map(\.number)
        entries.sortByRank(ranksDecide: true, until: log.stop)
        #expect(entries.map(\.number) == before)
        #expect(log.comparisons == 0)
    }

    @Test func whatIsNotStoppedIsSorted() {
        let log = Log(limit: .max)
        var entries = entries(log) { UInt64($0 / 1000) }
        entries.sortByRank(ranksDecide: false, until: log.stop)
        #expect(entries.map(\.number) == Array(0..<20_000))
    }
}
