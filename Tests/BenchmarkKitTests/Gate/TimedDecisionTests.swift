import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

/// A source of normally distributed values from a seed, by the method of Box and Muller.
private struct NormalSource {
    var generator: SeededGenerator

    mutating func next(_ center: Double, spread: Double) -> Double {
        let radius = (-2 * log(1 - generator.nextUnit())).squareRoot()
        return center * (1 + spread * radius * cos(2 * .pi * generator.nextUnit()))
    }
}

@Suite struct TimedDecisionTests {
    private func samples(_ seed: UInt64, slowdown: Double, spread: Double = 0.01) -> TimedSamples {
        var source = NormalSource(generator: SeededGenerator(seed: seed))
        return TimedSamples(
            before: (0..<10).map { _ in source.next(100, spread: spread) },
            after: (0..<10).map { _ in source.next(100 * (1 + slowdown), spread: spread) })
    }

    private func verdicts(
        _ rows: [TimedDecision.Row], _ policy: TimedPolicy = TimedPolicy(),
        rerun: (String) -> TimedSamples
    ) throws -> [TimedVerdict] {
        try TimedDecision(policy: policy, seed: 1).outcomes(of: rows) { ids in
            Dictionary(uniqueKeysWithValues: ids.map { ($0, rerun($0)) })
        }.map(\.verdict)
    }

    private func row(_ id: String, _ samples: TimedSamples, floor: Double? = 0.01)
        -> TimedDecision.Row
    {
        TimedDecision.Row(caseId: id, samples: samples, noiseFloor: floor)
    }

    @Test func aSlowdownThatARerunConfirmsIsRed() throws {
        let rows = [
            row("slow", samples(1, slowdown: 0.1)), row("same", samples(2, slowdown: 0)),
            row("fast", samples(3, slowdown: -0.1)),
        ]
        let found = try verdicts(rows) { _ in samples(4, slowdown: 0.1) }
        #expect(found == [.slower, .steady, .steady])
    }

    @Test func aSlowdownThatARerunDeniesIsInconclusive() throws {
        let rows = [row("slow", samples(1, slowdown: 0.1))]
        #expect(try verdicts(rows) { _ in samples(4, slowdown: 0) } == [.inconclusive])
    }

    @Test func anEffectBelowTwiceTheFloorIsInconclusive() throws {
        let rows = [row("slow", samples(1, slowdown: 0.07), floor: 0.039)]
        #expect(try verdicts(rows) { _ in samples(4, slowdown: 0.07) } == [.inconclusive])
    }

    @Test func aSlowdownBelowTheThresholdIsNotRed() throws {
        let rows = [row("slow", samples(1, slowdown: 0.025, spread: 0.001), floor: 0.001)]
        #expect(try verdicts(rows) { _ in samples(4, slowdown: 0.025) } == [.steady])
    }

    @Test func noisyAndUnknownRowsAreNotGated() throws {
        let rows = [
            row("noisy", samples(1, slowdown: 0.5), floor: 0.041),
            row("unknown", samples(1, slowdown: 0.5), floor: nil),
        ]
        #expect(try verdicts(rows) { _ in samples(4, slowdown: 0.5) } == [.notGated, .notGated])
    }

    @Test func manyRowsNeedStrongerEvidence() throws {
        // Complete separation of 10 and 10 samples has p = 1.08e-5, which 60 rows make 6.5e-4.
        var policy = TimedPolicy()
        policy.significance = 5e-4
        let rows = (0..<60).map { row("row \($0)", samples(1, slowdown: $0 == 0 ? 0.2 : 0)) }
        let many = try verdicts(rows, policy) { _ in samples(4, slowdown: 0.2) }
        #expect(many[0] == .inconclusive)
        let fewer = Array(rows.prefix(20))
        #expect(try verdicts(fewer, policy) { _ in samples(4, slowdown: 0.2) }[0] == .slower)
    }
}

@Suite struct SelftestTests {
    /// Returns a pool with a known truth: the planted fraction is added exactly.
    private func pool(
        rounds: Int, spread: Double, ofPlants found: Double = 1, sideTwo: Double = 1,
        isDiskBound: Bool = false
    ) -> SelftestPool {
        var source = NormalSource(generator: SeededGenerator(seed: 11))
        var pool = SelftestPool(machine: "test")
        let calibration = Calibration(chainNanoseconds: 1, wideNanoseconds: 2)
        for round in 0..<rounds {
            for caseId in ["a", "b"] {
                for (side, planted) in [(0, 0), (1, 0)] + SelftestPool.plants.map({ (0, $0) }) {
                    let time = source.next(
                        5 * (1 + planted * found) * (side == 1 ? sideTwo : 1), spread: spread)
                    let report = TimedReport(
                        caseId: caseId, status: .ok, operations: 1000, elapsedSeconds: 0.005,
                        latencyP10: time, latencyP50: time,
                        processorSeconds: caseId == "a" && !isDiskBound ? 1 : 0.5, wallSeconds: 1)
                    let run = TimedRun(
                        report: report, calibrationBefore: calibration,
                        calibrationAfter: calibration)
                    pool.entries.append(
                        SelftestPool.Entry(
                            round: round, side: side, planted: planted, options: "count=1",
                            run: run))
                }
            }
        }
        return pool
    }

    /// A policy with ten samples a side, so that the pools of these tests stay small.
    private static let policyOfTenSamples: TimedPolicy = {
        var policy = TimedPolicy()
        policy.runs = TimedPolicy.fewestRuns
        return policy
    }()

    @Test func plantsAreFoundAndEqualSidesAreNot() throws {
        let analysis = try SelftestAnalysis(
            pool(rounds: 50, spread: 0.015), policy: Self.policyOfTenSamples, trials: 40, seed: 1)
        #expect(analysis.qualifying.count == 2)
        #expect(analysis.rows.map(\.isProcessorBound) == [true, false])
        #expect(analysis.falseAlarms.trials == 80)
        #expect(analysis.falseAlarms.hits == 0)
        #expect(analysis.detections(ofPlant: 2).fraction > 0.95)
        #expect(analysis.detections(ofPlant: 3).fraction == 1)
        // A change below the threshold of 3 % is not found.
        #expect(analysis.detections(ofPlant: 0).fraction < 0.05)
    }

    @Test func aNoisyRowDoesNotQualify() throws {
        let analysis = try SelftestAnalysis(
            pool(rounds: 50, spread: 0.15), policy: Self.policyOfTenSamples, trials: 20, seed: 1)
        #expect(analysis.qualifying.isEmpty)
        #expect(SelftestReport(analysis).failures[0].contains("noise floor"))
        #expect(analysis.floors.count == 2)
    }

    @Test func aGateThatCannotBeTrustedIsNamed() throws {
        func failures(_ pool: SelftestPool) throws -> [String] {
            try SelftestReport(
                SelftestAnalysis(pool, policy: Self.policyOfTenSamples, trials: 20, seed: 1)
            ).failures
        }
        #expect(try failures(pool(rounds: 44, spread: 0.01)).isEmpty)
        let blind = try failures(pool(rounds: 44, spread: 0.01, ofPlants: 0.1))
        #expect(blind.count == 1)
        #expect(blind.first?.contains("slowdowns by 10.0 % are found") == true)
        let disk = try failures(pool(rounds: 44, spread: 0.01, isDiskBound: true))
        #expect(disk == ["No row is processor-bound, so nothing is known of those."])
    }

    @Test func aCrowdedMachineIsNamed() throws {
        var pool = pool(rounds: 44, spread: 0.01)
        let crowded = Calibration(chainNanoseconds: 1, wideNanoseconds: 2.2)
        for index in pool.entries.indices where index % 5 < 3 {
            pool.entries[index].run.calibrationAfter = crowded
        }
        let report = SelftestReport(
            try SelftestAnalysis(pool, policy: Self.policyOfTenSamples, trials: 20, seed: 1))
        #expect(report.isCrowded)
        #expect(report.failures.count == 1)
        #expect(report.failures[0].hasPrefix("60.2 % of the processes"))
    }

    /// The last calibration is one whose first piece was interrupted.
    @Test func oneMomentThatLooksTooCalmIsNotBelieved() {
        var scale = CrowdingScale()
        for _ in 0..<60 { scale.add(Calibration(chainNanoseconds: 100, wideNanoseconds: 185)) }
        scale.add(Calibration(chainNanoseconds: 130, wideNanoseconds: 185))
        #expect(scale.isCalm(Calibration(chainNanoseconds: 100, wideNanoseconds: 190)))
        #expect(!scale.isCalm(Calibration(chainNanoseconds: 100, wideNanoseconds: 200)))
    }

    @Test func fewerRoundsCompareFewerProcesses() {
        let policy = TimedPolicy()
        #expect(policy.fitting(rounds: 64).runs == 30)
        #expect(policy.fitting(rounds: 63).runs == 28)
        #expect(policy.fitting(rounds: 1000).runs == 30)
        #expect(policy.fitting(rounds: 5).runs == TimedPolicy.fewestRuns)
        #expect(TimedPolicy.problem(withRuns: 21) != nil)
        #expect(TimedPolicy.problem(withRuns: 18) != nil)
        #expect(TimedPolicy.problem(withRuns: 22) == nil)
    }

    @Test func theQuickerOfTwoProcessesIsASample() {
        let samples = TimedSamples(ofProcesses: [3, 1, 2, 5], [4, 6, 8, 7])
        #expect(samples == TimedSamples(before: [1, 2], after: [4, 7]))
    }

    @Test func whereFilesLieIsPartOfTheNoise() throws {
        let analysis = try SelftestAnalysis(
            pool(rounds: 44, spread: 0.001, sideTwo: 1.035), policy: Self.policyOfTenSamples,
            trials: 20,
            seed: 1)
        #expect(analysis.rows.allSatisfy { $0.noiseFloor > 0.03 })
    }

    @Test func fewRoundsGiveNoFloor() throws {
        let analysis = try SelftestAnalysis(
            pool(rounds: 43, spread: 0.01), policy: Self.policyOfTenSamples, trials: 1, seed: 1)
        #expect(analysis.floors.isEmpty)
    }

    @Test func processesOfACaseHaveToDoTheSame() throws {
        func code(_ change: (inout TimedReport) -> Void) -> BenchmarkError.Code? {
            let work = SameWork()
            var report = pool(rounds: 1, spread: 0).entries[0].run.report
            report.digest = "d"
            do {
                try work.check(report, of: "own")
                change(&report)
                try work.check(report, of: "other")
                return nil
            } catch { return (error as? BenchmarkError)?.code }
        }
        #expect(code { _ in } == nil)
        #expect(code { $0.digest = "e" } == .caseFailed)
        #expect(code { $0.digest = nil } == .caseFailed)
        #expect(code { $0.operations += 1 } == .notComparable)
    }

    @Test func theSameSeedDrawsTheSameTrials() throws {
        let pool = pool(rounds: 44, spread: 0.03)
        let first = try SelftestAnalysis(pool, policy: Self.policyOfTenSamples, trials: 10, seed: 5)
        let second = try SelftestAnalysis(
            pool, policy: Self.policyOfTenSamples, trials: 10, seed: 5)
        #expect(first.rows.map(\.noiseFloor) == second.rows.map(\.noiseFloor))
        #expect(first.rows.map(\.detections) == second.rows.map(\.detections))
    }

    @Test func aPoolThatIsTooSmallIsRefused() throws {
        #expect(throws: BenchmarkError.self) {
            try SelftestAnalysis(
                pool(rounds: 39, spread: 0.01), policy: Self.policyOfTenSamples, trials: 1, seed: 1)
        }
    }

    @Test func aWrittenPoolIsReadBackWhole() throws {
        let folder = try TemporaryFolder()
        let pool = pool(rounds: 2, spread: 0.01)
        let file = try CSVFile(path: folder.path + "/pool.csv", header: SelftestPool.header)
        for entry in pool.entries {
            try file.append(SelftestPool.fields(entry, machine: pool.machine))
        }
        let read = try SelftestPool.load(file.path)
        #expect(read.machine == pool.machine)
        #expect(read.entries == pool.entries)
    }
}
