import StorageEngine
import StressModel

/// Makes system calls fail.
struct FailingCallsLayer: StressLayer {
    let name = "failing-calls"
    let summary = "fails the n-th system call of each kind, for every n, once and for ever"
    let proves = "a typed error, the transaction rolled back, and the process goes on"
    let settings = StressPoint.ofWorkload + ["fault"]
    let scenarios = [
        StressScenario("once", "one call fails; the transaction is tried again"),
        StressScenario("for-ever", "all calls from one on fail, until they work again"),
        StressScenario("changes", "as once, in a file whose records carry changes"),
        StressScenario("open", "one call fails while the file is opened or created"),
        StressScenario("compacting", "one call fails while the file is rewritten packed"),
        StressScenario(
            "overlapping", "a sync fails beside another one, which is told of nothing"),
        StressScenario(
            "objects", "taking pages, or a call, fails in a transaction of the object API"),
    ]

    private static let transactions = 14
    /// Number of transactions until the file has become shorter.
    private static let shrinkingTransactions = StressOperation.shrinkingPeriod

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        let scales: [StressScale] = [.mixed, .shrinking, .large, .small]
        return scenarios.enumerated().map { index, scenario in
            let carries = scenario.name == "changes"
            let scale = carries ? .small : scales[(round + index / 3) % scales.count]
            return StressPoint(name, scenario.name)
                .with("file", FileKind.turn(round + index).rawValue)
                .with("scale", scale.rawValue)
                .with(
                    "transactions",
                    carries
                        ? StressOperation.transactionsForAllSlots + Self.transactions
                        : scale == .shrinking ? Self.shrinkingTransactions : Self.transactions
                )
                .with("seed", seed &+ UInt64(round))
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        if point.scenario == "overlapping" { return try OverlappingSyncs(point, trial).run() }
        if point.scenario == "objects" { return try ObjectsUnderFault(point, trial).run() }
        try CallFaults(point, trial).run { attempt in
            switch point.scenario {
            case "open": try OpeningUnderFault(attempt: attempt).run()
            case "compacting": try CompactingUnderFault(attempt: attempt).run()
            default: try WritingUnderFault(attempt: attempt).run()
            }
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        // The numbers of transactions in this scenario are fixed: three before the fault and one
        // with it.
        if point.scenario == "objects" { return [] }
        return try point.withSmallerWorkloads(places: "fault")
    }
}
