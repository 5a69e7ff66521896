import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct ThroughputIntervalTests {
    @Test func theIntervalHoldsTheMeanAndNarrowsWithMoreSamples() throws {
        var generator = SeededGenerator(seed: 1)
        let samples = (0..<30).map { _ in 100 + generator.nextUnit() }
        let few = try #require(ThroughputInterval(ratesOfEqualTimes: Array(samples.prefix(5))))
        let many = try #require(ThroughputInterval(ratesOfEqualTimes: samples))
        #expect(many.low <= 100.5 && 100.5 <= many.high || many.high - many.low < 0.5)
        #expect(many.high - many.low < few.high - few.low)
        #expect(ThroughputInterval(ratesOfEqualTimes: [1, 2]) == nil)
    }

    /// The times vary by a factor of twenty, like those of single commits.
    @Test(arguments: 0..<50)
    func theThroughputOfEqualCountsLiesInside(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let seconds = (0..<(20 + 3 * Int(seed))).map { _ in
            let unit = generator.nextUnit()
            return 0.001 * (1 + 19 * unit * unit * unit)
        }
        let throughput = Double(seconds.count) / seconds.reduce(0, +)
        let interval = try #require(
            ThroughputInterval(ratesOfEqualCounts: seconds.map { 1 / $0 }))
        #expect(interval.low <= throughput && throughput <= interval.high)
    }

    /// Returns long and short slices. The long ones have the higher rate, as when every hundredth
    /// commit changes a thousand objects.
    private func unequalSlices(_ count: Int, seed: UInt64) -> [ThroughputInterval.Slice] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let isLong = generator.nextUnit() < 0.3
            let seconds = (isLong ? 10 : 1) * (0.5 + generator.nextUnit())
            return .init(operations: (isLong ? 900 : 100) * seconds, seconds: seconds)
        }
    }

    private func throughput(_ slices: [ThroughputInterval.Slice]) -> Double {
        slices.reduce(0) { $0 + $1.operations } / slices.reduce(0) { $0 + $1.seconds }
    }

    @Test(arguments: 0..<20)
    func theThroughputOfUnequalSlicesLiesInside(seed: UInt64) throws {
        let slices = unequalSlices(40 + 5 * Int(seed), seed: seed)
        let throughput = throughput(slices)
        let interval = try #require(ThroughputInterval(slices: slices, seed: seed))
        #expect(interval.low < throughput && throughput < interval.high)
        #expect(ThroughputInterval(slices: slices, seed: seed) == interval)
        // The mean of the rates is about 340, the throughput some 750.
        let rates = slices.map { $0.operations / $0.seconds }
        #expect(try #require(ThroughputInterval(ratesOfEqualTimes: rates)).high < interval.low)
    }

    /// A perfect interval would hold the true rate in 95 of 100 trials. A bootstrap of thirty
    /// values loses some.
    @Test func theIntervalOfUnequalSlicesHoldsTheTrueRate() throws {
        // The true rate: mean operations of a slice divided by its mean seconds.
        let rate = (0.3 * 10 * 900 + 0.7 * 100) / (0.3 * 10 + 0.7)
        let trials = 100
        let hits = try (0..<trials).count { trial in
            let slices = unequalSlices(30, seed: 1000 + UInt64(trial))
            let interval = try #require(ThroughputInterval(slices: slices, seed: 1))
            return interval.low <= rate && rate <= interval.high
        }
        #expect(hits >= 88, "\(hits) of \(trials)")
        #expect(hits <= 99, "\(hits) of \(trials)")
    }

    @Test func equalSlicesHaveTheirRateAndFewHaveNoInterval() throws {
        let slice = ThroughputInterval.Slice(operations: 30, seconds: 2)
        let interval = try #require(
            ThroughputInterval(slices: Array(repeating: slice, count: 50), seed: 3))
        #expect(interval.low == 15 && interval.high == 15)
        #expect(ThroughputInterval(slices: [slice, slice], seed: 3) == nil)
        let idle = ThroughputInterval.Slice(operations: 0, seconds: 0)
        #expect(ThroughputInterval(slices: [slice, slice, idle], seed: 3) == nil)
    }

    @Test func aRateWithoutUpperBoundHasNoInterval() {
        #expect(ThroughputInterval(ratesOfEqualCounts: [1000, 1000, 1]) == nil)
        #expect(ThroughputInterval(ratesOfEqualCounts: [1, 2]) == nil)
    }

    @Test func manySamplesBecomeThirtyGroups() {
        let groups = ThroughputInterval.groups(of: (0..<300).map(Double.init), atMost: 30)
        #expect(groups.count == 30)
        #expect(groups.first == 4.5)
    }
}
