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

    @Test func aFailedRunStandsForAll() {
        var failed = CaseResult.empty()
        failed.status = .failed
        let outcomes = [
            CaseOutcome(results: [CaseResult.empty()]), CaseOutcome(results: [failed]),
        ]
        #expect(RunSession.representative(of: outcomes).results[0].status == .failed)
    }
}
