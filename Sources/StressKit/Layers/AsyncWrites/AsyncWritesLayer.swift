import StorageEngine
import StressModel

/// Has Realms of all kinds write asynchronously and at once, in random mixtures, and disturbs them.
///
/// Whatever happens, a file holds a prefix of the transactions with all that were acknowledged, and
/// with all that any other Realm has shown.
struct AsyncWritesLayer: StressLayer {
    static let layerName = "async-writes"

    let name = layerName
    let summary = "writes asynchronously and at once from queues, run loops, actors and threads"
    let proves =
        "a completion without an error is an acknowledgement; nothing is seen before it is "
        + "durable; what is cancelled or fails leaves nothing; commits of a Realm keep their order"
    let settings =
        [
            "bytes", "durability", "exhaustive", "fault", "file", "kill", "place", "processes",
            "samples",
            "seed", "transactions", "writer",
        ]
    let scenarios = [
        StressScenario("mixed", "one process; every commit is acknowledged in the end"),
        StressScenario("processes", "several processes, of which some are killed"),
        StressScenario("killed", "a process is killed at each of its calls"),
        StressScenario("power-loss", "the files that a loss of power could leave"),
        StressScenario("failing-calls", "a call fails, and the completions are given the error"),
        StressScenario("full-disk", "processes on a file system that is full for a time"),
    ]

    private static let files: [FileKind] = [.plain, .plain, .encrypted]
    private static let places = [
        "queue+actor+thread", "run-loop+queue+actor", "actor+run-loop+thread",
        "queue+run-loop+queue+actor",
    ]
    /// Numbers of steps of each writer.
    private static let steps = [
        "mixed": 40, "processes": 20, "killed": 6, "power-loss": 8, "failing-calls": 6,
        "full-disk": 8,
    ]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            // Only under full durability does a completion tell that a commit is on the disk.
            let mayBeRelaxed = ["mixed", "processes", "killed"].contains(scenario.name)
            let isRelaxed = mayBeRelaxed && (round + index) % 4 == 3
            return StressPoint(name, scenario.name)
                .with("file", Self.files[(round + index) % Self.files.count].rawValue)
                .with("durability", (isRelaxed ? CommitDurability.relaxed : .full).rawValue)
                .with("place", Self.places[(round + index) % Self.places.count])
                .with("processes", scenario.name == "processes" ? 2 + round % 2 : nil)
                .with("transactions", Self.steps[scenario.name])
                .with("seed", seed &+ UInt64(round))
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        switch point.scenario {
        case "mixed":
            try trial.attempt(point, with: []) { try AsyncMixture(point, trial, $0).run() }
        case "processes":
            try trial.attempt(point, with: []) { try AsyncProcesses(point, trial, $0).run() }
        case "killed": try AsyncKills(point, trial).run()
        case "power-loss": try AsyncPowerLoss(point, trial).run()
        case "failing-calls": try AsyncFaults(point, trial).run()
        default: try AsyncOnFullDisk(point, trial).run()
        }
    }

    /// What happens also depends on the machine, so a smaller run may have to be tried more than
    /// once.
    func smaller(than point: StressPoint) throws -> [StressPoint] {
        let steps = try point.asyncSteps()
        let fewer = Set([steps / 2, steps * 3 / 4, steps - 1]).sorted()
            .filter { $0 > 0 && $0 < steps }
            .map { point.with("transactions", $0).without("kill", "fault", "bytes") }
        let places = point["place"]?.split(separator: "+") ?? []
        let without = places.indices.filter { _ in places.count > 1 }.map { index in
            var rest = places
            rest.remove(at: index)
            return point.with("place", rest.joined(separator: "+"))
                .without("kill", "fault", "bytes")
        }
        return fewer + without
    }
}
