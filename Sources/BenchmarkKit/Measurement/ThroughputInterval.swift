/// A 95 % confidence interval of a rate from equal slices of one run, or from several runs.
public struct ThroughputInterval: Codable, Equatable, Sendable {
    public var low: Double
    public var high: Double

    /// Student's interval around the mean; nil with fewer than three samples. More than 30 samples
    /// are first averaged into 30 groups of neighbours, so that slices which follow each other, and
    /// therefore resemble each other, do not make the interval too narrow.
    public init?(samples: [Double]) {
        let groups = Self.groups(of: samples, atMost: 30)
        guard groups.count >= 3 else { return nil }
        let count = Double(groups.count)
        let mean = groups.reduce(0, +) / count
        let variance = groups.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
        let margin =
            Self.studentQuantile(degrees: groups.count - 1)
            * (variance / count).squareRoot()
        low = max(0, mean - margin)
        high = mean + margin
    }

    static func groups(of samples: [Double], atMost limit: Int) -> [Double] {
        guard samples.count > limit else { return samples }
        return (0..<limit).map { group in
            let part = samples[
                group * samples.count / limit..<(group + 1) * samples.count / limit]
            return part.reduce(0, +) / Double(part.count)
        }
    }

    /// Two-sided 95 % quantile of Student's distribution.
    static func studentQuantile(degrees: Int) -> Double {
        let table = [
            12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
            2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
            2.060, 2.056, 2.052, 2.048, 2.045,
        ]
        return degrees <= table.count ? table[max(0, degrees - 1)] : 1.960
    }
}
