import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct OpenLoopTests {
    @Test func operationsAreDueAtTheRate() {
        let loop = OpenLoop(rate: 1000, start: 5_000_000)
        #expect([0, 1, 2500].map(loop.due) == [5_000_000, 6_000_000, 2_505_000_000])
        let due = monotonicNanoseconds() + 2_000_000
        #expect(OpenLoop.wait(until: due) >= due)
        let past = monotonicNanoseconds()
        #expect(OpenLoop.wait(until: past) >= past)
    }

    /// Each operation takes 5 ms and is due after 1 ms more, so the last one ends long after it was
    /// due; its own time hides that.
    @Test func whatIsDelayedCountsFromWhenItWasDue() throws {
        let folder = try TemporaryFolder()
        let slow = Workload.core("slow", "", needs: [.persons]) { core in
            let commits = try SingleCommits(core, try core.create(.unkeyed))
            try commits.run { _ in usleep(5000) }
            return CaseOutcome(
                results: try commits.results(logicalBytes: 1), histograms: commits.histograms)
        }
        let outcome = try runCase(slow, "engine", size: 1, in: folder) {
            $0.count = 40
            $0.rate = 1000
        }
        let row = try #require(outcome.results.first)
        #expect(outcome.results.count == 1)
        #expect(row.offeredRate == 1000)
        #expect(try #require(row.latency).p50 < 20_000)
        #expect(try #require(row.measure("intended_p99_us")) > 120_000)
        #expect(outcome.histograms[.total] != nil)
    }

    @Test func everyWorkloadOfSingleCommitsKeepsToTheRate() throws {
        for (workload, strategy) in [
            ("commit", "engine"), ("update", "api"), ("concurrent-commit", "engine"),
        ] {
            let folder = try TemporaryFolder()
            let outcome = try runCase(workload, strategy, size: 50, in: folder) {
                $0.count = 60
                $0.rate = 300
                $0.threads = workload == "concurrent-commit" ? 3 : 1
            }
            let row = outcome.results[0]
            #expect(row.operations == 60)
            // The last of 60 is due after 59 of 300 of a second.
            #expect(row.elapsedSeconds >= 59.0 / 300)
            #expect(row.measure("intended_p50_us") != nil)
            #expect(try problems(outcome) == [])
            #expect(!outcome.results.contains { $0.identifier.engine == "control" })
        }
    }
}
