import StorageEngine
import StressModel

/// Has many processes and threads append to lists and read them, and looks for an order of their
/// transactions that explains what they read.
struct ManyWritersLayer: StressLayer {
    let name = "many-writers"
    let summary = "processes and threads append to lists and read them; histories are checked"
    let proves =
        "no lost update, no dirty read, one order of all transactions that keeps to the clock"
    let settings =
        [
            "durability", "file", "lists", "need", "processes", "seed", "threads", "transactions",
        ]
    let scenarios = [
        StressScenario("threads", "threads of one process"),
        StressScenario("processes", "several processes with several threads each"),
        StressScenario("killed", "as processes, and one after the other is killed"),
        StressScenario(
            "crowded", "as killed, beside so many others that `.lock` becomes longer meanwhile"),
        StressScenario(
            "launches", "as killed; each opens the file anew, again and again, and compacts it"),
    ]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        let durability: CommitDurability = round / 2 % 2 == 0 ? .full : .relaxed
        return scenarios.enumerated().map { index, scenario in
            let isOneProcess = scenario.name == "threads"
            // Within a process, relaxed commits follow each other so fast that rare interleavings
            // on their way to the file happen.
            let transactions = isOneProcess && durability == .relaxed ? 200 : 60
            return StressPoint(name, scenario.name)
                .with("file", FileKind.turn(round + index).rawValue)
                .with("durability", durability.rawValue)
                .with("processes", isOneProcess ? 1 : 2 + round % 3)
                .with("threads", threads(of: scenario.name, round))
                .with("transactions", transactions)
                .with("lists", 3 + round % 4)
                .with("need", scenario.name == "crowded" ? need(round).rawValue : nil)
                .with("seed", seed &+ UInt64(round))
        }
    }

    private func need(_ round: Int) -> Crowd.Need { round % 2 == 0 ? .processes : .connections }

    private func threads(of scenario: String, _ round: Int) -> Int {
        switch scenario {
        case "threads": 2 + round % 7
        // Few threads, because a file is compacted only while no other process has it open.
        case "launches": 1 + round % 2
        default: 1 + round % 3
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        try trial.attempt(point, with: []) { try AppendersRun(point, trial, $0).run() }
    }

    /// What happens also depends on the machine, so a smaller run may have to be tried more than
    /// once.
    func smaller(than point: StressPoint) throws -> [StressPoint] {
        var candidates: [StressPoint] = []
        for (name, fewest) in [("processes", 1), ("threads", 1), ("transactions", 5), ("lists", 1)]
        {
            let number = try point.number(name, in: 1...100_000, default: 1)
            if number / 2 >= fewest { candidates.append(point.with(name, number / 2)) }
            if number - 1 >= fewest { candidates.append(point.with(name, number - 1)) }
        }
        return candidates
    }
}
