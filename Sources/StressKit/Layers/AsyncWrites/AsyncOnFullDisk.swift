import StorageEngine
import StressModel

/// A process with writers on a file system that is full until the first of them is told so.
struct AsyncOnFullDisk {
    private let point: StressPoint
    private let trial: Trial

    private static let bytesAtFirst = 32 << 20
    private static let firstBytes = 32 << 10
    private static let stepBytes = 60 << 10
    private static let sizes = 24
    /// Coprime to the number of sizes, so that few of them already differ much.
    private static let stride = 7

    init(_ point: StressPoint, _ trial: Trial) {
        self.point = point
        self.trial = trial
    }

    func run() throws {
        if let obstacle = SmallDisk.obstacle(.tmpfs, below: trial.directory) {
            return trial.skip("tmpfs: \(obstacle)")
        }
        let sweep = (0..<Self.sizes).map {
            Self.firstBytes + $0 * Self.stride % Self.sizes * Self.stepBytes
        }
        for bytes in try point.value("bytes", as: Int.self).map({ [$0] }) ?? sweep {
            let point = point.with("bytes", bytes)
            try trial.attempt(point) { try attempt(point, bytes) }
            if trial.mustStop { return }
        }
    }

    private func attempt(_ point: StressPoint, _ bytes: Int) throws {
        let judge = AsyncJudge(point: point, trial: trial)
        let disk = try SmallDisk(.tmpfs, bytes: Self.bytesAtFirst, below: trial.directory)
        let path = disk.path + "/written"
        try judge.create(path)
        try disk.leaveFree(bytes)
        let events = AsyncEvents()
        // A process of its own: threads of this one that are older than the disk do not see it.
        let victim = try VictimProcess(
            point.inProcess(1), path: path, faults: SystemCallFault.slowSyncs.text,
            transactions: 0, in: trial)
        var isFull = true
        victim.hear = { line in
            events.hear(line)
            guard isFull, case .failed = AsyncEvent(line) else { return }
            disk.dropBallast()
            isFull = false
        }
        if try victim.waitForEnd() { throw Finding(.crash, "a writing process was killed.") }
        if isFull { disk.dropBallast() } else { trial.cover("the disk is full") }
        let ledger = try AsyncLedger(events.all)
        if let (ticket, failure) = ledger.failures.first(where: { $0.value != .full }) {
            throw Finding(
                .wrongError, "\(ticket) fails (\(failure.rawValue)) when the disk is full.")
        }
        trial.cover("commits", times: ledger.done.count)
        trial.cover("commits that failed", times: ledger.failures.count)
        try judge.reopen(path, ledger)
    }
}
