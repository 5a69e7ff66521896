/// The second statistic of the timed gate: the share of a process's timed intervals that took more
/// than twice their median (``LatencySummary/slowShare``).
///
/// The first statistic, a low quantile, does not see a slowdown that strikes one interval in a
/// hundred. A high quantile would, but so do the interruptions of a shared machine, which are as
/// long as they like. A count is as wrong for a long interruption as for a short one. It does not
/// see a uniform slowdown, nor one that makes an interval less than twice as long.
struct TailPolicy: Equatable, Sendable {
    /// The smallest difference of the shares that matters: half of one in a hundred.
    var threshold = 0.005
    /// The largest noise floor of a gated row, above which one in a hundred would not clear twice
    /// the floor by much.
    var largestNoiseFloor = 0.003
    /// The number of noise floors that a difference has to exceed.
    var floorsOfEffect = 2.0
    /// The significance level of the rank test after Holm's correction.
    var significance = 0.01

    /// Whether shares show more slow intervals. `p` is corrected by Holm's procedure.
    func isSlower(_ samples: TimedSamples, correctedP p: Double, noiseFloor: Double) -> Bool {
        let difference = samples.difference
        return difference > threshold && difference > floorsOfEffect * noiseFloor
            && p < significance
    }

    func qualifies(noiseFloor: Double) -> Bool { noiseFloor <= largestNoiseFloor }
}

extension TimedSamples {
    /// The difference of the medians; above 0 the newer build's are larger.
    var difference: Double { Quantiles.median(after) - Quantiles.median(before) }
}

/// What was measured of a row: the times of its operations, and the shares of slow intervals.
struct TimedMeasurement: Equatable, Sendable {
    var times: TimedSamples
    /// Nil if a build does not tell them, or has too few intervals.
    var tails: TimedSamples?
}

extension TimedMeasurement {
    /// Creates the measurement from the processes of each side, in the order in which they ran.
    init(of before: [TimedRun], _ after: [TimedRun]) {
        times = TimedSamples(
            ofProcesses: before.map(TimedStatistic.value), after.map(TimedStatistic.value))
        let shares = [before, after].map { $0.compactMap(\.report.slowShare) }
        guard shares[0].count == before.count, shares[1].count == after.count else { return }
        tails = TimedSamples(ofProcesses: shares[0], shares[1])
    }
}
