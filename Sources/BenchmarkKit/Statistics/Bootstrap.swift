/// A 95 % interval of a ratio.
struct RatioInterval: Codable, Equatable, Sendable {
    var low: Double
    var high: Double
}

/// The percentile bootstrap: resamples both sides with replacement, takes the middle 95 % of the
/// ratios of their medians. The same seed gives the same interval.
enum Bootstrap {
    static let resamples = 2000

    /// Of median(`numerator`) / median(`denominator`). All values above 0.
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
        ratios.sort()
        return RatioInterval(
            low: Quantiles.quantile(0.025, ofSorted: ratios),
            high: Quantiles.quantile(0.975, ofSorted: ratios))
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
