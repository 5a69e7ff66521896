import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct SelftestAnalysisTests {
    /// Returns a pool with a known truth: the planted fraction is added exactly.
    private func pool(
        rounds: Int, spread: Double, ofPlants found: Double = 1, sideTwo: Double = 1,
        isDiskBound: Bool = false, slow: Double? = nil, syncShare: Double? = nil
    ) -> SelftestPool {
        var source = NormalSource(generator: SeededGenerator(seed: 11))
        var pool = SelftestPool(machine: "test")
        let calibration = Calibration(chainNanoseconds: 1, wideNanoseconds: 2)
        for round in 0..<rounds {
            for caseId in ["a", "b"] {
                let plants = SelftestPool.plants + (slow == nil ? [] : [SelftestPool.tailPlant])
                for (side, planted) in [(0, .none), (1, .none)] + plants.map({ (0, $0) }) {
                    let isTail = planted.every > 1
                    let slowdown = isTail ? 0 : planted.fraction * found
                    let time = source.next(
                        5 * (1 + slowdown) * (side == 1 ? sideTwo : 1), spread: spread)
                    let share = slow.map {
                        max(0, source.next($0, spread: 0.3)) + (isTail ? 0.01 * found : 0)
                    }
                    let report = TimedReport(
                        caseId: caseId, status: .ok, operations: 1000, elapsedSeconds: 0.005,
                        latencyP10: time, latencyP50: time, slowShare: share,
                        syncShare: syncShare,
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

    @Test func tailsAreFoundAndEqualSidesAreNot() throws {
        let pool = pool(rounds: 50, spread: 0.015, slow: 0.002)
        let analysis = try SelftestAnalysis(
            pool, policy: Self.policyOfTenSamples, trials: 40, seed: 1)
        let tails = try #require(analysis.tails)
        #expect(tails.falseAlarms.trials == 80 && tails.falseAlarms.hits == 0)
        #expect(tails.detections.fraction == 1)
        // The quickest tenth does not see them.
        #expect(analysis.falseAlarms.hits == 0 && analysis.floors.count == 2)
        #expect(analysis.floors.values.allSatisfy { ($0.tailFloor ?? 1) < 0.001 })
        let report = SelftestReport(analysis)
        #expect(report.failures == [])
        #expect(report.lines().contains { $0.contains("1 in 100 found") })
        let blind = try SelftestAnalysis(
            self.pool(rounds: 50, spread: 0.015, ofPlants: 0.3, slow: 0.002),
            policy: Self.policyOfTenSamples, trials: 20, seed: 1)
        #expect(
            SelftestReport(blind).failures.contains {
                $0.contains("of one interval in a hundred are found")
            })
    }

    /// Pools from before it was measured.
    @Test func aPoolWithoutTailsHasNoneOfThem() throws {
        let analysis = try SelftestAnalysis(
            pool(rounds: 50, spread: 0.015), policy: Self.policyOfTenSamples, trials: 1, seed: 1)
        #expect(analysis.tails == nil && SelftestReport(analysis).tailTable() == nil)
        #expect(analysis.floors.values.allSatisfy { $0.tailFloor == nil })
    }

    @Test func plantedSlowdownsAreReadAsTheyAreWritten() {
        for text in ["0.0", "0.1", "4.0/100"] {
            #expect(PlantedSlowdown(text)?.description == text)
        }
        #expect(PlantedSlowdown("4/100") == SelftestPool.tailPlant)
        for text in ["", "x", "11", "-1", "1/0", "1/2/3", "1/x"] {
            #expect(PlantedSlowdown(text) == nil, "\(text)")
        }
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
        // A thread that computes beside the one that waits does not make a row processor-bound.
        let waiting = try failures(pool(rounds: 44, spread: 0.01, syncShare: 0.18))
        #expect(waiting == disk)
        #expect(try failures(pool(rounds: 44, spread: 0.01, syncShare: 0.02)).isEmpty)
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
        let pool = pool(rounds: 2, spread: 0.01, slow: 0.002, syncShare: 0.18)
        let file = try CSVFile(path: folder.path + "/pool.csv", header: SelftestPool.header)
        for entry in pool.entries {
            try file.append(SelftestPool.fields(entry, machine: pool.machine))
        }
        let read = try SelftestPool.load(file.path)
        #expect(read.machine == pool.machine)
        #expect(read.entries == pool.entries)
    }
}
