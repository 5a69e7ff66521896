import Foundation
import Testing

@testable import BenchmarkKit

/// Values computed by numpy and scipy, with `Reference/statistics_reference.py`.
private struct Reference: Decodable {
    struct Order: Decodable {
        var values: [Double]
        var median: Double
        var quantiles: [[Double]]
        var mad: Double
    }

    struct Resampling: Decodable {
        var numerator, denominator: [Double]
        var resamples: Int
        var seed: UInt64
        var low, high: Double
    }

    struct ResamplingOfSums: Decodable {
        var pairs: [[Double]]
        var resamples: Int
        var seed: UInt64
        var low, high: Double
    }

    struct RankTest: Decodable {
        var first, second: [Double]
        var u, p: Double
    }

    struct Correction: Decodable { var p, adjusted: [Double] }

    struct Fences: Decodable {
        var values: [Double]
        var lowMild, lowSevere, highMild, highSevere: Double
    }

    struct Proportion: Decodable {
        var hits, trials: Int
        var low, high: Double
    }

    struct Beta: Decodable { var x, a, b, cumulative: Double }

    var order: [Order]
    var bootstrap: [Resampling]
    var bootstrapOfSums: [ResamplingOfSums]
    var mannWhitney: [RankTest]
    var holm: [Correction]
    var tukey: [Fences]
    var binomial: [Proportion]
    var beta: [Beta]

    static func load() throws -> Reference {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Reference/statistics_reference.json")
        return try BenchmarkKit.Suite.decoder.decode(Reference.self, from: Data(contentsOf: file))
    }
}

@Suite struct StatisticsTests {
    private let reference: Reference

    init() throws { reference = try Reference.load() }

    private func isClose(_ value: Double, _ expected: Double, _ tolerance: Double = 1e-9) -> Bool {
        abs(value - expected) <= tolerance * max(abs(expected), 1e-12)
    }

    @Test func orderStatisticsAreThoseOfNumpy() {
        for sample in reference.order {
            #expect(isClose(Quantiles.median(sample.values), sample.median))
            #expect(
                isClose(Quantiles.medianAbsoluteDeviation(sample.values), sample.mad)
                    || abs(sample.mad) < 1e-9)
            for pair in sample.quantiles {
                #expect(isClose(Quantiles.quantile(pair[0], of: sample.values), pair[1]))
            }
        }
    }

    @Test func theBootstrapResamplesAsNumpyWould() {
        for sample in reference.bootstrap {
            let interval = Bootstrap.ratioOfMedians(
                sample.numerator, over: sample.denominator, resamples: sample.resamples,
                seed: sample.seed)
            #expect(isClose(interval.low, sample.low))
            #expect(isClose(interval.high, sample.high))
        }
    }

    @Test func theBootstrapDrawsPairsAsNumpyWould() {
        for sample in reference.bootstrapOfSums {
            let interval = Bootstrap.ratioOfSums(
                sample.pairs.map { (above: $0[0], below: $0[1]) }, resamples: sample.resamples,
                seed: sample.seed)
            #expect(isClose(interval.low, sample.low))
            #expect(isClose(interval.high, sample.high))
        }
    }

    @Test func theRankTestIsThatOfScipy() {
        for sample in reference.mannWhitney {
            let outcome = MannWhitney.test(sample.first, sample.second)
            #expect(outcome.u == sample.u)
            #expect(isClose(outcome.p, sample.p), "\(outcome.p) \(sample.p)")
        }
    }

    @Test func equalSamplesDoNotDiffer() {
        let outcome = MannWhitney.test([2, 2, 2], [2, 2, 2])
        #expect(outcome.p == 1)
    }

    @Test func manyHypothesesAreCorrected() {
        for sample in reference.holm {
            for (own, expected) in zip(Holm.adjusted(sample.p), sample.adjusted) {
                #expect(isClose(own, expected))
            }
        }
    }

    @Test func outliersAreClassified() {
        for sample in reference.tukey {
            let fences = TukeyFences(sample.values)
            #expect(isClose(fences.lowMild, sample.lowMild))
            #expect(isClose(fences.lowSevere, sample.lowSevere))
            #expect(isClose(fences.highMild, sample.highMild))
            #expect(isClose(fences.highSevere, sample.highSevere))
        }
        let fences = TukeyFences([1, 2, 3, 4, 5])
        // The quartiles are 2 and 4.
        #expect(fences.classify(-1) == .none)
        #expect(fences.classify(-1.1) == .lowMild)
        #expect(fences.classify(-4.1) == .lowSevere)
        #expect(fences.classify(7.1) == .highMild)
        #expect(fences.classify(10.1) == .highSevere)
    }

    @Test func proportionsHaveExactIntervals() {
        for sample in reference.binomial {
            let interval = BinomialInterval(hits: sample.hits, trials: sample.trials)
            #expect(isClose(interval.low, sample.low, 1e-7), "\(interval) \(sample)")
            #expect(isClose(interval.high, sample.high, 1e-7), "\(interval) \(sample)")
        }
        for point in reference.beta {
            #expect(
                isClose(
                    BetaDistribution.cumulative(point.x, point.a, point.b), point.cumulative,
                    1e-9))
        }
    }
}
