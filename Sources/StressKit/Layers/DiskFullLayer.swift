import StorageEngine
import StressModel

/// Runs workloads on file systems that are too small for them.
struct DiskFullLayer: StressLayer {
    let name = "disk-full"
    let summary = "runs workloads on small real file systems, of all sizes"
    let proves = "no SIGBUS, a typed error, and with space again writing and compacting go on"
    let settings = StressPoint.ofWorkload + ["bytes"]
    let scenarios = [
        StressScenario("tmpfs", "a file system in memory"),
        StressScenario("ext4", "ext4 in a file, mounted by a loop device"),
        StressScenario("objects", "transactions of the object API on a file system in memory"),
    ]

    /// The first size is too small for a new file. The last is larger than a workload usually
    /// needs.
    private static let firstBytes = 128 << 10
    private static let stepBytes = 44 << 10
    private static let sizes = 60
    /// Coprime to the number of sizes. Sizes are tried in an order that soon reaches all phases, in
    /// case time is short.
    private static let stride = 23

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        let scale = [StressScale.large, .mixed, .shrinking][round / 2 % 3]
        return scenarios.map { scenario in
            StressPoint(name, scenario.name)
                .with("file", FileKind.turn(round).rawValue)
                .with("scale", scale.rawValue)
                // Small transactions allocate pages at other moments, so that all phases meet a
                // full disk.
                .with("transactions", scale == .mixed ? 90 : 24)
                .with("seed", seed &+ UInt64(round))
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        let isOfObjects = point.scenario == "objects"
        guard let kind = isOfObjects ? .tmpfs : SmallDisk.Kind(rawValue: point.scenario) else {
            throw point.unreadable("scenario", point.scenario)
        }
        if let obstacle = SmallDisk.obstacle(kind, below: trial.directory) {
            return trial.skip("\(point.scenario): \(obstacle)")
        }
        let sweep = (0..<Self.sizes).map {
            Self.firstBytes + $0 * Self.stride % Self.sizes * Self.stepBytes
        }
        for bytes in try point.value("bytes", as: Int.self).map({ [$0] }) ?? sweep {
            try trial.attempt(point.with("bytes", bytes)) {
                if isOfObjects {
                    try ObjectsOnFullDisk(point, trial, bytes: bytes).run()
                } else {
                    try WritingToFullDisk(point, trial, kind, bytes: bytes).run()
                }
            }
            if trial.mustStop { return }
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads(places: "bytes")
    }
}
