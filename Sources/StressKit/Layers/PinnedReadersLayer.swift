import StorageEngine
import StressModel

/// Pins old versions while a writer goes on.
struct PinnedReadersLayer: StressLayer {
    let name = "pinned-readers"
    let summary = "holds old versions while a writer goes on, and looks at the size of the file"
    let proves = "a reader keeps what it sees, and costs no more than its own snapshot"
    let settings = StressPoint.ofWorkload
    let scenarios = [
        StressScenario("one", "one reader of the first version for the whole run"),
        StressScenario("many", "readers that come, move on and go"),
        StressScenario("shrinking", "readers that come and go, of a file that becomes shorter"),
        StressScenario("beside", "readers on other threads, which always go to the newest version"),
    ]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            StressPoint(name, scenario.name)
                .with("file", FileKind.turn(round + index).rawValue)
                .with("scale", scale(of: scenario.name, round).rawValue)
                .with("transactions", Self.transactions[scale(of: scenario.name, round)])
                .with("seed", seed &+ UInt64(round))
        }
    }

    private static let transactions: [StressScale: Int] = [
        .mixed: 1500, .large: 150, .shrinking: 8 * StressOperation.shrinkingPeriod,
    ]

    private func scale(of scenario: String, _ round: Int) -> StressScale {
        scenario == "shrinking" ? .shrinking : round % 3 == 2 ? .large : .mixed
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        try trial.attempt(point) {
            let path = trial.file("pinned")
            defer { trial.remove(path) }
            if point.scenario == "beside" {
                try ReadingBesideWriter(point, trial, path).run()
            } else {
                try WritingBesideReaders(point, trial, path).run()
            }
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads()
    }
}
