import StorageEngine
import ToolSupport

/// One `realm-bench stress selftest`: a hunt without a bug, then one for each bug.
package final class SelftestRun {
    /// Returns an attempt that runs in worker processes with a bug, or without one for nil, and a
    /// function that ends them.
    package typealias Workers = (PlantedBugEntry?) -> (attempt: BugHunt.Attempt, end: () -> Void)

    package struct Plan {
        package var bugs: [PlantedBugEntry]
        package var layers: [any StressLayer]
        /// Duration of the hunt for each bug, and of the hunt without one.
        package var seconds: Double
        package var seed: UInt64

        package init(
            bugs: [PlantedBugEntry], layers: [any StressLayer], seconds: Double, seed: UInt64
        ) {
            self.bugs = bugs
            self.layers = layers
            self.seconds = seconds
            self.seed = seed
        }
    }

    private let plan: Plan
    private let workers: Workers

    package init(_ plan: Plan, workers: @escaping Workers) {
        self.plan = plan
        self.workers = workers
    }

    /// Runs all hunts. Calls `tell` with each row as soon as it is known, the control first.
    package func run(_ tell: (SelftestRow) throws -> Void) throws -> [SelftestRow] {
        var rows: [SelftestRow] = []
        for bug in [nil] + plan.bugs.map(Optional.some) {
            try Interruption.throwIfRequested()
            let (attempt, end) = workers(bug)
            defer { end() }
            let hunt = BugHunt(
                plan.layers, seed: plan.seed, seconds: plan.seconds, attempt: attempt)
            let row = SelftestRow(bug: bug, outcome: try hunt.run(expected: bug?.expected ?? []))
            rows.append(row)
            try tell(row)
        }
        return rows
    }
}
