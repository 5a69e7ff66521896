import StorageEngine
import StressModel

/// Brings about situations that rarely happen by chance, one in each scenario.
struct StagedLayer: StressLayer {
    let name = "staged"
    let summary = "brings about certain situations, step by step"
    let proves =
        "nothing is seen before it is durable; transactions move between threads; full pages, "
        + "prefixes of keys and wide classes; forked children leave their parents alone"
    let settings = StressPoint.ofWorkload + ["durability"]
    let scenarios = [
        StressScenario("publication", "others look while the sync of a commit is held"),
        StressScenario("passed-on", "one thread begins a transaction and ends, another commits it"),
        StressScenario("full-leaf", "values that need more bits, in leaves without room for them"),
        StressScenario(
            "key-prefixes", "string keys of several families come into full leaves, and go"),
        StressScenario(
            "forks", "a process with open databases is forked; children open them anew and commit"),
        StressScenario("column-scan", "a scan, when the pages of other properties are damaged"),
    ]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            StressPoint(name, scenario.name)
                .with("file", FileKind.turn(round + index).rawValue)
                .with("durability", durability(of: scenario.name, round))
                .with("transactions", 8)
                .with("seed", seed &+ UInt64(round))
        }
    }

    /// Returns the durability setting of a scenario, or nil where the scenario itself decides it.
    private func durability(of scenario: String, _ round: Int) -> String? {
        guard scenario == "forks" else { return nil }
        return (round % 2 == 0 ? CommitDurability.full : .relaxed).rawValue
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        try trial.attempt(point, with: []) { path in
            switch point.scenario {
            case "publication": try Publication(point, trial, path).run()
            case "passed-on": try PassedOnTransactions(point, trial, path).run()
            case "forks": try Forks(point, trial, path).run()
            case "full-leaf": try FullLeaves(point, trial, path).run()
            case "key-prefixes": try KeyPrefixes(point, trial, path).run()
            default: try ColumnScan(point, trial, path).run()
            }
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        ["publication", "passed-on", "forks"].contains(point.scenario)
            ? try point.withSmallerWorkloads() : []
    }
}
