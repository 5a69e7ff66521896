import StorageEngine
import StressModel

/// A process that migrates a file on a file system without room.
struct MigrationOnFullDisk {
    private let point: StressPoint
    private let trial: Trial
    private let file: MigratedFile
    private let image: [UInt8]

    private static let bytesAtFirst = 80 << 20
    private static let sizes = 24
    /// Coprime to the number of sizes, so that few of them already differ much.
    private static let stride = 7

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        file = try MigratedFile(point)
        image = try file.prepare(trial)
    }

    func run() throws {
        if let obstacle = SmallDisk.obstacle(.tmpfs, below: trial.directory) {
            return trial.skip("tmpfs: \(obstacle)")
        }
        let isLarge = try point.value("scale", default: MigrationScale.mixed) == .large
        let step = isLarge ? 1 << 20 : 12 << 10
        let sweep = (0..<Self.sizes).map { $0 * Self.stride % Self.sizes * step }
        for bytes in try point.value("bytes", as: Int.self).map({ [$0] }) ?? sweep {
            let point = point.with("bytes", bytes)
            try trial.attempt(point) { try attempt(point, bytes) }
            if trial.mustStop { return }
        }
    }

    private func attempt(_ point: StressPoint, _ bytes: Int) throws {
        let disk = try SmallDisk(.tmpfs, bytes: Self.bytesAtFirst, below: trial.directory)
        let path = disk.path + "/migrated"
        try trial.write(image, to: path)
        try disk.leaveFree(bytes)
        // A process of its own: threads of this one that are older than the disk do not see it.
        let victim = try VictimProcess(point, path: path, transactions: 0, in: trial)
        var isFull = false
        victim.hear = { isFull = isFull || $0 == MigrationProcess.full }
        if try victim.waitForEnd() { throw Finding(.crash, "a migrating process was killed.") }
        if isFull { trial.cover("the disk is full") }
        disk.dropBallast()
        let isDone = victim.acknowledged > 0
        try file.judgeAndMigrate(
            path, isDone ? .acknowledged : .failed("the disk is full."), in: trial)
    }
}
