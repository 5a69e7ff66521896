import StorageEngine
import StressModel
import ToolSupport

/// Kills victims at random times while a thread of this process writes to the same file. Measures
/// the time from each kill until that thread has the write lock.
struct KillBeside {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle

    init(_ point: StressPoint, _ trial: Trial) throws {
        self.point = point
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
    }

    /// The bound of guarantee E9 (docs/guarantees.md). The histogram shows the usual times.
    private static let longestHandOverNanoseconds: UInt64 = 5_000_000_000

    func run(count: Int) throws {
        let prepared = min(ProcessDeathLayer.prepared, oracle.workload.count - 1)
        let image = try trial.prepare(point, transactions: prepared)
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 2 << 32)
        try trial.attempt(point, with: image) { path in
            let database = try Database.open(path: path, options: point.options())
            let grants = LockGrants()
            let writer = Bystander.start(opening: { database }) {
                grants.add(System.monotonicNanoseconds)
            }
            var (done, kills) = (prepared, 0)
            let reader = try Connection(database)
            while done < oracle.workload.count, kills < count {
                done = try kill(
                    after: random.below(KillAtTimes.longestDelay), holding: done, reader, grants,
                    writer)
                kills += 1
                trial.tellAlive()
            }
            let written = try writer.finish()
            _ = try reader.refresh()
            try oracle.judgeAll(reader, CommitLedger(acknowledged: done))
            trial.count(states: 1, commits: Int(written))
        }
    }

    /// Runs and kills one victim, and returns how many transactions the file holds then.
    private func kill(
        after delay: Int, holding done: Int, _ reader: Connection, _ grants: LockGrants,
        _ writer: BackgroundThread<Int64>
    ) throws -> Int {
        let victim = try VictimProcess(
            point, path: reader.database.path, transactions: done, in: trial)
        if try victim.waitUntilOpen() {
            System.sleep(nanoseconds: UInt64(delay) * 1000)
            let killed = System.monotonicNanoseconds
            victim.kill()
            try victim.waitForEnd()
            try waitForGrant(after: killed, grants, writer)
        } else {
            try victim.waitForEnd()
        }
        _ = try reader.refresh()
        let found = try oracle.judge(reader, victim.ledger(oracle.workload))
        trial.count(states: 1, commits: victim.acknowledged)
        return found
    }

    private func waitForGrant(
        after killed: UInt64, _ grants: LockGrants, _ writer: BackgroundThread<Int64>
    ) throws {
        var patience = Patience(nanoseconds: Self.longestHandOverNanoseconds)
        repeat {
            if let granted = grants.first(after: killed) {
                trial.countHandOver(nanoseconds: granted - killed)
                return
            }
            // The writer's own error says more than a timeout.
            if writer.isDone { _ = try writer.wait() }
        } while patience.nap(nanoseconds: 100_000)
        throw Finding(
            .overLimit,
            "no process got the write lock in \(Self.longestHandOverNanoseconds / 1_000_000_000) s "
                + "after a process had been killed.")
    }
}

/// Times at which a thread got the write lock.
private final class LockGrants: Sendable {
    private let times = Locked<[UInt64]>([])

    func add(_ time: UInt64) { times.withLock { $0.append(time) } }

    /// Returns the first time after a moment, and drops those before it.
    func first(after moment: UInt64) -> UInt64? {
        times.withLock { times in
            times.removeAll { $0 <= moment }
            return times.first
        }
    }
}
