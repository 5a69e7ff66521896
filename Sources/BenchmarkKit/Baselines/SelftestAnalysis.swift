/// What the gate would have said of many pairs drawn from a pool, whose truth is known.
///
/// One trial is one row of a gate's run, its rerun included: the first samples and those of the
/// rerun are of disjoint rounds. Trials of one row share runs with each other, so their number
/// overstates how much is known; the pool's rounds are the independent part.
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
        /// The fingerprint of its options.
        var options: String
        var rounds: Int
        var noiseFloor: Double
        var qualifies: Bool
        /// Whether it computed nine tenths of its time.
        var isProcessorBound: Bool
        var falseAlarms: Rate
        /// In the order of `SelftestPool.plants`.
        var detections: [Rate]
    }

    let policy: TimedPolicy
    let rows: [Row]
    let crowdedFraction: Double

    /// `trials`: of each row and each plant. The same seed draws the same pairs.
    init(_ pool: SelftestPool, policy: TimedPolicy, trials: Int, seed: UInt64) throws {
        self.policy = policy
        crowdedFraction = pool.crowdedFraction
        let caseIds = pool.caseIds
        rows = try caseIds.enumerated().map { number, caseId in
            let entries = pool.entries.filter { $0.run.report.caseId == caseId }
            var draws = try RowDraws(
                caseId, entries, policy: policy, seed: mix64(seed &+ UInt64(number)))
            return draws.row(trials: trials, rowsOfGate: caseIds.count)
        }
    }

    /// What the gate may rely on: of rows with enough rounds.
    var floors: [String: NoiseFloors.Row] {
        let known = rows.filter { $0.rounds >= policy.roundsOfFloor }.map { row in
            let floor = NoiseFloors.Row(
                floor: row.noiseFloor, runs: policy.runs, options: row.options)
            return (row.caseId, floor)
        }
        return Dictionary(known) { first, _ in first }
    }

    var qualifying: [Row] { rows.filter(\.qualifies) }
    var falseAlarms: Rate { qualifying.map(\.falseAlarms).reduce(Rate(), +) }

    func detections(ofPlant index: Int) -> Rate {
        qualifying.map { $0.detections[index] }.reduce(Rate(), +)
    }
}

/// Draws sides of comparisons from the runs of one row.
private struct RowDraws {
    private static let noiseDraws = 1000

    let caseId: String
    let options: String
    let policy: TimedPolicy
    var generator: SeededGenerator
    /// By round: the two runs without a plant, and those with.
    private var plain: [(Double, Double)] = []
    private var planted: [[Double]] = []
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
        isProcessorBound =
            Quantiles.median(
                entries.map { $0.run.report.processorSeconds / $0.run.report.wallSeconds }) >= 0.9
        let rounds = Dictionary(grouping: entries, by: \.round)
        for (_, runs) in rounds.sorted(by: { $0.key < $1.key }) {
            func value(_ plant: Double, _ side: Int? = nil) -> Double? {
                runs.first { $0.planted == plant && (side ?? $0.side) == $0.side }
                    .map { TimedStatistic.value(of: $0.run) }
            }
            // The last round of an interrupted selftest may be incomplete.
            guard let first = value(0, 0), let second = value(0, 1) else { continue }
            let slowed = SelftestPool.plants.compactMap { value($0) }
            guard slowed.count == SelftestPool.plants.count else { continue }
            plain.append((first, second))
            planted.append(slowed)
        }
        guard plain.count >= policy.roundsOfTrial else {
            throw BenchmarkError(
                .usage,
                "The pool has \(plain.count) whole rounds of \(caseId); a trial with its rerun "
                    + "needs \(policy.roundsOfTrial).")
        }
    }

    mutating func row(trials: Int, rowsOfGate: Int) -> SelftestAnalysis.Row {
        let floor = noiseFloor()
        var row = SelftestAnalysis.Row(
            caseId: caseId, options: options, rounds: plain.count, noiseFloor: floor,
            qualifies: policy.qualifies(noiseFloor: floor), isProcessorBound: isProcessorBound,
            falseAlarms: SelftestAnalysis.Rate(), detections: [])
        row.falseAlarms = rate(trials, nil, floor, rowsOfGate)
        row.detections = SelftestPool.plants.indices.map { rate(trials, $0, floor, rowsOfGate) }
        return row
    }

    /// The 95th percentile of |ratio - 1| of two sides of the same build.
    private mutating func noiseFloor() -> Double {
        let effects = (0..<Self.noiseDraws).map { _ in
            let rounds = draw(policy.runs)
            return abs(samples(rounds, plant: nil, isSwapped: drawSwap()).ratio - 1)
        }
        return Quantiles.quantile(0.95, of: effects)
    }

    /// How often the gate says `slower`. The row is the only suspicious one of the gate's rows, so
    /// its p is corrected by the strictest step of Holm's procedure; in the rerun it is alone.
    private mutating func rate(
        _ trials: Int, _ plant: Int?, _ floor: Double, _ rowsOfGate: Int
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
                first, correctedP: min(1, first.p * Double(rowsOfGate)), noiseFloor: floor,
                seed: generator.next())
            guard isSuspicious else { continue }
            let agrees = policy.isSlower(
                second, correctedP: second.p, noiseFloor: floor, seed: generator.next())
            if agrees { rate.hits += 1 }
        }
        return rate
    }

    /// `count` different rounds in random order.
    private mutating func draw(_ count: Int) -> [Int] {
        var rounds = Array(plain.indices)
        for position in 0..<count {
            rounds.swapAt(position, position + generator.next(below: rounds.count - position))
        }
        return Array(rounds.prefix(count))
    }

    /// Which of the two plain sides is the one before, in a whole comparison and its rerun, for a
    /// side keeps its files as a build does.
    private mutating func drawSwap() -> Bool { generator.next(below: 2) == 1 }

    /// In the order in which they ran, so that processes of one sample lie close to each other, as
    /// they do in the gate.
    private func samples(_ drawn: [Int], plant: Int?, isSwapped: Bool) -> TimedSamples {
        let rounds = drawn.sorted()
        let before = rounds.map { isSwapped ? plain[$0].1 : plain[$0].0 }
        let after = rounds.map { round in
            plant.map { planted[round][$0] } ?? (isSwapped ? plain[round].0 : plain[round].1)
        }
        return TimedSamples(ofProcesses: before, after)
    }
}
