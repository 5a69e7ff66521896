import StorageEngine
import StressModel

/// Does everything at once on one file, for long.
struct LongRunsLayer: StressLayer {
    let name = "long-runs"
    let summary = "writes, rolls back, pins, kills, reopens and copies in random order on one file"
    let proves = "what holds for each alone holds together; file and memory stay bounded"
    let scenarios = [StressScenario("mixed", "one file, a few thousand transactions a round")]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        [
            StressPoint(name, "mixed")
                .with("file", FileKind.allCases[round % 2].rawValue)
                .with("scale", (round % 4 == 3 ? StressScale.large : .mixed).rawValue)
                .with("transactions", round % 4 == 3 ? 300 : 2000)
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
