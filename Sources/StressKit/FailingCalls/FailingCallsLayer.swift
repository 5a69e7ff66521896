import StorageEngine
import StressModel

/// Makes system calls fail.
struct FailingCallsLayer: StressLayer {
    let name = "failing-calls"
    let summary = "fails the n-th system call of each kind, for every n, once and for ever"
    let proves = "a typed error, the transaction rolled back, and the process goes on"
    let scenarios = [
        StressScenario("once", "one call fails; the transaction is tried again"),
        StressScenario("for-ever", "all calls from one on fail, until they are mended"),
        StressScenario("open", "one call fails while the file is opened or created"),
    ]

    private static let transactions = 14

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        let scales: [StressScale] = [.mixed, .large, .small]
        return scenarios.enumerated().map { index, scenario in
            StressPoint(name, scenario.name)
                .with("file", FileKind.allCases[(round + index) % 2].rawValue)
                .with("scale", scales[round % scales.count].rawValue)
                .with("transactions", Self.transactions)
                .with("seed", seed &+ UInt64(round))
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        let faults = try CallFaults(point, trial)
        try faults.run { fault, path, interceptor in
            switch point.scenario {
            case "open": try OpeningUnderFault(faults, fault, path, interceptor).run()
            default: try WritingUnderFault(faults, fault, path, interceptor).run()
            }
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads(places: "fault")
    }
}
