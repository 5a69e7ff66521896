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
            Dictionary(
                uniqueKeysWithValues: ids.map { ($0, TimedMeasurement(times: rerun($0))) })
        }.map(\.verdict)
    }

    private func row(_ id: String, _ samples: TimedSamples, floor: Double? = 0.01)
        -> TimedDecision.Row
    {
        TimedDecision.Row(
            caseId: id, measured: TimedMeasurement(times: samples), noiseFloor: floor)
    }

    // MARK: Tails

    /// Returns a row whose times did not change, with shares of slow intervals that did.
    private func tail(
        _ id: String, from before: Double, to after: Double, spread: Double = 0.0005,
        floor: Double? = 0.001, seed: UInt64 = 7
    ) -> TimedDecision.Row {
        var source = NormalSource(generator: SeededGenerator(seed: seed))
        func shares(_ center: Double) -> [Double] {
            (0..<15).map { _ in max(0, center + source.next(1, spread: spread) - 1) }
        }
        let tails = TimedSamples(before: shares(before), after: shares(after))
        return TimedDecision.Row(
            caseId: id,
            measured: TimedMeasurement(times: samples(seed, slowdown: 0), tails: tails),
            noiseFloor: 0.01, tailFloor: floor)
    }

    private func outcomes(
        _ rows: [TimedDecision.Row], rerun: TimedDecision.Row
    ) throws -> [TimedDecision.Outcome] {
        try TimedDecision(policy: TimedPolicy(), seed: 1).outcomes(of: rows) { ids in
            Dictionary(uniqueKeysWithValues: ids.map { ($0, rerun.measured) })
        }
    }

    /// The times of operations are as before: the quickest tenth does not see it.
    @Test func oneSlowOperationInAHundredIsRed() throws {
        let rows = [tail("longer", from: 0.001, to: 0.011), tail("same", from: 0.001, to: 0.001)]
        let found = try outcomes(rows, rerun: tail("again", from: 0.001, to: 0.011, seed: 9))
        #expect(found.map(\.verdict) == [.steady, .steady])
        #expect(found.map(\.tail.verdict) == [.slower, .steady])
        #expect(found[0].entry.status == .failed && found[1].entry.status == .passed)
        #expect(found[0].entry.reasons[0].contains("percentage points more operations"))
        #expect(try #require(found[0].tail.rerun) > 0.009 && found[1].tail.rerun == nil)
    }

    @Test func aLongerTailThatARerunDeniesIsInconclusive() throws {
        let rows = [tail("longer", from: 0.001, to: 0.011)]
        let found = try outcomes(rows, rerun: tail("again", from: 0.001, to: 0.002))
        #expect(found.map(\.tail.verdict) == [.inconclusive])
        #expect(found[0].entry.status == .passed)
    }

    @Test func tailsAreGatedByTheirOwnFloor() throws {
        let again = tail("again", from: 0.001, to: 0.011)
        let rows = [
            tail("noisy", from: 0.001, to: 0.011, floor: 0.0031),
            tail("unknown", from: 0.001, to: 0.011, floor: nil),
            tail("shorter", from: 0.011, to: 0.001), tail("little", from: 0.001, to: 0.005),
        ]
        let found = try outcomes(rows, rerun: again).map(\.tail.verdict)
        #expect(found == [.notGated, .notGated, .steady, .steady])
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
