import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct SustainableRateTests {
    /// Returns the search for a system whose latency explodes at the rate `capacity`.
    private func search(capacity: Double, unthrottled: Double) -> SustainableRate {
        var search = SustainableRate(unthrottled: unthrottled)
        for _ in 0..<SustainableRate.steps {
            let target = search.target
            search.record(
                .init(
                    target: target, achieved: min(target, capacity),
                    p99: target < capacity ? 400 : 90_000))
        }
        return search
    }

    @Test func theHighestRateUnderTheLimitIsFound() {
        let found = search(capacity: 700, unthrottled: 1000).operationsPerSecond
        #expect(found <= 700)
        #expect(found > 690)
    }

    @Test func noneIsFoundWhereEveryRateIsTooSlow() {
        let found = search(capacity: 0, unthrottled: 1000)
        #expect(found.operationsPerSecond == 0)
        let lowest = 1000.0 / 256
        #expect(
            found.reason == "No rate has a p99 under 1,000 us. At the lowest one tried, "
                + "\(Display.number(lowest))/s, it was 90,000 us at 0/s.")
        #expect(search(capacity: 700, unthrottled: 1000).reason == nil)
    }

    @Test func aRateThatWasNotReachedDoesNotPass() {
        #expect(!SustainableRate.Trial(target: 1000, achieved: 900, p99: 10).passes)
        #expect(SustainableRate.Trial(target: 1000, achieved: 995, p99: 1000).passes)
        #expect(!SustainableRate.Trial(target: 1000, achieved: 1000, p99: 1001).passes)
    }
}
