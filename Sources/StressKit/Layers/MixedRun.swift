import Glibc
import StorageEngine
import StressModel

/// A workload with other events between its transactions. The seed and the number of the
/// transaction decide which event happens.
struct MixedRun {
    private let point: StressPoint
    private let trial: Trial
    private let path: String
    private let seed: UInt64
    private let oracle: PrefixOracle
    private let options: Database.Options

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.point = point
        self.trial = trial
        self.path = path
        seed = try point.value("seed", default: 0)
        oracle = try PrefixOracle(point.workload())
        options = try point.options()
    }

    private var count: Int { oracle.workload.count }

    /// Opens the file again and again, until the time is over or all transactions are done.
    func run() throws {
        var done = 0
        while done < count, !trial.mustStop {
            done = try runUntilClosed(from: done)
            trial.cover("reopenings")
            if try point.compacts(), done > 0 { try trial.compactAlone(path, options) }
        }
        let connection = try Connection(Database.open(path: path, options: options))
        try oracle.judgeAll(connection, CommitLedger(acknowledged: done))
        trial.count(states: 1, commits: done)
    }

    /// Opens the file, and works on it until it is to be closed. Returns how many transactions it
    /// holds. A separate function, so that the database is closed when it returns.
    private func runUntilClosed(from start: Int) throws -> Int {
        let database = try Database.open(path: path, options: options)
        let connection = try Connection(database)
        try oracle.judge(connection, CommitLedger(acknowledged: start))
        trial.count(states: 1)
        var readers = try PinnedReaderSet(database, oracle, trial)
        var done = start
        while done < count, !trial.mustStop {
            var random = RepeatableRandom(seed: seed, part: 5 << 32 + UInt64(done))
            switch random.below(200) {
            // After reopening, the same number is drawn again. The condition keeps that from
            // closing the file at once.
            case 0 where done > start: return done
            case 1...3:
                done = try letVictimWrite(connection, done, &random)
                try readers.acceptFileSize()
            case 4...6: try copy(connection, done)
            case 7...20: try rollBack(connection, done)
            case 21...50: try readers.change(transactions: done, &random)
            default: break
            }
            guard done < count else { break }
            done += 1
            // Some commits are durable, so that groups and relaxed commits mix.
            let durability: CommitDurability = random.isOne(in: 8) ? .full : .relaxed
            try oracle.workload.run(done, on: connection, durability)
            try readers.checkGrowth()
            guard done % 50 == 0 else { continue }
            try oracle.judge(connection, CommitLedger(acknowledged: done))
            try readers.judge()
            trial.count(states: 1, commits: 50)
            trial.tellAlive()
        }
        return done
    }

    /// Has another process continue the workload until it is killed. Returns how many transactions
    /// the file holds then.
    private func letVictimWrite(
        _ connection: Connection, _ done: Int, _ random: inout RepeatableRandom
    ) throws -> Int {
        // The victim reads from the file how far the workload has come, so at least one transaction
        // must be there.
        guard done > 0 else { return done }
        let victim = try VictimProcess(point, path: path, transactions: done, in: trial)
        if try victim.waitUntilOpen() {
            System.sleep(nanoseconds: UInt64(random.below(KillAtTimes.longestDelay)) * 1000)
            victim.kill()
        }
        try victim.waitForEnd()
        trial.cover("processes killed")
        _ = try connection.refresh()
        return try oracle.judge(connection, victim.ledger(oracle.workload))
    }

    private func rollBack(_ connection: Connection, _ done: Int) throws {
        try connection.beginWrite()
        try oracle.workload.change(done + 1, on: connection)
        connection.rollback()
        trial.cover("transactions rolled back")
        try oracle.judge(connection, CommitLedger(acknowledged: done))
    }

    private func copy(_ connection: Connection, _ done: Int) throws {
        guard done > 0 else { return }
        let copy = trial.file("copy")
        trial.remove(copy)
        defer { trial.remove(copy) }
        try connection.writeCopy(toPath: copy, encryptionKey: options.encryptionKey)
        trial.cover("copies")
        let opened = try Connection(Database.open(path: copy, options: options))
        try oracle.judgeAll(opened, CommitLedger(acknowledged: done))
        trial.count(states: 1)
    }
}
