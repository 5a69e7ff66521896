import StressModel
import Testing

@testable import StressKit

/// A layer that fails whenever two certain transactions are in the workload.
private struct ArtificialLayer: StressLayer {
    let name = "artificial"
    let summary = ""
    let proves = ""
    let settings = StressPoint.ofWorkload + ["place"]
    let scenarios = [StressScenario("only", "")]
    static let culprits: Set<Int> = [5, 17]

    func points(round: Int, seed: UInt64) -> [StressPoint] { [] }

    func run(_ point: StressPoint, in trial: Trial) throws {
        let count = try point.number("transactions", in: 1...1000, default: 12)
        let kept = Set(1...count).subtracting(try point.skipped())
        try trial.attempt(point.with("place", kept.count)) {
            if Self.culprits.isSubset(of: kept) { throw Finding(.lostCommit, "both are there") }
            // Another kind of failure, which must not mislead the shrinker.
            if kept.contains(5) { throw Finding(.anomaly, "one is there") }
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads(places: "place")
    }
}

@Suite struct ShrinkerTests {
    private func failure(of point: StressPoint) throws -> TrialReport.Failure? {
        let trial = Trial(directory: "/nowhere", secondsLeft: 10)
        try ArtificialLayer().run(point, in: trial)
        return trial.report.failures.first
    }

    @Test func aFailureIsMadeAsSmallAsItGets() throws {
        let point = StressPoint("artificial", "only").with("transactions", 40)
        let first = try #require(try failure(of: point))
        let shrinker = Shrinker(ArtificialLayer()) { try failure(of: $0) }
        let (smallest, attempts) = try shrinker.shrink(first, seconds: 20)
        let found = try #require(StressPoint(smallest.point))
        let count = try found.number("transactions", in: 1...1000, default: 0)
        #expect(Set(1...count).subtracting(try found.skipped()) == ArtificialLayer.culprits)
        #expect(smallest.kind == .lostCommit)
        #expect(found["place"] == "2")
        #expect(attempts > 3 && attempts < 400)
        #expect(try failure(of: found) == smallest)
    }

    @Test func withoutTimeTheFailureStaysAsItIs() throws {
        let point = StressPoint("artificial", "only").with("transactions", 40)
        let first = try #require(try failure(of: point))
        let shrinker = Shrinker(ArtificialLayer()) { try failure(of: $0) }
        #expect(try shrinker.shrink(first, seconds: 0).failure == first)
    }
}
