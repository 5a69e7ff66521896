import ToolSupport

/// The search for the highest rate of operations whose latency stays below a limit, by bisection
/// between 0 and the rate without a schedule.
struct SustainableRate {
    /// The limit of the 99th percentile of the intended latency, in microseconds.
    static let limitP99 = 1000.0
    /// The number of slices with a target rate, after the one without; the resolution is 1/256 of
    /// the rate without a schedule.
    static let steps = 8
    /// The smallest acceptable ratio of the achieved rate to the target rate.
    static let leastShare = 0.98

    /// The result of one slice at a target rate.
    struct Trial: Equatable {
        var target: Double
        var achieved: Double
        var p99: Double

        var passes: Bool {
            p99 <= SustainableRate.limitP99 && achieved >= target * SustainableRate.leastShare
        }
    }

    private var low = 0.0
    private var high: Double
    /// The trial with the highest rate that passed.
    private(set) var best: Trial?
    /// The trial with the lowest rate that did not pass.
    private(set) var lowestFailed: Trial?

    init(unthrottled: Double) { high = unthrottled }

    /// The next rate to try.
    var target: Double { (low + high) / 2 }

    mutating func record(_ trial: Trial) {
        if trial.passes {
            low = trial.target
            best = trial
        } else {
            high = trial.target
            lowestFailed = trial
        }
    }

    /// Why no rate was found, as a sentence; nil if one was.
    var reason: String? {
        guard best == nil, let lowestFailed else { return nil }
        return
            "No rate has a p99 under \(Display.number(Self.limitP99)) us. At the lowest one tried, "
            + "\(Display.number(lowestFailed.target))/s, it was "
            + "\(Display.number(lowestFailed.p99)) us at "
            + "\(Display.number(lowestFailed.achieved))/s."
    }

    /// The highest rate achieved; 0 if no trial passed.
    var operationsPerSecond: Double { best?.achieved ?? 0 }
}
