/// A 95 % confidence interval of a rate from slices of one run, or from several runs.
///
/// The throughput of a run is its operations by its time. Over slices of equal time that is the
/// mean of their rates; over slices of equal count it is not: there the mean of the times of one
/// operation is its inverse; over slices that are equal in neither it is the ratio of two sums.
/// Each kind of slice therefore has an initialiser of its own, so that the interval is around the
/// throughput that it stands beside.
public struct ThroughputInterval: Codable, Equatable, Sendable {
    public var low: Double
    public var high: Double

    /// Student's interval around the mean of the rates; nil with fewer than three.
    public init?(ratesOfEqualTimes rates: [Double]) {
        guard let (mean, margin) = Self.student(rates) else { return nil }
        low = max(0, mean - margin)
        high = mean + margin
    }

    /// The inverse of Student's interval around the mean of the seconds per operation; nil with
    /// fewer than three rates, or if the seconds scatter so much that the rate has no upper bound.
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
        /// Of the time that counts.
        var seconds: Double
    }

    /// The bootstrap interval of all operations by all seconds, of slices of any length. Slices are
    /// drawn whole, so that an expensive one brings its time along.
    ///
    /// More than 30 are first added up into 30 groups of neighbours, for the same reason as rates
    /// are averaged. With few groups the interval is rather too narrow than too wide, as percentile
    /// bootstraps are; nil with fewer than three, or if a group took no time.
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

    /// The mean of all samples, and how far from it the interval reaches. More than 30 samples are
    /// first averaged into 30 groups of neighbours, so that slices which follow each other, and
    /// therefore resemble each other, do not make the interval too narrow.
    private static func student(_ samples: [Double]) -> (mean: Double, margin: Double)? {
        let groups = groups(of: samples, atMost: groupLimit)
        guard groups.count >= 3 else { return nil }
        let count = Double(groups.count)
        let center = groups.reduce(0, +) / count
        let variance = groups.reduce(0) { $0 + ($1 - center) * ($1 - center) } / (count - 1)
        let margin = studentQuantiles[groups.count - 2] * (variance / count).squareRoot()
        // Not that of the groups, which may differ in size by one sample.
        return (samples.reduce(0, +) / Double(samples.count), margin)
    }

    static func groups(of samples: [Double], atMost limit: Int) -> [Double] {
        parts(of: samples, atMost: limit).map { $0.reduce(0, +) / Double($0.count) }
    }

    /// Neighbours together, in parts that differ in size by one at most.
    private static func parts<Sample>(of samples: [Sample], atMost limit: Int)
        -> [ArraySlice<Sample>]
    {
        let count = min(samples.count, limit)
        return (0..<count).map { part in
            samples[part * samples.count / count..<(part + 1) * samples.count / count]
        }
    }

    private static var groupLimit: Int { studentQuantiles.count + 1 }

    /// Two-sided 95 % quantiles of Student's distribution for 1 to 29 degrees of freedom.
    private static let studentQuantiles = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
        2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
        2.060, 2.056, 2.052, 2.048, 2.045,
    ]
}
