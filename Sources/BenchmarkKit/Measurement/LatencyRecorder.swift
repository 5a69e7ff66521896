import Histogram

/// A histogram of durations in nanoseconds, exact to three significant digits, from 1 ns to 10
/// minutes. Recording does not allocate.
struct LatencyRecorder {
    private var histogram = Histogram<UInt64>(
        lowestDiscernibleValue: 1, highestTrackableValue: longest,
        numberOfSignificantValueDigits: .three)
    private static let longest: UInt64 = 600 * 1_000_000_000

    var count: UInt64 { histogram.totalCount }
    /// How many durations were recorded, each once, whatever it counts for.
    private var recordings = 0

    mutating func record(_ nanoseconds: UInt64, count: UInt64 = 1) {
        histogram.record(min(max(nanoseconds, 1), Self.longest), count: count)
        recordings += 1
    }

    mutating func reset() {
        histogram.reset()
        recordings = 0
    }

    mutating func add(_ other: LatencyRecorder) {
        histogram.add(other.histogram)
        recordings += other.recordings
    }

    /// Returns a percentile in microseconds; nil if nothing was recorded.
    func percentile(_ percent: Double) -> Double? {
        guard count > 0 else { return nil }
        return Double(histogram.valueAtPercentile(percent)) / 1000
    }

    /// The distribution for `CaseOutcome.histograms`.
    var distribution: HistogramData {
        HistogramData(
            histogram.recordedValues().map {
                (nanoseconds: Double(min($0.value, histogram.max)), count: $0.count)
            })
    }

    func summary() -> LatencySummary? {
        guard count > 0 else { return nil }
        return LatencySummary(
            p50: percentile(50)!, p90: percentile(90)!, p99: percentile(99)!,
            p999: percentile(99.9)!, p9999: percentile(99.99)!,
            max: Double(histogram.max) / 1000, p10: percentile(10), slowShare: slowShare,
            samples: recordings)
    }

    private var slowShare: Double? {
        guard recordings >= LatencySummary.fewestForSlowShare else { return nil }
        let limit = 2 * histogram.valueAtPercentile(50)
        let slow = histogram.recordedValues().reduce(0) { $0 + ($1.value > limit ? $1.count : 0) }
        return Double(slow) / Double(count)
    }
}

/// The encoding as the number of durations and pairs of a value and its count, to be merged with
/// the histograms of other processes.
extension LatencyRecorder: Codable {
    init(from decoder: any Decoder) throws {
        self.init()
        var container = try decoder.unkeyedContainer()
        let recordings = try container.decode(Int.self)
        defer { self.recordings = recordings }
        while !container.isAtEnd {
            let value = try container.decode(UInt64.self)
            record(value, count: try container.decode(UInt64.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(recordings)
        for recorded in histogram.recordedValues() {
            try container.encode(min(recorded.value, histogram.max))
            try container.encode(recorded.count)
        }
    }
}
