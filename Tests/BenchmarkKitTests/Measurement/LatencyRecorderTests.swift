import Testing

@testable import BenchmarkKit

@Suite struct LatencyRecorderTests {
    @Test func percentilesAreExactToThreeDigits() throws {
        var recorder = LatencyRecorder()
        for microseconds in 1...10_000 { recorder.record(UInt64(microseconds) * 1000) }
        let summary = try #require(recorder.summary())
        for (measured, expected) in [
            (summary.p50, 5000.0), (summary.p90, 9000), (summary.p99, 9900),
            (summary.p999, 9990), (summary.p9999, 9999), (summary.max, 10_000),
        ] {
            #expect(abs(measured - expected) <= expected * 0.001 + 0.001)
        }
    }

    /// Of durations that are more than twice the median, and of enough of them only.
    @Test func theShareOfSlowOnesIsCounted() throws {
        var recorder = LatencyRecorder()
        for number in 0..<198 { recorder.record(number.isMultiple(of: 2) ? 100_000 : 199_000) }
        recorder.record(500_000)
        #expect(try #require(recorder.summary()).slowShare == nil)
        recorder.record(9_000_000)
        let summary = try #require(recorder.summary())
        #expect(summary.slowShare == 0.01)
        #expect(summary.divided(by: 10).slowShare == 0.01)
    }

    @Test func nothingRecordedGivesNothing() {
        #expect(LatencyRecorder().summary() == nil)
        #expect(LatencyRecorder().percentile(99) == nil)
    }

    @Test func durationsBeyondTheRangeAreKept() throws {
        var recorder = LatencyRecorder()
        recorder.record(0)
        recorder.record(.max)
        #expect(recorder.count == 2)
        #expect(try #require(recorder.summary()).max >= 599_000_000)
    }

    @Test func aBatchCountsForAllItsOperations() throws {
        var recorder = LatencyRecorder()
        recorder.record(1_000_000, count: 999)
        recorder.record(9_000_000)
        #expect(recorder.count == 1000)
        #expect(abs(try #require(recorder.percentile(99)) - 1000) < 2)
    }
}
