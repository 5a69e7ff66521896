import StorageEngine
import StressModel

/// Holds old versions while a writer goes on.
struct PinnedReadersLayer: StressLayer {
    let name = "pinned-readers"
    let summary = "holds old versions while a writer goes on, and looks at the size of the file"
    let proves = "a reader keeps what it sees, and costs no more than its own snapshot"
    let scenarios = [
        StressScenario("one", "one reader of the first version for the whole run"),
        StressScenario("many", "readers that come, move on and go"),
        StressScenario("beside", "readers on other threads, which always go to the newest version"),
    ]

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            StressPoint(name, scenario.name)
                .with("file", FileKind.allCases[(round + index) % 2].rawValue)
                .with("scale", (round % 3 == 2 ? StressScale.large : .mixed).rawValue)
                .with("transactions", round % 3 == 2 ? 150 : 1500)
                .with("seed", seed &+ UInt64(round))
        }
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
