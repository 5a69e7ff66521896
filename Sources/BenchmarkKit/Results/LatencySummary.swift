/// The percentiles of one kind of duration, in microseconds.
public struct LatencySummary: Codable, Equatable, Sendable {
    public var p50, p90, p99, p999, p9999, max: Double
    /// The 10th percentile, which interruptions hardly affect.
    public var p10: Double?
    /// The share of durations that are more than twice the median; nil where too few were measured.
    public var slowShare: Double?
    /// The fewest durations of which ``slowShare`` is told: one in a hundred is two of them.
    static let fewestForSlowShare = 200
    /// How many durations were measured. Operations of one transaction share one.
    public var samples: Int?

    /// Returns the percentiles of one operation from those of batches of `operations` operations.
    func divided(by operations: Double) -> LatencySummary {
        LatencySummary(
            p50: p50 / operations, p90: p90 / operations, p99: p99 / operations,
            p999: p999 / operations, p9999: p9999 / operations, max: max / operations,
            p10: p10.map { $0 / operations }, slowShare: slowShare, samples: samples)
    }
}
