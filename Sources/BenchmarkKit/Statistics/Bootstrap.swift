/// A 95 % interval of a ratio.
struct RatioInterval: Codable, Equatable, Sendable {
    var low: Double
    var high: Double
}

/// The percentile bootstrap: resamples with replacement and takes the middle 95 % of the ratios
/// that come out. The same seed gives the same interval.
enum Bootstrap {
    static let resamples = 2000

    /// Of median(`numerator`) / median(`denominator`), each side resampled by itself. All values
    /// above 0.
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

    /// Of the sum of all `above` / the sum of all `below`; pairs are drawn whole. Every `below`
    /// above 0.
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

    /// The median of as many values drawn with replacement: counts how often each is drawn, which
    /// spares sorting them.
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
