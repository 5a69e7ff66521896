import StorageEngine
import StressModel

/// Rebuilds the files that a power loss could leave, and opens them.
///
/// Writes after a sync may or may not be on the disk until the next sync: each sector of the commit
/// records and each page, in any combination. A power loss between two system calls leaves one of
/// these combinations. The harness makes them from the recorded calls.
struct PowerLossLayer: StressLayer {
    let name = "power-loss"
    let summary = "rebuilds the files that a loss of power could leave, from all writes and syncs"
    let proves = "an acknowledged commit is durable; any interruption leaves a prefix"
    let settings =
        StressPoint.ofWorkload
        + ["died", "exhaustive", "format", "image", "moment", "prepared", "samples"]
    let scenarios = [
        StressScenario("creating", "the file is made, and takes its first transactions"),
        StressScenario("full", "one transaction after the other, each with its sync"),
        StressScenario("grouped", "several transactions share a record and a sync"),
        StressScenario("relaxed", "syncs in the background; every fifth transaction waits for one"),
        StressScenario(
            "relaxed-slots", "more transactions than there are commit records, beside a long sync"),
        StressScenario(
            "adopted", "a process dies, another goes on from what it left, then power is lost"),
        StressScenario("changes", "as full, in a file whose records carry changes"),
        StressScenario("changes-mixed", "the same; every 21st transaction is relaxed"),
        StressScenario("changes-grouped", "the same; several transactions share a record"),
        StressScenario("changes-adopted", "the same; a process dies, another goes on from there"),
        StressScenario("changes-wrapping", "the same; the records go round their ring twice"),
        StressScenario("upgrading", "as full, in a file of an earlier format"),
        StressScenario("growing", "large transactions, so that the file grows"),
        StressScenario("shrinking", "the file is moved together and cut"),
        StressScenario("shrinking-relaxed", "the same; every third transaction waits for a sync"),
        StressScenario("compacting", "the file is replaced by a packed one, then written to"),
        StressScenario("encrypted", "as full, in an encrypted file"),
    ]

    /// Numbers of transactions, their size, and the number of samples.
    private struct Extent {
        var scale: StressScale
        /// Number of transactions before the first traced one, so that pages are reused.
        var prepared: Int
        var traced: Int
        /// Number of sampled images for each moment. Large files take long to write and to read, so
        /// fewer images are tried of each moment.
        var samples: Int?
        /// See ``PowerLossImages``.
        var exhaustive: Int?
    }

    private func extent(of scenario: String, _ variant: Int) -> Extent {
        let isSmall = variant % 2 == 0
        let scale = isSmall ? StressScale.small : .mixed
        let prepared = variant / 2 % 2 == 0 ? 8 : 30
        switch scenario {
        case "creating": return Extent(scale: scale, prepared: 0, traced: 3)
        case "growing": return Extent(scale: .large, prepared: prepared, traced: 8, samples: 12)
        // There are 64 commit records, from the beginning: to get them, a commit would wait for the
        // long sync. Some are skipped during that, and others after it.
        case "relaxed-slots":
            return Extent(
                scale: .small, prepared: StressOperation.transactionsForAllSlots, traced: 120)
        case "shrinking", "shrinking-relaxed":
            let filling = StressOperation.transactionsThatFill
            return Extent(
                scale: .shrinking, prepared: filling,
                traced: StressOperation.shrinkingPeriod - filling, samples: 4)
        case "changes-wrapping":
            return Extent(
                scale: .small, prepared: StressOperation.transactionsForAllSlots, traced: 130,
                samples: 6, exhaustive: 3)
        case "upgrading":
            let prepared = isSmall ? prepared : StressOperation.transactionsForAllSlots
            return Extent(scale: scale, prepared: prepared, traced: 4)
        case let name where name.hasPrefix("changes"):
            return Extent(
                scale: scale, prepared: StressOperation.transactionsForAllSlots, traced: 24,
                samples: 8)
        case "compacting": return Extent(scale: .shrinking, prepared: 8, traced: 4, samples: 12)
        default: return Extent(scale: scale, prepared: prepared, traced: 8)
        }
    }

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            let extent = extent(of: scenario.name, round + index)
            let point = StressPoint(name, scenario.name)
            return (scenario.name == "upgrading" ? point.withEarlierFormat(round) : point)
                .with("scale", extent.scale.rawValue)
                .with("file", file(scenario.name, index, round).rawValue)
                .with("prepared", extent.prepared)
                .with("transactions", extent.prepared + extent.traced)
                .with("samples", extent.samples)
                .with("exhaustive", extent.exhaustive)
                .with("seed", seed &+ UInt64(round))
        }
    }

    private func file(_ scenario: String, _ index: Int, _ round: Int) -> FileKind {
        if scenario.hasPrefix("changes") || scenario == "upgrading" { return .turn(round + index) }
        let turns = ["creating", "shrinking", "shrinking-relaxed", "compacting"]
        return scenario == "encrypted" || turns.contains(scenario) && round % 2 == 1
            ? .encrypted : .plain
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        try PowerLossImages(point, trial).run()
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads(places: "died", "moment", "image")
    }
}
