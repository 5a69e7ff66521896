import StorageEngine
import StressModel

/// Disturbs migrations.
///
/// A plan that is drawn from the seed says what classes and objects a file has, how it is migrated,
/// and what it must hold before and after. Whatever disturbs the last migration, the file is
/// exactly the one or the other, and is migrated when it is opened again.
struct MigrationsLayer: StressLayer {
    static let layerName = "migrations"

    let name = layerName
    let summary = "disturbs migrations of files with random classes to others"
    let proves =
        "a file is the old one or the new one; a migration that returned is durable; one that did "
        + "not works when it is run again; others read on, or are told; their transactions stay"
    let settings =
        [
            "bytes", "exhaustive", "fault", "file", "image", "kill", "migrations", "moment",
            "samples",
            "scale", "seed",
        ]
    let scenarios = [
        StressScenario("killed", "the process is killed, alone"),
        StressScenario("beside", "the process is killed while another one reads"),
        StressScenario("writer-beside", "the process is killed while another one writes"),
        StressScenario("failing-calls", "a call fails; then one more transaction is made"),
        StressScenario("full-disk", "the file system has no room"),
        StressScenario("power-loss", "the files that a loss of power could leave"),
    ]

    private static let mostMigrations = 3

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        let scales: [MigrationScale] = [.mixed, .small, .mixed, .small, .large]
        return scenarios.enumerated().map { index, scenario in
            let scale = scales[(round + index) % scales.count]
            return StressPoint(name, scenario.name)
                .with("file", FileKind.turn(round + index / 2).rawValue)
                .with("scale", scale.rawValue)
                .with("migrations", 1 + (round + index) % Self.mostMigrations)
                .with("samples", scenario.name == "power-loss" && scale == .large ? 2 : nil)
                .with("seed", seed &+ UInt64(round))
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        // The file is made in this process, so that what fails there is a finding, too.
        try trial.keepingFindings(of: point) {
            switch point.scenario {
            case "failing-calls": try MigrationFaults(point, trial).run()
            case "full-disk": try MigrationOnFullDisk(point, trial).run()
            case "power-loss": try MigrationPowerLoss(point, trial).run()
            default: try MigrationKills(point, trial).run()
            }
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        let base = point.without("kill", "fault", "bytes", "moment", "image")
        let migrations = try point.number("migrations", in: 1...8, default: 1)
        return (1..<migrations).map { base.with("migrations", $0) }
            + MigrationScale.allCases.prefix { $0.rawValue != point["scale"] }
            .map { base.with("scale", $0.rawValue) }
    }
}
