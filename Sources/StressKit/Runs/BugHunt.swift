import StorageEngine

/// A search for one planted bug, or, without one, for findings in an engine without a bug.
///
/// The scenarios expected to find the bug get two thirds of the time and are tried round after
/// round. The others share what is left. The first finding ends the hunt.
package struct BugHunt {
    /// Tries a point for at most `secondsLeft` seconds, in a process that has the bug.
    package typealias Attempt = (StressPoint, _ secondsLeft: Double) throws -> TrialReport

    /// The result of a hunt.
    package struct Outcome: Equatable, Sendable {
        /// The first failure, or nil if nothing was found.
        package var failure: TrialReport.Failure?
        package var points = 0
        package var seconds = 0.0

        /// The layer and scenario that found it.
        package var finder: String? {
            failure.map { $0.point.split(separator: " ").first.map(String.init) ?? $0.point }
        }
    }

    private let layers: [any StressLayer]
    private let seed: UInt64
    private let seconds: Double
    private let attempt: Attempt

    package init(
        _ layers: [any StressLayer], seed: UInt64, seconds: Double, attempt: @escaping Attempt
    ) {
        self.layers = layers
        self.seed = seed
        self.seconds = seconds
        self.attempt = attempt
    }

    /// Runs the hunt.
    ///
    /// - Parameter expected: scenarios as `layer/scenario`.
    package func run(expected: [String]) throws -> Outcome {
        let start = System.monotonicNanoseconds
        var outcome = Outcome()
        let all = layers.flatMap { layer in
            layer.scenarios.map { Scenario(layer: layer, name: $0.name) }
        }
        let first = expected.compactMap { name in all.first { $0.description == name } }
        let others = all.filter { !expected.contains($0.description) }
        if !first.isEmpty {
            try run(first, until: others.isEmpty ? seconds : seconds * 2 / 3, start, &outcome)
        }
        if outcome.failure == nil { try run(others, until: seconds, start, &outcome) }
        outcome.seconds = Double(System.monotonicNanoseconds - start) / 1e9
        return outcome
    }

    private struct Scenario: CustomStringConvertible {
        var layer: any StressLayer
        var name: String
        var description: String { "\(layer.name)/\(name)" }
    }

    /// Runs rounds of scenarios until something is found, or until `end` seconds after the start.
    /// Each scenario gets an equal share of the time left, so that short ones come again with other
    /// seeds. A scenario that cannot run on this machine is left out.
    private func run(
        _ scenarios: [Scenario], until end: Double, _ start: UInt64, _ outcome: inout Outcome
    ) throws {
        func left() -> Double { end - Double(System.monotonicNanoseconds - start) / 1e9 }
        var scenarios = scenarios
        var round = 0
        while left() > 0, !scenarios.isEmpty {
            var skipped: Set<String> = []
            for scenario in scenarios where left() > 0 {
                let share = left() / Double(scenarios.count)
                for point in scenario.layer.points(round: round, seed: seed)
                where point.scenario == scenario.name {
                    let report = try attempt(point, share)
                    outcome.points += report.points
                    if report.skipped != nil { skipped.insert(scenario.description) }
                    outcome.failure = report.failures.first
                    if outcome.failure != nil { return }
                }
            }
            scenarios.removeAll { skipped.contains($0.description) }
            round += 1
        }
    }
}
