import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

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
