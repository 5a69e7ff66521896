import Testing

@testable import BenchmarkKit

@Suite struct ClockIntervalTests {
    @Test func theTimeOfSeveralReachesFromTheFirstStartToTheLastEnd() {
        let parts = [(5, 9), (2, 3), (4, 6)].map { ClockInterval(start: $0, end: $1) }
        #expect(ClockInterval.covering(parts) == ClockInterval(start: 2, end: 9))
        #expect(ClockInterval.covering([]) == nil)
        #expect(ClockInterval(start: 1_000_000_000, end: 3_500_000_000).seconds == 2.5)
    }
}
