import Foundation
import ToolSupport

/// One side of a comparison: a run, or a baseline.
struct ComparedSide {
    /// The folder or the name, as the command line has it.
    var name: String
    var key: TimedKey
    /// The rows without those of controls.
    var rows: [MetricRow]
    /// Whether the run ended by itself, so that rows which it lacks were not to be run.
    var isComplete = true
    /// What ran where; nil for a baseline.
    var header: RunReport?
}

/// The times and counted metrics of several sides, each compared with the first one.
struct RunComparison {
    /// What can be said about a row's times.
    enum Verdict: String, Codable {
        /// The interval leaves out 1, and the rank test agrees.
        case faster, slower
        case unclear = "no clear difference"
        /// One side has too few runs of the case.
        case tooFewRuns = "too few runs"
    }

    /// The times of one case on two sides.
    struct Times {
        var caseId: String
        var side: String
        /// Operations a second.
        var reference, rate: Double
        /// The rate divided by that of the reference; above 1 the side is faster.
        var ratio: Double
        var interval: RatioInterval?
        /// The p of the rank test, corrected for all rows of the side; nil with too few runs.
        var correctedP: Double?
        /// The median latency divided by that of the reference.
        var latencyRatio: Double?
        var verdict = Verdict.tooFewRuns
    }

    /// The comparison of one side with the reference.
    struct Pair {
        var side: ComparedSide
        var counted: CountedComparison
        var times: [Times]
        /// The cases that only the reference, or only the side, has.
        var onlyInReference, onlyInSide: [String]
    }

    /// The fewest runs of a case on each side for a verdict: the rank test of four and four cannot
    /// fall below 0.03 before the correction for several rows.
    static let fewestRuns = 5
    static let significance = 0.05
    /// The load of others, in cores, from which on it is told.
    static let tellingLoad = SpeedCheck.mostOtherLoad

    let reference: ComparedSide
    let pairs: [Pair]

    init(reference: ComparedSide, sides: [ComparedSide]) {
        self.reference = reference
        pairs = sides.map { side in
            let own = Set(side.rows.map(\.caseId))
            let theirs = Set(reference.rows.map(\.caseId))
            return Pair(
                side: side,
                counted: CountedComparison(
                    rows: side.rows, baseline: reference.rows, isWhole: false),
                times: Self.times(of: side, beside: reference),
                onlyInReference: reference.rows.map(\.caseId).filter { !own.contains($0) },
                onlyInSide: side.rows.map(\.caseId).filter { !theirs.contains($0) })
        }
    }

    private static func times(
        of side: ComparedSide, beside reference: ComparedSide
    ) -> [Times] {
        let before = Dictionary(reference.rows.map { ($0.caseId, $0) }) { first, _ in first }
        var found: [Times] = []
        var tested: [(index: Int, p: Double)] = []
        for row in side.rows {
            guard let other = before[row.caseId], let rate = row.timed["throughput_ops_per_s"],
                let former = other.timed["throughput_ops_per_s"], former > 0
            else { continue }
            var times = Times(
                caseId: row.caseId, side: side.name, reference: former, rate: rate,
                ratio: rate / former)
            if let latency = row.timed["latency_p50_us"],
                let formerLatency = other.timed["latency_p50_us"], formerLatency > 0
            {
                times.latencyRatio = latency / formerLatency
            }
            if let own = row.throughputSamples, let theirs = other.throughputSamples {
                times.ratio = Quantiles.median(own) / Quantiles.median(theirs)
                times.interval = Bootstrap.ratioOfMedians(own, over: theirs, seed: row.seed)
                if min(own.count, theirs.count) >= fewestRuns {
                    tested.append((found.count, MannWhitney.test(own, theirs).p))
                }
            }
            found.append(times)
        }
        for ((index, _), p) in zip(tested, Holm.adjusted(tested.map(\.p))) {
            found[index].correctedP = p
            found[index].verdict = verdict(on: found[index], p: p)
        }
        return found
    }

    private static func verdict(on times: Times, p: Double) -> Verdict {
        guard let interval = times.interval, p < significance else { return .unclear }
        if interval.low > 1 { return .faster }
        return interval.high < 1 ? .slower : .unclear
    }

    // MARK: Notes

    /// What a reader has to know before the tables, one sentence each.
    var notes: [String] {
        var notes: [String] = []
        for side in [reference] + pairs.map(\.side) {
            if !side.isComplete {
                notes.append("The run '\(side.name)' did not end by itself; rows may be missing.")
            }
            let loads = side.rows.compactMap { $0.timed["other_load_cores"] }
                .filter { $0 > Self.tellingLoad }
            if let most = loads.max() {
                notes.append(
                    "While '\(side.name)' was measured, others kept up to \(Display.number(most)) "
                        + "cores busy, in \(loads.count) of \(side.rows.count) rows.")
            }
        }
        for pair in pairs {
            notes += pair.counted.incomparable
            if !pair.onlyInReference.isEmpty {
                notes.append(Self.only(pair.onlyInReference, in: reference.name))
            }
            if !pair.onlyInSide.isEmpty {
                notes.append(Self.only(pair.onlyInSide, in: pair.side.name))
            }
        }
        return notes
    }

    private static func only(_ cases: [String], in name: String) -> String {
        "Only in '\(name)': \(cases.joined(separator: ", "))."
    }

    /// The rows whose results differ although they did the same work, one sentence each.
    var wrongResults: [String] { pairs.flatMap { $0.counted.wrongResults } }
}

extension RunComparison.Times {
    /// The direction in words, as in `1.8 times as fast`.
    var words: String {
        func text(_ ratio: Double) -> String { String(format: "%.2f", ratio) }
        let rounded = text(ratio)
        if rounded == "1.00" { return "as fast" }
        return ratio > 1
            ? "\(rounded) times as fast" : "\(text(1 / ratio)) times as slow"
    }

    /// The interval of the ratio; empty if there is none.
    var intervalText: String {
        interval.map { String(format: "%.3f to %.3f", $0.low, $0.high) } ?? ""
    }
}

extension RunComparison {
    /// The outcome for other programs. Times decide nothing, so they fail nothing.
    func report(withTimes: Bool) -> GateReport {
        let entries = pairs.flatMap { pair -> [GateReport.Entry] in
            var entries = pair.counted.entries(isStrict: false)
            for index in entries.indices where entries[index].status == .failed {
                // Differences of a comparison are told, and only wrong results fail.
                let isWrong = pair.counted.wrongResults.contains {
                    $0.hasPrefix(entries[index].caseId)
                }
                if !isWrong { entries[index].status = .passed }
            }
            let times = Dictionary(pair.times.map { ($0.caseId, $0) }) { first, _ in first }
            for index in entries.indices where withTimes {
                guard let row = times[entries[index].caseId] else { continue }
                entries[index].reasons.append("\(row.words), \(row.verdict.rawValue).")
            }
            return entries
        }
        let rates = pairs.flatMap { pair in
            pair.times.map {
                GateReport.Figure(
                    name: "\($0.caseId) \(pair.side.name)", unit: "ops/s", value: $0.rate)
            }
        }
        return GateReport(
            title: "compare with \(reference.name)", entries: entries,
            summary: notes + (withTimes ? [ComparisonText.rule] : []),
            figures: withTimes ? rates : [])
    }
}
