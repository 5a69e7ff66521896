import StorageEngine
import StressModel

/// Rebuilds the files that a loss of power could leave, and opens them.
///
/// What is written after a sync may be on the disk or not until the next one: each sector of the
/// commit records, each page, in any combination. A loss of power between two system calls leaves
/// some such combination; the harness makes them from the recorded calls.
struct PowerLossLayer: StressLayer {
    let name = "power-loss"
    let summary = "rebuilds the files that a loss of power could leave, from all writes and syncs"
    let proves = "an acknowledged commit is durable; any interruption leaves a prefix"
    let scenarios = [
        StressScenario("creating", "the file is made, and takes its first transactions"),
        StressScenario("full", "one transaction after the other, each with its sync"),
        StressScenario("grouped", "several transactions share a record and a sync"),
        StressScenario("relaxed", "syncs in the background; every fifth transaction waits for one"),
        StressScenario(
            "relaxed-slots", "more transactions that do not wait than there are commit records"),
        StressScenario(
            "adopted", "a process dies, another goes on from what it left, then power is lost"),
        StressScenario("growing", "large transactions, so that the file grows"),
        StressScenario("encrypted", "as full, in an encrypted file"),
    ]

    /// Transactions before the first that is traced, so that pages are used again.
    private static let prepared = [8, 30]
    private static let traced = 8
    /// Large files take long to write and to read: rather more transactions than images of each.
    private static let samplesOfLargeFiles = 12
    /// There are 64 commit records.
    private static let manyTraced = 72

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            let isNew = scenario.name == "creating"
            let prepared = isNew ? 0 : Self.prepared[(round / 2 + index) % Self.prepared.count]
            let fillsSlots = scenario.name == "relaxed-slots"
            let traced = isNew ? 3 : fillsSlots ? Self.manyTraced : Self.traced
            let isSmall =
                fillsSlots || (round + index) % 2 == 0 && scenario.name != "growing"
            return StressPoint(name, scenario.name)
                .with("scale", (isSmall ? StressScale.small : defaultScale(scenario.name)).rawValue)
                .with("file", file(scenario.name, round).rawValue)
                .with("prepared", prepared)
                .with("transactions", prepared + traced)
                .with("samples", scenario.name == "growing" ? Self.samplesOfLargeFiles : nil)
                .with("seed", seed &+ UInt64(round))
        }
    }

    private func defaultScale(_ scenario: String) -> StressScale {
        scenario == "growing" ? .large : .mixed
    }

    private func file(_ scenario: String, _ round: Int) -> FileKind {
        scenario == "encrypted" || scenario == "creating" && round % 2 == 1 ? .encrypted : .plain
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        try PowerLossImages(point, trial).run()
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads(places: "died", "moment", "image")
    }
}
