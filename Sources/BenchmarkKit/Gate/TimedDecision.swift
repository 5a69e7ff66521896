import Foundation

/// The rule by which the gate calls a row slower; `selftest` tests the same rule.
struct TimedPolicy: Codable, Equatable, Sendable {
    /// The number of consecutive processes whose minimum is one sample. On a shared core a fifth of
    /// the processes or more, of either side, are slow from beginning to end. As samples of their
    /// own they would decide the rank test; in a minimum of two they rarely count.
    static let processesOfSample = 2
    /// The smallest number of processes on each side, which makes ten samples.
    static let fewestRuns = 10 * processesOfSample

    /// The number of processes on each side; a multiple of ``processesOfSample``. With only ten
    /// samples, one slow sample of the faster side raises the corrected p above its limit.
    var runs = 30
    /// The smallest slowdown that matters: the lower end of the ratio's interval has to exceed 1 +
    /// this.
    var threshold = 0.03
    /// The significance level of the rank test after Holm's correction (Holm, 1979).
    var significance = 0.01
    /// The largest noise floor of a gated row.
    var largestNoiseFloor = 0.04
    /// The number of noise floors that an effect has to exceed.
    var floorsOfEffect = 2.0

    /// The number of rounds of `selftest` that a trial with its rerun takes.
    var roundsOfTrial: Int { 2 * runs }
    /// The number of rounds from which a noise floor is kept, a few more than a trial takes so that
    /// the draws differ.
    var roundsOfFloor: Int { roundsOfTrial + 4 }
}

/// The samples of one row from processes of two builds.
struct TimedSamples: Equatable, Sendable {
    var before: [Double]
    var after: [Double]

    /// The ratio of the medians; above 1 the newer build is slower.
    var ratio: Double { Quantiles.median(after) / Quantiles.median(before) }

    /// The two-sided p of the rank test (Mann and Whitney, 1947), before correction.
    var p: Double { MannWhitney.test(after, before).p }

    /// The number of values outside Tukey's fences of their own side (Tukey, 1977).
    var outliers: Int {
        [before, after].reduce(0) { count, side in
            let fences = TukeyFences(side)
            return count + side.count { fences.classify($0) != .none }
        }
    }

    /// The larger of the two sides' relative median absolute deviations.
    var spread: Double {
        [before, after].map {
            Quantiles.medianAbsoluteDeviation($0) / Quantiles.median($0)
        }.max()!
    }

    func interval(seed: UInt64) -> RatioInterval {
        Bootstrap.ratioOfMedians(after, over: before, seed: seed)
    }
}

extension TimedSamples {
    /// Creates samples from the measurements of each side's processes, in the order in which they
    /// ran.
    init(ofProcesses before: [Double], _ after: [Double]) {
        self.before = Self.samples(before)
        self.after = Self.samples(after)
    }

    private static func samples(_ processes: [Double]) -> [Double] {
        stride(from: 0, to: processes.count, by: TimedPolicy.processesOfSample).map { first in
            processes[first..<min(first + TimedPolicy.processesOfSample, processes.count)].min()!
        }
    }
}

extension TimedPolicy {
    /// Whether one set of samples shows a slowdown. `p` is corrected by Holm's procedure. The cheap
    /// conditions come before the bootstrap.
    func isSlower(
        _ samples: TimedSamples, correctedP p: Double, noiseFloor: Double, seed: UInt64
    ) -> Bool {
        let effect = samples.ratio - 1
        guard effect > threshold, effect > floorsOfEffect * noiseFloor, p < significance else {
            return false
        }
        return samples.interval(seed: seed).low > 1 + threshold
    }

    /// Returns this policy with as many processes on each side as that number of `selftest` rounds
    /// allows.
    func fitting(rounds: Int) -> TimedPolicy {
        var policy = self
        let most = (rounds - (roundsOfFloor - roundsOfTrial)) / 2
        policy.runs = min(
            runs, max(Self.fewestRuns, most / Self.processesOfSample * Self.processesOfSample))
        return policy
    }

    /// Returns what is wrong with a requested number of processes, or nil.
    static func problem(withRuns runs: Int) -> String? {
        runs < fewestRuns || !runs.isMultiple(of: processesOfSample)
            ? "--runs must be an even number from \(fewestRuns) on." : nil
    }

    func qualifies(noiseFloor: Double) -> Bool { noiseFloor <= largestNoiseFloor }
}

/// The verdict of the gate on a row.
enum TimedVerdict: String, Sendable {
    /// All conditions hold, and a rerun agrees.
    case slower
    /// The interval lies below the threshold, so no slowdown matters.
    case steady
    /// The row is too noisy to decide.
    case inconclusive
    case notGated = "not gated"
}

/// The decision over all rows together, which the correction for multiple tests needs.
struct TimedDecision {
    struct Row: Sendable {
        var caseId: String
        var measured: TimedMeasurement
        /// The stored noise floor; nil if there is none.
        var noiseFloor: Double?
        /// That of the shares of slow intervals.
        var tailFloor: Double?

        var samples: TimedSamples { measured.times }
    }

    struct Outcome: Sendable {
        var caseId: String
        var ratio: Double
        var spread: Double
        var outliers: Int
        var interval: RatioInterval
        var correctedP: Double
        var noiseFloor: Double?
        var verdict: TimedVerdict
        /// The ratio of the rerun; nil if there was none.
        var rerunRatio: Double?
        var tail = Tail()
    }

    /// What came of the shares of slow intervals.
    struct Tail: Sendable {
        /// By how much the share is larger than before; nil if it was not measured.
        var difference: Double?
        var noiseFloor: Double?
        var correctedP = 1.0
        var verdict = TimedVerdict.notGated
        /// The difference in the rerun; nil if there was none.
        var rerun: Double?
    }

    let policy: TimedPolicy
    var tailPolicy = TailPolicy()
    let seed: UInt64

    /// Judges all rows; `rerun` measures the rows with the given identifiers again. The correction
    /// is for all tests of both statistics together.
    func outcomes(
        of rows: [Row], rerun: (_ caseIds: [String]) throws -> [String: TimedMeasurement]
    ) throws -> [Outcome] {
        var outcomes = firstOutcomes(of: rows)
        let suspicious = rows.indices.filter { index in
            let outcome = outcomes[index]
            return outcome.verdict == .slower || outcome.tail.verdict == .slower
        }
        guard !suspicious.isEmpty else { return outcomes }
        let again = try rerun(suspicious.map { rows[$0].caseId })
        // The tests of the rerun: those that were suspicious, of either statistic.
        let times = suspicious.filter { outcomes[$0].verdict == .slower }.compactMap { index in
            again[rows[index].caseId].map { (index, $0.times) }
        }
        let tails = suspicious.filter { outcomes[$0].tail.verdict == .slower }
            .compactMap { index in again[rows[index].caseId]?.tails.map { (index, $0) } }
        for index in suspicious {
            if outcomes[index].verdict == .slower { outcomes[index].verdict = .inconclusive }
            if outcomes[index].tail.verdict == .slower {
                outcomes[index].tail.verdict = .inconclusive
            }
        }
        let corrected = Holm.adjusted((times + tails).map { $0.1.p })
        for ((index, samples), p) in zip(times, corrected) {
            outcomes[index].rerunRatio = samples.ratio
            let agrees = policy.isSlower(
                samples, correctedP: p, noiseFloor: rows[index].noiseFloor!, seed: seed &+ 1)
            if agrees { outcomes[index].verdict = .slower }
        }
        for ((index, samples), p) in zip(tails, corrected.dropFirst(times.count)) {
            outcomes[index].tail.rerun = samples.difference
            let agrees = tailPolicy.isSlower(
                samples, correctedP: p, noiseFloor: rows[index].tailFloor!)
            if agrees { outcomes[index].tail.verdict = .slower }
        }
        return outcomes
    }

    /// Judges the first measurement; `slower` stands for what a rerun has to confirm.
    private func firstOutcomes(of rows: [Row]) -> [Outcome] {
        var outcomes = rows.map { row in
            Outcome(
                caseId: row.caseId, ratio: row.samples.ratio, spread: row.samples.spread,
                outliers: row.samples.outliers,
                interval: row.samples.interval(seed: seed), correctedP: 1,
                noiseFloor: row.noiseFloor, verdict: .notGated)
        }
        let gated = rows.indices.filter { index in
            rows[index].noiseFloor.map(policy.qualifies) ?? false
        }
        let tails = rows.indices.compactMap { index -> (Int, TimedSamples)? in
            guard let samples = rows[index].measured.tails else { return nil }
            outcomes[index].tail.difference = samples.difference
            outcomes[index].tail.noiseFloor = rows[index].tailFloor
            let isGated = rows[index].tailFloor.map(tailPolicy.qualifies) ?? false
            return isGated ? (index, samples) : nil
        }
        let corrected = Holm.adjusted(gated.map { rows[$0].samples.p } + tails.map { $0.1.p })
        for (index, p) in zip(gated, corrected) {
            outcomes[index].correctedP = p
            let isSlower = policy.isSlower(
                rows[index].samples, correctedP: p, noiseFloor: rows[index].noiseFloor!,
                seed: seed)
            let isSteady = outcomes[index].interval.high <= 1 + policy.threshold
            outcomes[index].verdict = isSlower ? .slower : isSteady ? .steady : .inconclusive
        }
        for ((index, samples), p) in zip(tails, corrected.dropFirst(gated.count)) {
            outcomes[index].tail.correctedP = p
            let isSlower = tailPolicy.isSlower(
                samples, correctedP: p, noiseFloor: rows[index].tailFloor!)
            let isSteady = samples.difference <= tailPolicy.threshold
            outcomes[index].tail.verdict = isSlower ? .slower : isSteady ? .steady : .inconclusive
        }
        return outcomes
    }
}

extension TimedDecision.Outcome {
    /// The outcome for other programs.
    var entry: GateReport.Entry {
        let text =
            "\(verdict.rawValue): "
            + String(
                format: "%.3f times the time, interval %.3f to %.3f.", ratio, interval.low,
                interval.high)
        if tail.verdict == .slower {
            let slow =
                String(format: "%.2f percentage points more ", (tail.difference ?? 0) * 100)
                + "operations take more than twice the usual time."
            return GateReport.Entry(
                caseId: caseId, status: .failed,
                reasons: verdict == .slower ? [text, slow] : [slow])
        }
        switch verdict {
        case .slower: return GateReport.Entry(caseId: caseId, status: .failed, reasons: [text])
        case .steady: return GateReport.Entry(caseId: caseId, status: .passed)
        case .inconclusive, .notGated:
            return GateReport.Entry(caseId: caseId, status: .skipped, reasons: [text])
        }
    }
}
