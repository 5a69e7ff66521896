import StorageEngine
import StressModel

/// Kills writing processes.
///
/// A process that dies leaves the page cache behind, so this shows nothing about durability. It
/// shows that locks pass on, that nothing has to be repaired, and that readers never see half a
/// commit.
struct ProcessDeathLayer: StressLayer {
    let name = "process-death"
    let summary = "kills a writing process before and after each system call, and at random times"
    let proves = "locks pass on, no acknowledged commit is lost, nothing needs repair"
    let settings =
        StressPoint.ofWorkload + ["compacts", "durability", "fault", "format", "kill", "need"]
    let scenarios = [
        StressScenario("create", "the file is being created; no other process has it open"),
        StressScenario("alone", "the file exists; the next process that opens it recovers it"),
        StressScenario("survivor", "another process has the file open and goes on"),
        StressScenario("upgrading", "as alone, in a file of an earlier format"),
        StressScenario("changes", "as alone, in a file whose records carry changes"),
        StressScenario("changes-survivor", "as survivor, in such a file"),
        StressScenario(
            "twice", "as survivor, and the next writer is killed too, before its commit record"),
        StressScenario("compacting", "the file is rewritten packed, then written to"),
        StressScenario(
            "compacting-beside", "as survivor, and the victim asks for a packed file first"),
        StressScenario("random", "killed at a random time; no other process has the file open"),
        StressScenario("beside", "killed at a random time, while another process writes"),
        StressScenario(
            "left-behind", "as survivor, with relaxed commits; no process writes then"),
        StressScenario("restarted", "as left-behind, and another process is started at once"),
        StressScenario(
            "crowded", "killed, or stopped, while it makes `.lock` longer, beside many others"),
        StressScenario("stopped", "a process is stopped in a sync, while another one writes"),
    ]

    /// Number of transactions that a file holds before a victim opens it, unless the victim creates
    /// it.
    static let prepared = 6
    private static let transactions = 12
    /// Number of transactions until the file has become shorter.
    private static let shrinkingTransactions = StressOperation.shrinkingPeriod
    /// Number of kills in a round of the random scenarios.
    private static let randomKills = 40

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            let variant = round + index
            let compacts = scenario.name.hasPrefix("compacting")
            let scale = scale(of: scenario.name, round)
            let point = StressPoint(name, scenario.name)
            return (scenario.name == "upgrading" ? point.withEarlierFormat(round) : point)
                .with("file", FileKind.turn(variant).rawValue)
                .with("durability", durability(of: scenario.name, variant).rawValue)
                .with("scale", scale.rawValue)
                .with(
                    "transactions",
                    scenario.name.hasPrefix("changes")
                        ? StressOperation.transactionsForAllSlots + Self.transactions
                        : scale == .shrinking && !compacts
                            ? Self.shrinkingTransactions : Self.transactions
                )
                .with("compacts", compacts ? true : nil)
                .with("seed", seed &+ UInt64(round))
        }
    }

    private func durability(of scenario: String, _ variant: Int) -> CommitDurability {
        if scenario.hasPrefix("changes") { return .full }
        let isAlwaysRelaxed = ["left-behind", "restarted", "stopped"].contains(scenario)
        return isAlwaysRelaxed || variant / 2 % 3 == 2 ? .relaxed : .full
    }

    private func scale(of scenario: String, _ round: Int) -> StressScale {
        let scales: [StressScale] = [.mixed, .shrinking, .large, .small]
        switch scenario {
        // Large commits, because this scenario is about their records, which list no pages.
        case "twice": return .large
        // Shrinking, so that there are free pages to leave out.
        case "compacting": return .shrinking
        // Neither large nor shrinking: large commits are synced at once, and shrinking takes many
        // commits.
        case "left-behind", "restarted", "stopped", "upgrading", "changes", "changes-survivor":
            return round % 2 == 0 ? .small : .mixed
        default: return scales[round % scales.count]
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        switch point.scenario {
        case "create": try KillAtCalls(point, trial, prepared: 0).run { try $0.reopen() }
        case "alone", "upgrading":
            try KillAtCalls(point, trial, prepared: Self.prepared).run { try $0.reopen() }
        case "changes":
            try KillAtCalls(point, trial, prepared: StressOperation.transactionsForAllSlots)
                .run { try $0.reopen() }
        case "changes-survivor":
            try KillAtCalls(point, trial, prepared: StressOperation.transactionsForAllSlots)
                .run(hasSurvivor: true) { try $0.goOn() }
        case "compacting":
            try KillAtCalls(point, trial, prepared: Self.prepared).run {
                try $0.reopenAndCompact()
            }
        case "survivor", "compacting-beside":
            try KillAtCalls(point, trial, prepared: Self.prepared)
                .run(hasSurvivor: true) { try $0.goOn() }
        case "twice":
            try KillAtCalls(point, trial, prepared: Self.prepared)
                .run(hasSurvivor: true) { try $0.reopenAfterNextVictim() }
        case "left-behind":
            try KillAtCalls(point, trial, prepared: Self.prepared)
                .run(hasSurvivor: true) { try $0.waitUntilDurable() }
        case "restarted":
            try KillAtCalls(point, trial, prepared: Self.prepared, isCutShort: true)
                .run(hasSurvivor: true) { try $0.restart() }
        case "crowded": try KillWhileLockGrows(point, trial).run()
        case "stopped": try StopBeside(point, trial).run()
        case "random": try KillAtTimes(point, trial).run(count: Self.randomKills)
        default: try KillBeside(point, trial).run(count: Self.randomKills)
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads(places: "kill", "fault", "need")
    }
}
