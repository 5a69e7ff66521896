import StorageEngine
import StressModel

/// Does everything at once on one file, for a long time.
struct LongRunsLayer: StressLayer {
    let name = "long-runs"
    let summary =
        "writes, rolls back, pins, kills, reopens, copies and compacts in random order on one file"
    let proves = "what holds for each alone holds together; file and memory stay bounded"
    let settings = StressPoint.ofWorkload + ["compacts"]
    let scenarios = [StressScenario("mixed", "one file, a few thousand transactions a round")]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        let (scale, transactions): (StressScale, Int) = [
            (.mixed, 2000), (.shrinking, 12 * StressOperation.shrinkingPeriod), (.mixed, 2000),
            (.large, 300),
        ][round % 4]
        return [
            StressPoint(name, "mixed")
                .with("file", FileKind.turn(round + round / 4).rawValue)
                .with("scale", scale.rawValue)
                .with("transactions", transactions)
                .with("compacts", round % 2 == 1 ? true : nil)
                .with("seed", seed &+ UInt64(round))
        ]
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        try trial.attempt(point) {
            let path = trial.file("long")
            defer { trial.remove(path) }
            try MixedRun(point, trial, path).run()
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads()
    }
}
