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
        var ratios: [Double] = []
        ratios.reserveCapacity(resamples)
        var upper = numerator
        var lower = denominator
        for _ in 0..<resamples {
            for index in upper.indices {
                upper[index] = numerator[generator.next(below: numerator.count)]
            }
            for index in lower.indices {
                lower[index] = denominator[generator.next(below: denominator.count)]
            }
            ratios.append(Quantiles.median(upper) / Quantiles.median(lower))
        }
        ratios.sort()
        return RatioInterval(
            low: Quantiles.quantile(0.025, ofSorted: ratios),
            high: Quantiles.quantile(0.975, ofSorted: ratios))
    }
}
