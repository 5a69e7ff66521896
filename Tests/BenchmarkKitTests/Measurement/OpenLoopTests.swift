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

    /// What lies between the start of the schedule and the first operation, or between two of them,
    /// makes operations late. So it counts as elapsed, too: the only operation of each of these
    /// cases is due at once, and the counters of allocations are read slowly in between.
    @Test(arguments: [
        ("commit", "engine"), ("update", "api"), ("insert", "engine"), ("notify", "refresh"),
        ("concurrent-commit", "engine"), ("growth", "steady"), ("ycsb-a", "engine"),
        ("sensors", "current"),
    ])
    func theClockStartsWithTheSchedule(workload: String, strategy: String) throws {
        let folder = try TemporaryFolder()
        let slow = AllocationProbe(allocatorName: "slow") {
            usleep(30_000)
            return AllocationProbe.Reading(threadBytes: 0, threadFreedBytes: 0, allocations: 0)
        }
        let outcome = try runCase(workload, strategy, size: 50, in: folder, allocations: slow) {
            $0.count = 1
            $0.rate = 10
        }
        let row = outcome.results[0]
        let intended = try #require(row.measure("intended_p50_us"))
        // Latencies are rounded to three digits.
        #expect(row.elapsedSeconds * 1e6 >= intended * 0.995)
    }

    /// The workloads with a loop of their own. The operation `last` is due last.
    @Test(arguments: [
        ("insert", "api", 50), ("insert", "engine", 50), ("growth", "steady", 59),
        ("growth", "burst-pinned", 59), ("notify", "queue", 59), ("ycsb-a", "api", 59),
        ("ycsb-f", "engine", 59),
    ])
    func everyDurableWorkloadKeepsToTheRate(
        workload: String, strategy: String, last: Int
    ) throws {
        let folder = try TemporaryFolder()
        let outcome = try runCase(workload, strategy, size: 60, in: folder) {
            $0.count = 60
            $0.batchSize = 10
            $0.rate = 300
        }
        let row = outcome.results[0]
        #expect(row.operations == 60 && row.offeredRate == 300)
        #expect(row.elapsedSeconds >= Double(last) / 300)
        let intended = try #require(row.measure("intended_p99_us"))
        // What was due is never before what has begun.
        #expect(try intended >= #require(row.latency).p50)
        #expect(outcome.histograms[.total] != nil)
        #expect(try problems(outcome) == [])
        #expect(outcome.results.count == 1 && !row.isDeterministic)
    }

    /// The search has rates of its own.
    @Test func aSearchForARateTakesNone() throws {
        let workload = try WorkloadCatalogue.workload(named: "ycsb-a")
        let takers = workload.strategies.filter { $0.furtherOptions.contains(.rate) }
        #expect(takers.map { $0.name } == ["api", "engine"])
    }

    @Test func whatIsPostponedIsDueLater() {
        var loop = OpenLoop(rate: 1000, start: 5_000_000)
        loop.postpone(by: 7)
        #expect(loop.due(1) == 6_000_007)
    }
}
