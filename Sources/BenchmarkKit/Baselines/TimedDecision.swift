/// When a row counts as slower: the rule of the gate, which `selftest` tries on itself.
struct TimedPolicy: Codable, Equatable, Sendable {
    /// The quicker one of so many processes in a row is one sample. On a shared core, a fifth of the
    /// processes and more are slow from beginning to end, of either side: as samples of their own
    /// they decide the rank test, as one of two they hardly ever count.
    static let processesOfSample = 2
    /// The fewest processes of each side: ten samples.
    static let fewestRuns = 10 * processesOfSample

    /// Processes of each side; a multiple of ``processesOfSample``. With ten samples, one slow one
    /// on the quick side takes the corrected rank test above its limit.
    var runs = 30
    /// The lower end of the ratio's interval has to be above 1 + this.
    var threshold = 0.03
    /// Of the rank test after Holm's correction.
    var significance = 0.01
    /// Rows with a noise floor above this are not gated.
    var largestNoiseFloor = 0.04
    /// How many noise floors an effect has to be.
    var floorsOfEffect = 2.0

    /// Rounds of `selftest` that a trial with its rerun takes.
    var roundsOfTrial: Int { 2 * runs }
    /// Rounds from which a noise floor is kept: a few more, so that draws differ.
    var roundsOfFloor: Int { roundsOfTrial + 4 }
}

/// Times of one row from processes of two builds: the samples of both.
struct TimedSamples: Equatable, Sendable {
    var before: [Double]
    var after: [Double]

    /// Above 1: slower.
    var ratio: Double { Quantiles.median(after) / Quantiles.median(before) }

    /// Of the rank test, two-sided, before correction.
    var p: Double { MannWhitney.test(after, before).p }

    /// Values beyond Tukey's fences of their side.
    var outliers: Int {
        [before, after].reduce(0) { count, side in
            let fences = TukeyFences(side)
            return count + side.count { fences.classify($0) != .none }
        }
    }

    /// The larger of the two sides' median absolute deviations, as a fraction of the median.
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
    /// From what the processes of each side measured, in the order in which they ran.
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
    /// Whether one set of samples speaks for a slowdown. `p`: after Holm's correction. The cheap
    /// conditions come first, the bootstrap last.
    func isSlower(
        _ samples: TimedSamples, correctedP p: Double, noiseFloor: Double, seed: UInt64
    ) -> Bool {
        let effect = samples.ratio - 1
        guard effect > threshold, effect > floorsOfEffect * noiseFloor, p < significance else {
            return false
        }
        return samples.interval(seed: seed).low > 1 + threshold
    }

    /// The same with as many processes a side as so many rounds of `selftest` allow.
    func fitting(rounds: Int) -> TimedPolicy {
        var policy = self
        let most = (rounds - (roundsOfFloor - roundsOfTrial)) / 2
        policy.runs = min(
            runs, max(Self.fewestRuns, most / Self.processesOfSample * Self.processesOfSample))
        return policy
    }

    /// What is wrong with the number of processes that somebody asks for; nil if nothing is.
    static func problem(withRuns runs: Int) -> String? {
        runs < fewestRuns || !runs.isMultiple(of: processesOfSample)
            ? "--runs must be an even number from \(fewestRuns) on." : nil
    }

    func qualifies(noiseFloor: Double) -> Bool { noiseFloor <= largestNoiseFloor }
}

/// What the gate says of a row.
enum TimedVerdict: String, Sendable {
    /// All conditions hold, and a rerun agrees.
    case slower
    /// The interval lies below the threshold: no slowdown that matters.
    case steady
    /// Neither: too noisy to tell.
    case inconclusive
    case notGated = "not gated"
}

/// The decision over all rows at once, as the correction for many rows needs.
struct TimedDecision {
    struct Row: Sendable {
        var caseId: String
        var samples: TimedSamples
        /// Nil if none is stored.
        var noiseFloor: Double?
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
        /// Of the rerun, if there was one.
        var rerunRatio: Double?
    }

    let policy: TimedPolicy
    let seed: UInt64

    /// `rerun` measures the rows of these ids again.
    func outcomes(
        of rows: [Row], rerun: (_ caseIds: [String]) throws -> [String: TimedSamples]
    ) throws -> [Outcome] {
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
        let corrected = Holm.adjusted(gated.map { rows[$0].samples.p })
        for (index, p) in zip(gated, corrected) {
            outcomes[index].correctedP = p
            outcomes[index].verdict =
                outcomes[index].interval.high <= 1 + policy.threshold ? .steady : .inconclusive
        }
        let suspicious = gated.filter { index in
            policy.isSlower(
                rows[index].samples, correctedP: outcomes[index].correctedP,
                noiseFloor: rows[index].noiseFloor!, seed: seed)
        }
        guard !suspicious.isEmpty else { return outcomes }
        let again = try rerun(suspicious.map { rows[$0].caseId })
        let reruns = suspicious.compactMap { index in
            again[rows[index].caseId].map { (index, $0) }
        }
        let correctedReruns = Holm.adjusted(reruns.map { $0.1.p })
        for ((index, samples), p) in zip(reruns, correctedReruns) {
            outcomes[index].rerunRatio = samples.ratio
            let agrees = policy.isSlower(
                samples, correctedP: p, noiseFloor: rows[index].noiseFloor!, seed: seed &+ 1)
            outcomes[index].verdict = agrees ? .slower : .inconclusive
        }
        return outcomes
    }
}
