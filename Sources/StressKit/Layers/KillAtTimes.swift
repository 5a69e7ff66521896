import StorageEngine
import StressModel

/// Kills a victim some random time after it has opened the file, again and again on the same file,
/// until its work is done.
struct KillAtTimes {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle
    private let options: Database.Options

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        options = try point.options()
    }

    /// Longest delay in microseconds. A commit takes some hundreds.
    static let longestDelay = 4000

    func run(count: Int) throws {
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 1 << 32)
        let delays = (0..<count).map { _ in random.below(Self.longestDelay) }
        for delay in try point.value("kill", as: Int.self).map({ [$0] }) ?? delays {
            try trial.attempt(point.with("kill", delay), with: []) {
                try killUntilDone($0, after: delay)
            }
            if trial.mustStop { return }
        }
    }

    private func killUntilDone(_ path: String, after delay: Int) throws {
        var found = 0
        // Bounded, because a victim that never commits before its death would go on forever.
        for _ in 0..<(oracle.workload.count * 2) where found < oracle.workload.count {
            let victim = try VictimProcess(point, path: path, transactions: found, in: trial)
            if try victim.waitUntilOpen() {
                System.sleep(nanoseconds: UInt64(delay) * 1000)
                victim.kill()
            }
            try victim.waitForEnd()
            found = try judge(path, victim.ledger(oracle.workload))
            trial.count(states: 1, commits: victim.acknowledged)
        }
    }

    /// Opens the file and judges it. A separate function, so that the file is closed when it
    /// returns.
    private func judge(_ path: String, _ ledger: CommitLedger) throws -> Int {
        let connection = try Connection(Database.open(path: path, options: options))
        return try oracle.judgeAll(connection, ledger)
    }
}
