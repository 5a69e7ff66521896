import Testing

@testable import BenchmarkKit

@Suite struct RunSessionTests {
    @Test func theMedianRunStandsForAll() {
        let outcomes = [3.0, 1, 2].map { rate -> CaseOutcome in
            var result = CaseResult.empty()
            result.operations = Int(rate * 100)
            result.elapsedSeconds = 1
            return CaseOutcome(results: [result])
        }
        let chosen = RunSession.representative(of: outcomes)
        #expect(chosen.results[0].operations == 200)
        #expect(chosen.results[0].interval != nil)
    }

    /// The disk is slow in the run in which the database is quick, and the other way round.
    @Test func theControlIsThatOfItsOwnMedianRun() throws {
        let outcomes = [(3.0, 1.0), (1, 2), (2, 3)].map { rate, bare -> CaseOutcome in
            var result = CaseResult.empty()
            var control = CaseResult.empty("sensors", "bare-disk", engine: "control")
            (result.operations, control.operations) = (Int(rate * 100), Int(bare * 100))
            (result.elapsedSeconds, control.elapsedSeconds) = (1, 1)
            return CaseOutcome(results: [result, control])
        }
        let rows = RunSession.representative(of: outcomes).results
        #expect(rows.map(\.throughput) == [200, 200])
        for row in rows {
            let interval = try #require(row.interval)
            #expect(interval.low <= 200 && interval.high >= 200)
        }
    }

    @Test func aFailedRunStandsForAll() {
        var failed = CaseResult.empty()
        failed.status = .failed
        let outcomes = [
            CaseOutcome(results: [CaseResult.empty()]), CaseOutcome(results: [failed]),
        ]
        #expect(RunSession.representative(of: outcomes).results[0].status == .failed)
    }
}
