import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct KeyDistributionTests {
    /// Returns how often each of `items` occurs in `draws`, as a share.
    private func shares(
        items: Int, draws: Int, _ next: (inout SeededGenerator) -> Int
    ) -> [Double] {
        var generator = SeededGenerator(seed: 5)
        var counts = [Int](repeating: 0, count: items)
        for _ in 0..<draws { counts[next(&generator)] += 1 }
        return counts.map { Double($0) / Double(draws) }
    }

    @Test func zipfianRanksFollowTheLaw() {
        let zipfian = ZipfianGenerator(itemCount: 1000)
        let found = shares(items: 1000, draws: 200_000) { zipfian.next(using: &$0) }
        let zeta = (1...1000).reduce(0) { $0 + 1 / pow(Double($1), 0.99) }
        // The method of Gray et al. is exact for the first two ranks. For the others only the sums
        // are approximately right.
        for rank in 0..<2 {
            let theory = 1 / pow(Double(rank + 1), 0.99) / zeta
            #expect(abs(found[rank] - theory) < 0.1 * theory)
        }
        for limit in [10, 100, 500] {
            let theory = (1...limit).reduce(0) { $0 + 1 / pow(Double($1), 0.99) } / zeta
            #expect(abs(found[..<limit].reduce(0, +) - theory) < 0.03)
        }
    }

    @Test func aGrownDistributionIsThatOfItsSize() {
        var grown = ZipfianGenerator(itemCount: 10)
        grown.grow(to: 700)
        grown.grow(to: 1200)
        grown.grow(to: 900)
        let whole = ZipfianGenerator(itemCount: 1200)
        #expect(grown.itemCount == 1200)
        #expect(abs(grown.zeta - whole.zeta) < 1e-9)
        var first = SeededGenerator(seed: 1)
        var second = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            #expect(grown.next(using: &first) == whole.next(using: &second))
        }
    }

    @Test(arguments: [1, 2, 3])
    func fewItemsAreAllReached(count: Int) {
        let zipfian = ZipfianGenerator(itemCount: count)
        let found = shares(items: count, draws: 2000) { zipfian.next(using: &$0) }
        #expect(found.allSatisfy { $0 > 0 })
    }

    /// Checks the constant sum that scrambled ranks use, with an integral as an approximation of
    /// its tail.
    @Test func theSumOfTenThousandMillionTermsIsRight() {
        let known = 26.46902820178302
        let first = (1...100_000).reduce(0) { $0 + 1 / pow(Double($1), 0.99) }
        let rest = (pow(1e10 + 0.5, 0.01) - pow(100_000.5, 0.01)) / 0.01
        #expect(abs(first + rest - known) < 1e-4)
    }

    @Test func scramblingSpreadsThePopularOnesAndKeepsTheirShares() {
        let scrambled = ScrambledZipfianGenerator(itemCount: 1000)
        let found = shares(items: 1000, draws: 100_000) { scrambled.next(using: &$0) }
        let top = Int(YCSBRecord.hash(0) % 1000)
        #expect(found.max() == found[top])
        // The share of rank 0 among ten thousand million is 1 / 26.469.
        #expect(abs(found[top] - 1 / 26.469) < 0.01)
        #expect(found.count { $0 > 0 } > 990)
    }

    @Test func theHashIsThatOfYCSB() {
        #expect(YCSBRecord.key(0) == "user6284781860667377211")
        #expect(YCSBRecord.key(1) == "user8517097267634966620")
    }

    @Test func theLatestAreAskedForMost() {
        var chooser = KeyChooser(.latest, records: 500)
        let found = shares(items: 600, draws: 50_000) { chooser.next(below: 600, using: &$0) }
        #expect(found.max() == found[599])
        #expect(found[599] > 0.1)
        #expect(found[590...].reduce(0, +) > found[..<300].reduce(0, +))
    }

    @Test func uniformKeysAreAllAlike() {
        var chooser = KeyChooser(.uniform, records: 50)
        let found = shares(items: 50, draws: 100_000) { chooser.next(below: 50, using: &$0) }
        #expect(found.allSatisfy { abs($0 - 0.02) < 0.004 })
    }

    @Test(arguments: KeyDistribution.allCases)
    func theSeedDecidesAndOnlyRecordsThatExistAreChosen(distribution: KeyDistribution) {
        func keys(seed: UInt64) -> [Int] {
            var chooser = KeyChooser(distribution, records: 100, expectedInserts: 50)
            var generator = SeededGenerator(seed: seed)
            return (0..<3000).map { chooser.next(below: 100 + $0 / 100, using: &generator) }
        }
        #expect(keys(seed: 1) == keys(seed: 1))
        #expect(keys(seed: 1) != keys(seed: 2))
        #expect(keys(seed: 3).enumerated().allSatisfy { (0..<100 + $0 / 100).contains($1) })
        #expect(keys(seed: 4).contains { $0 >= 100 })
    }

    @Test(arguments: [YCSBMix.a, .b, .c, .d, .e, .f])
    func operationsComeInTheirShares(mix: YCSBMix) {
        #expect(mix.shares.reduce(0) { $0 + $1.percent } == 100)
        var generator = SeededGenerator(seed: 8)
        var counts: [YCSBOperation: Int] = [:]
        for _ in 0..<20_000 { counts[mix.next(using: &generator), default: 0] += 1 }
        for operation in YCSBOperation.allCases {
            let share = Double(counts[operation] ?? 0) / 20_000
            #expect(abs(share - mix.share(of: operation)) < 0.02)
        }
    }

    @Test func insertedRecordsCountOnceAllBeforeThemAreStored() {
        let sequence = InsertSequence(records: 10)
        #expect((0..<3).map { _ in sequence.take() } == [10, 11, 12])
        sequence.acknowledge(12)
        sequence.acknowledge(11)
        #expect(sequence.stored == 10)
        sequence.acknowledge(10)
        #expect(sequence.stored == 13)
    }

    @Test func valuesProveWhereTheyBelong() {
        let value = YCSBRecord.value(record: 7, field: 3, stamp: 99, seed: 1)
        #expect(YCSBRecord.stamp(of: value, record: 7, field: 3, seed: 1) == 99)
        #expect(YCSBRecord.stamp(of: value, record: 7, field: 4, seed: 1) == nil)
        #expect(YCSBRecord.stamp(of: value, record: 8, field: 3, seed: 1) == nil)
        #expect(YCSBRecord.stamp(of: value, record: 7, field: 3, seed: 2) == nil)
        var changed = value
        changed[99] ^= 1
        #expect(YCSBRecord.stamp(of: changed, record: 7, field: 3, seed: 1) == nil)
        #expect(YCSBRecord.stamp(of: Array(value.dropLast()), record: 7, field: 3, seed: 1) == nil)
    }
}
