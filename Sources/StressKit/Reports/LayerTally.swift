import StressModel

/// The result of one scenario in one run: a row of the results.
package struct LayerTally: Equatable, Sendable {
    package let layer: String
    package let scenario: String
    /// Seed of the run. The seed of a round is this plus the round's number.
    package let seed: UInt64
    package let firstRound: Int
    package var rounds = 0
    package var report = TrialReport()
    package var seconds = 0.0

    package init(layer: String, scenario: String, seed: UInt64, firstRound: Int) {
        self.layer = layer
        self.scenario = scenario
        self.seed = seed
        self.firstRound = firstRound
    }

    /// Returns this tally with the rounds of the next one added.
    func followed(by next: LayerTally) -> LayerTally {
        var sum = self
        sum.rounds += next.rounds
        sum.report.add(next.report)
        sum.seconds += next.seconds
        return sum
    }

    package func failures(_ kinds: Finding.Kind...) -> Int {
        report.failures.count { kinds.contains($0.kind) }
    }

    /// Returns a quantile of the hand-over times in microseconds, or nil if there are none.
    package func handOverMicroseconds(_ quantile: Double) -> Double? {
        let times = report.handOverNanoseconds.sorted()
        guard !times.isEmpty else { return nil }
        let rank = Int((quantile * Double(times.count)).rounded(.up)) - 1
        return Double(times[min(max(rank, 0), times.count - 1)]) / 1000
    }
}
