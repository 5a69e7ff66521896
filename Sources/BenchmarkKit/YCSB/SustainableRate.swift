/// The search for the highest rate of operations whose latency stays under a limit: bisection
/// between none and what was reached without a schedule.
struct SustainableRate {
    /// Of the intended latency, in microseconds.
    static let limitP99 = 1000.0
    /// Slices at a target rate after the one without: the last step is 1/256 of the rate without.
    static let steps = 8
    /// A slice that did less than this share of what was due fell behind.
    static let leastShare = 0.98

    /// What one slice at a rate showed.
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
    /// The best that passed.
    private(set) var best: Trial?

    init(unthrottled: Double) { high = unthrottled }

    /// The next rate to try.
    var target: Double { (low + high) / 2 }

    mutating func record(_ trial: Trial) {
        if trial.passes {
            low = trial.target
            best = trial
        } else {
            high = trial.target
        }
    }

    /// 0 if no rate that was tried passed.
    var operationsPerSecond: Double { best?.achieved ?? 0 }
}
