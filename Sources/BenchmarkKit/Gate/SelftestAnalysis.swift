import ToolSupport

/// The error rates of the gate, estimated by simulated comparisons drawn from a pool of runs in
/// which the true slowdown is known.
///
/// A trial simulates one row of the gate including its rerun. The first samples and those of the
/// rerun come from disjoint rounds. Trials of one row reuse runs and are therefore not independent:
/// their number overstates the precision, and the number of rounds in the pool limits it.
struct SelftestAnalysis {
    struct Rate: Equatable, Sendable {
        var hits = 0
        var trials = 0
        var fraction: Double { trials > 0 ? Double(hits) / Double(trials) : 0 }
        var interval: BinomialInterval? {
            trials > 0 ? BinomialInterval(hits: hits, trials: trials) : nil
        }

        static func + (left: Rate, right: Rate) -> Rate {
            Rate(hits: left.hits + right.hits, trials: left.trials + right.trials)
        }
    }

    struct Row: Sendable {
        var caseId: String
        /// The fingerprint of the case's options.
        var options: String
        var rounds: Int
        var noiseFloor: Double
        var qualifies: Bool
        /// Whether at least nine tenths of the elapsed time was processor time, and less than a
        /// tenth of the measured intervals was waiting for the disk.
        var isProcessorBound: Bool
        var falseAlarms: Rate
        /// The detection rates, in the order of `SelftestPool.plants`.
        var detections: [Rate]
        /// What came of the shares of slow intervals; nil if the row has too few intervals, or the
        /// pool lacks them.
        var tail: Tail?
    }

    struct Tail: Sendable {
        var noiseFloor: Double
        var qualifies: Bool
        var falseAlarms: Rate
        /// How often a slowdown of one interval in a hundred was found.
        var detections: Rate
    }

    let policy: TimedPolicy
    let rows: [Row]
    let crowdedFraction: Double

    /// Analyses the pool with `trials` trials for each row and each planted slowdown. The same seed
    /// draws the same pairs.
    init(_ pool: SelftestPool, policy: TimedPolicy, trials: Int, seed: UInt64) throws {
        self.policy = policy
        crowdedFraction = pool.crowdedFraction
        var draws = try pool.caseIds.enumerated().map { number, caseId in
            try RowDraws(
                caseId, pool.entries.filter { $0.run.report.caseId == caseId }, policy: policy,
                seed: mix64(seed &+ UInt64(number)))
        }
        let tests = draws.count + draws.count(where: \.hasTails)
        rows = draws.indices.map { draws[$0].row(trials: trials, testsOfGate: tests) }
    }

    /// The noise floors of the rows that have enough rounds for the gate to rely on.
    var floors: [String: NoiseFloors.Row] {
        let known = rows.filter { $0.rounds >= policy.roundsOfFloor }.map { row in
            let floor = NoiseFloors.Row(
                floor: row.noiseFloor, tailFloor: row.tail?.noiseFloor, runs: policy.runs,
                options: row.options)
            return (row.caseId, floor)
        }
        return Dictionary(known) { first, _ in first }
    }

    var qualifying: [Row] { rows.filter(\.qualifies) }
    var falseAlarms: Rate { qualifying.map(\.falseAlarms).reduce(Rate(), +) }

    /// The rates of the shares of slow intervals, of all rows that qualify; nil if no row has them.
    var tails: (falseAlarms: Rate, detections: Rate)? {
        let tails = rows.compactMap(\.tail)
        guard !tails.isEmpty else { return nil }
        let gated = tails.filter(\.qualifies)
        return (
            gated.map(\.falseAlarms).reduce(Rate(), +), gated.map(\.detections).reduce(Rate(), +)
        )
    }

    func detections(ofPlant index: Int) -> Rate {
        qualifying.map { $0.detections[index] }.reduce(Rate(), +)
    }
}

/// The random draws of the sides of simulated comparisons from the runs of one row.
private struct RowDraws {
    private static let noiseDraws = 1000

    let caseId: String
    let options: String
    let policy: TimedPolicy
    var generator: SeededGenerator
    /// The values by round: the two runs without a planted slowdown, and the runs with one.
    private var plain: [(Double, Double)] = []
    private var planted: [[Double]] = []
    /// The shares of slow intervals by round: of the two plain runs, and of the one with a planted
    /// tail.
    private var tails: [(first: Double, second: Double, planted: Double)] = []
    var hasTails: Bool { tails.count == plain.count }
    private let isProcessorBound: Bool

    init(
        _ caseId: String, _ entries: [SelftestPool.Entry], policy: TimedPolicy, seed: UInt64
    ) throws {
        self.caseId = caseId
        self.policy = policy
        options = entries[0].options
        guard entries.allSatisfy({ [options] in $0.options == options }) else {
            throw BenchmarkError(.usage, "The pool has different work under the name \(caseId).")
        }
        generator = SeededGenerator(seed: seed)
        let reports = entries.map(\.run.report)
        let syncShares = reports.compactMap(\.syncShare)
        // A producer that computes beside a writer hides from the first that the writer waits.
        isProcessorBound =
            Quantiles.median(reports.map { $0.processorSeconds / $0.wallSeconds }) >= 0.9
            && (syncShares.isEmpty || Quantiles.median(syncShares) < 0.1)
        let rounds = Dictionary(grouping: entries, by: \.round)
        for (_, runs) in rounds.sorted(by: { $0.key < $1.key }) {
            func run(_ plant: PlantedSlowdown, _ side: Int? = nil) -> TimedRun? {
                runs.first { $0.planted == plant && (side ?? $0.side) == $0.side }?.run
            }
            // The last round of an interrupted selftest may be incomplete.
            guard let first = run(.none, 0), let second = run(.none, 1) else { continue }
            let slowed = SelftestPool.plants.compactMap { run($0).map(TimedStatistic.value) }
            guard slowed.count == SelftestPool.plants.count else { continue }
            plain.append((TimedStatistic.value(of: first), TimedStatistic.value(of: second)))
            planted.append(slowed)
            if let first = first.report.slowShare, let second = second.report.slowShare,
                let planted = run(SelftestPool.tailPlant)?.report.slowShare
            {
                tails.append((first, second, planted))
            }
        }
        guard plain.count >= policy.roundsOfTrial else {
            throw BenchmarkError(
                .usage,
                "The pool has \(plain.count) whole rounds of \(caseId); a trial with its rerun "
                    + "needs \(policy.roundsOfTrial).")
        }
    }

    /// - Parameter testsOfGate: How many tests a gate makes, of both statistics.
    mutating func row(trials: Int, testsOfGate: Int) -> SelftestAnalysis.Row {
        let floor = noiseFloor()
        var row = SelftestAnalysis.Row(
            caseId: caseId, options: options, rounds: plain.count, noiseFloor: floor,
            qualifies: policy.qualifies(noiseFloor: floor), isProcessorBound: isProcessorBound,
            falseAlarms: SelftestAnalysis.Rate(), detections: [])
        row.falseAlarms = rate(trials, nil, floor, testsOfGate)
        row.detections = SelftestPool.plants.indices.map { rate(trials, $0, floor, testsOfGate) }
        if hasTails { row.tail = tail(trials: trials, testsOfGate: testsOfGate) }
        return row
    }

    // MARK: Shares of slow intervals

    private mutating func tail(trials: Int, testsOfGate: Int) -> SelftestAnalysis.Tail {
        let differences = (0..<Self.noiseDraws).map { _ in
            let rounds = draw(policy.runs)
            return abs(tailSamples(rounds, isPlanted: false, isSwapped: drawSwap()).difference)
        }
        let floor = Quantiles.quantile(0.95, of: differences)
        return SelftestAnalysis.Tail(
            noiseFloor: floor, qualifies: TailPolicy().qualifies(noiseFloor: floor),
            falseAlarms: tailRate(trials, isPlanted: false, floor, testsOfGate),
            detections: tailRate(trials, isPlanted: true, floor, testsOfGate))
    }

    /// As ``rate(_:_:_:_:)``.
    private mutating func tailRate(
        _ trials: Int, isPlanted: Bool, _ floor: Double, _ testsOfGate: Int
    ) -> SelftestAnalysis.Rate {
        var rate = SelftestAnalysis.Rate()
        for _ in 0..<trials {
            let rounds = draw(policy.roundsOfTrial)
            let isSwapped = drawSwap()
            let halves = [rounds.prefix(policy.runs), rounds.suffix(policy.runs)].map {
                tailSamples(Array($0), isPlanted: isPlanted, isSwapped: isSwapped)
            }
            rate.trials += 1
            let isFound = zip(halves, [Double(testsOfGate), 1]).allSatisfy { samples, tests in
                TailPolicy().isSlower(
                    samples, correctedP: min(1, samples.p * tests), noiseFloor: floor)
            }
            if isFound { rate.hits += 1 }
        }
        return rate
    }

    private func tailSamples(_ drawn: [Int], isPlanted: Bool, isSwapped: Bool) -> TimedSamples {
        let runs = drawn.sorted().map { tails[$0] }
        return TimedSamples(
            ofProcesses: runs.map { isSwapped ? $0.second : $0.first },
            runs.map { isPlanted ? $0.planted : isSwapped ? $0.first : $0.second })
    }

    // MARK: Times

    /// Returns the 95th percentile of |ratio - 1| over pairs of sides of the same build.
    private mutating func noiseFloor() -> Double {
        let effects = (0..<Self.noiseDraws).map { _ in
            let rounds = draw(policy.runs)
            return abs(samples(rounds, plant: nil, isSwapped: drawSwap()).ratio - 1)
        }
        return Quantiles.quantile(0.95, of: effects)
    }

    /// Returns how often the gate's verdict is `slower`. The simulated row is the only suspicious
    /// one, so its first p is corrected by the strictest step of Holm's procedure (Holm, 1979); in
    /// the rerun it is alone and needs no correction.
    private mutating func rate(
        _ trials: Int, _ plant: Int?, _ floor: Double, _ testsOfGate: Int
    ) -> SelftestAnalysis.Rate {
        var rate = SelftestAnalysis.Rate()
        for _ in 0..<trials {
            let rounds = draw(policy.roundsOfTrial)
            let isSwapped = drawSwap()
            let first = samples(
                Array(rounds.prefix(policy.runs)), plant: plant, isSwapped: isSwapped)
            let second = samples(
                Array(rounds.suffix(policy.runs)), plant: plant, isSwapped: isSwapped)
            rate.trials += 1
            let isSuspicious = policy.isSlower(
                first, correctedP: min(1, first.p * Double(testsOfGate)), noiseFloor: floor,
                seed: generator.next())
            guard isSuspicious else { continue }
            let agrees = policy.isSlower(
                second, correctedP: second.p, noiseFloor: floor, seed: generator.next())
            if agrees { rate.hits += 1 }
        }
        return rate
    }

    /// Draws `count` distinct rounds in random order (a partial Fisher-Yates shuffle; Durstenfeld,
    /// 1964).
    private mutating func draw(_ count: Int) -> [Int] {
        var rounds = Array(plain.indices)
        for position in 0..<count {
            rounds.swapAt(position, position + generator.next(below: rounds.count - position))
        }
        return Array(rounds.prefix(count))
    }

    /// Draws which of the two plain sides plays the old build. The choice holds for a whole
    /// comparison and its rerun, since each build keeps its own files.
    private mutating func drawSwap() -> Bool { generator.next(below: 2) == 1 }

    /// Returns samples in the order in which the processes ran, so that the processes of one sample
    /// are close in time, as in the gate.
    private func samples(_ drawn: [Int], plant: Int?, isSwapped: Bool) -> TimedSamples {
        let rounds = drawn.sorted()
        let before = rounds.map { isSwapped ? plain[$0].1 : plain[$0].0 }
        let after = rounds.map { round in
            plant.map { planted[round][$0] } ?? (isSwapped ? plain[round].0 : plain[round].1)
        }
        return TimedSamples(ofProcesses: before, after)
    }
}
