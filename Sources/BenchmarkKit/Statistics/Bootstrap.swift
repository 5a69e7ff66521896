import ToolSupport

/// The 95 % interval of a ratio.
struct RatioInterval: Codable, Equatable, Sendable {
    var low: Double
    var high: Double
}

/// The percentile bootstrap (Efron, 1979): resamples with replacement and takes the middle 95 % of
/// the resulting ratios. The same seed gives the same interval.
enum Bootstrap {
    static let resamples = 2000

    /// Returns the interval of median(`numerator`) / median(`denominator`). Each side is resampled
    /// separately. All values must be above 0.
    static func ratioOfMedians(
        _ numerator: [Double], over denominator: [Double], resamples: Int = resamples,
        seed: UInt64
    ) -> RatioInterval {
        var generator = SeededGenerator(seed: seed)
        let numerator = numerator.sorted()
        let denominator = denominator.sorted()
        var ratios: [Double] = []
        ratios.reserveCapacity(resamples)
        for _ in 0..<resamples {
            let above = medianOfResample(numerator, &generator)
            ratios.append(above / medianOfResample(denominator, &generator))
        }
        return middle(of: ratios)
    }

    /// Returns the interval of the sum of all `above` / the sum of all `below`. Pairs are resampled
    /// whole. Every `below` must be above 0.
    static func ratioOfSums(
        _ pairs: [(above: Double, below: Double)], resamples: Int = resamples, seed: UInt64
    ) -> RatioInterval {
        var generator = SeededGenerator(seed: seed)
        return middle(
            of: (0..<resamples).map { _ in
                var above = 0.0
                var below = 0.0
                for _ in pairs {
                    let drawn = pairs[generator.next(below: pairs.count)]
                    above += drawn.above
                    below += drawn.below
                }
                return above / below
            })
    }

    private static func middle(of ratios: [Double]) -> RatioInterval {
        let sorted = ratios.sorted()
        return RatioInterval(
            low: Quantiles.quantile(0.025, ofSorted: sorted),
            high: Quantiles.quantile(0.975, ofSorted: sorted))
    }

    /// Returns the median of `sorted.count` values drawn with replacement. It counts how often each
    /// value is drawn, which avoids sorting the resample.
    private static func medianOfResample(
        _ sorted: [Double], _ generator: inout SeededGenerator
    ) -> Double {
        let count = sorted.count
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { drawn in
            drawn.initialize(repeating: 0)
            for _ in 0..<count { drawn[generator.next(below: count)] += 1 }
            var position = 0
            var seen = drawn[0]
            while seen <= (count - 1) / 2 {
                position += 1
                seen += drawn[position]
            }
            let lower = sorted[position]
            while seen <= count / 2 {
                position += 1
                seen += drawn[position]
            }
            return (lower + sorted[position]) / 2
        }
    }
}
