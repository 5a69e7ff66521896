/// A 95 % confidence interval of a rate, from slices of one run or from several runs.
///
/// The throughput of a run is its operations divided by its time. Over slices of equal time it is
/// the mean of the slices' rates. Over slices of equal count it is the inverse of the mean time of
/// one operation. Over other slices it is the ratio of two sums. Each kind of slice therefore has
/// its own initializer, which places the interval around the reported throughput.
public struct ThroughputInterval: Codable, Equatable, Sendable {
    public var low: Double
    public var high: Double

    /// Creates an interval that was computed before.
    init(low: Double, high: Double) { (self.low, self.high) = (low, high) }

    /// Computes Student's t interval (Student, 1908) around the mean of the rates; nil with fewer
    /// than three.
    public init?(ratesOfEqualTimes rates: [Double]) {
        guard let (mean, margin) = Self.student(rates) else { return nil }
        low = max(0, mean - margin)
        high = mean + margin
    }

    /// Computes the inverse of Student's t interval (Student, 1908) around the mean seconds of one
    /// operation. Nil with fewer than three rates, or if the seconds vary so much that the rate has
    /// no upper bound.
    public init?(ratesOfEqualCounts rates: [Double]) {
        guard rates.allSatisfy({ $0 > 0 }), let (mean, margin) = Self.student(rates.map { 1 / $0 }),
            margin < mean
        else { return nil }
        low = 1 / (mean + margin)
        high = 1 / (mean - margin)
    }

    /// A slice of a run.
    struct Slice: Equatable {
        var operations: Double
        /// The measured seconds of the slice.
        var seconds: Double
    }

    /// Computes the bootstrap interval (Efron, 1979) of all operations divided by all seconds, from
    /// slices of any length. Slices are resampled whole, so that an expensive one keeps its time.
    ///
    /// More than 30 slices are first combined into 30 groups of consecutive ones, for the same
    /// reason as rates are averaged. With few groups the interval tends to be too narrow, as
    /// percentile bootstrap intervals do. Nil with fewer than three groups, or if a group took no
    /// time.
    init?(slices: [Slice], seed: UInt64) {
        let groups = Self.parts(of: slices, atMost: Self.groupLimit).map { part in
            part.reduce(into: Slice(operations: 0, seconds: 0)) {
                $0.operations += $1.operations
                $0.seconds += $1.seconds
            }
        }
        guard groups.count >= 3, groups.allSatisfy({ $0.seconds > 0 }) else { return nil }
        let interval = Bootstrap.ratioOfSums(
            groups.map { (above: $0.operations, below: $0.seconds) }, seed: seed)
        low = interval.low
        high = interval.high
    }

    /// Returns the mean of all samples and half the width of the interval. More than 30 samples are
    /// first averaged into 30 batches of consecutive ones (batch means; Law and Carson, 1979):
    /// consecutive slices are correlated and would make the interval too narrow.
    private static func student(_ samples: [Double]) -> (mean: Double, margin: Double)? {
        let groups = groups(of: samples, atMost: groupLimit)
        guard groups.count >= 3 else { return nil }
        let count = Double(groups.count)
        let center = groups.reduce(0, +) / count
        let variance = groups.reduce(0) { $0 + ($1 - center) * ($1 - center) } / (count - 1)
        let margin = studentQuantiles[groups.count - 2] * (variance / count).squareRoot()
        // The mean is that of the samples, since the groups may differ in size by one sample.
        return (samples.reduce(0, +) / Double(samples.count), margin)
    }

    static func groups(of samples: [Double], atMost limit: Int) -> [Double] {
        parts(of: samples, atMost: limit).map { $0.reduce(0, +) / Double($0.count) }
    }

    /// Returns groups of consecutive samples whose sizes differ by at most one.
    private static func parts<Sample>(of samples: [Sample], atMost limit: Int)
        -> [ArraySlice<Sample>]
    {
        let count = min(samples.count, limit)
        return (0..<count).map { part in
            samples[part * samples.count / count..<(part + 1) * samples.count / count]
        }
    }

    private static var groupLimit: Int { studentQuantiles.count + 1 }

    /// The two-sided 95 % quantiles of Student's t distribution for 1 to 29 degrees of freedom.
    private static let studentQuantiles = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
        2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
        2.060, 2.056, 2.052, 2.048, 2.045,
    ]
}
