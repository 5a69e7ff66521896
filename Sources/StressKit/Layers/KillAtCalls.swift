import StorageEngine
import StressModel
import ToolSupport

/// Kills a victim before and after each of its system calls that change files. A first run counts
/// these calls.
struct KillAtCalls {
    private let point: StressPoint
    private let trial: Trial
    private let oracle: PrefixOracle
    private let options: Database.Options
    private let prepared: Int
    private let image: [UInt8]
    /// The point that victims carry out.
    private let victimPoint: StressPoint

    /// Prepares the file.
    ///
    /// - Parameter prepared: the number of transactions that the file holds when the victim opens
    ///   it.
    /// - Parameter isCutShort: the victim carries out only half of the remaining transactions.
    init(_ point: StressPoint, _ trial: Trial, prepared: Int, isCutShort: Bool = false) throws {
        self.point = point
        self.trial = trial
        let workload = try point.workload()
        oracle = PrefixOracle(workload)
        options = try point.options()
        self.prepared = min(prepared, workload.count - 1)
        let half = (self.prepared + workload.count + 1) / 2
        victimPoint = isCutShort ? point.with("transactions", half) : point
        image = try trial.prepare(point, transactions: self.prepared)
    }

    /// One victim and the file that it works on.
    struct Attempt {
        fileprivate let context: KillAtCalls
        fileprivate let path: String
        fileprivate let faults: String

        private func runVictim() throws -> CommitLedger {
            let victim = try VictimProcess(
                context.victimPoint, path: path, faults: faults,
                transactions: context.prepared, in: context.trial)
            // With relaxed durability the background syncs vary in time, so the last calls of one
            // run need not occur in the next.
            let isCertain = try context.point.durability() == .full
            guard try victim.waitForEnd() || !isCertain else {
                throw Finding(.wrongState, "the process ended before the call at which it was to.")
            }
            return victim.ledger(context.oracle.workload)
        }

        /// Runs the victim while this process has the file open. Returns how many transactions this
        /// process sees afterwards.
        private func survive() throws -> (connection: Connection, found: Int, CommitLedger) {
            let database = try Database.open(path: path, options: context.options)
            let connection = try Connection(database)
            let ledger = try runVictim()
            _ = try connection.refresh()
            return (connection, try context.oracle.judge(connection, ledger), ledger)
        }

        /// Opens the file after the victim's death, and judges it.
        func reopen() throws {
            let ledger = try runVictim()
            let header = HeaderFields(of: try context.trial.read(path))
            let found = try context.oracle.reopen(path, ledger, options: context.options)
            try header.checkUpgrade(found, prepared: context.prepared)
            context.trial.count(states: 2, commits: ledger.acknowledged)
        }

        /// Reopens the file and compacts it. A compaction that the victim had begun must not get in
        /// the way.
        func reopenAndCompact() throws {
            let ledger = try runVictim()
            let found = try context.oracle.reopen(path, ledger, options: context.options)
            try context.trial.compactAlone(path, context.options)
            let connection = try Connection(Database.open(path: path, options: context.options))
            try context.oracle.judgeAll(connection, CommitLedger(acknowledged: found + 1))
            context.trial.count(states: 3, commits: ledger.acknowledged)
        }

        /// Goes on from the last published version in a process that has the file open, over
        /// whatever the victim left behind.
        func goOn() throws {
            let (connection, found, ledger) = try survive()
            try connection.database.checkNobodyElsePins()
            try context.oracle.workload.run(found + 1, on: connection)
            try context.oracle.judgeAll(connection, CommitLedger(acknowledged: found + 1))
            context.trial.count(states: 2, commits: ledger.acknowledged)
        }

        /// Checks that a process that has the file open makes the victim's commits durable without
        /// being asked.
        func waitUntilDurable() throws {
            let (connection, found, _) = try survive()
            try waitForSync(connection.database)
            context.trial.count(states: 1, commits: found)
        }

        /// Starts another process, which gets the victim's place in shared memory, and has it carry
        /// out the remaining transactions.
        func restart() throws {
            let database = try Database.open(path: path, options: context.options)
            let connection = try Connection(database)
            let ledger = try runVictim()
            let next = try VictimProcess(
                context.point, path: path, transactions: ledger.acknowledged, in: context.trial)
            if try next.waitForEnd() {
                throw Finding(.crash, "a process that was to do the rest was killed.")
            }
            _ = try connection.refresh()
            let count = context.oracle.workload.count
            try context.oracle.judgeAll(connection, CommitLedger(acknowledged: count))
            try waitForSync(database)
            context.trial.count(states: 1, commits: count)
        }

        private static let patienceSeconds: UInt64 = 10

        private func waitForSync(_ database: Database) throws {
            try Patience.wait(
                seconds: Self.patienceSeconds,
                orFind: "no process has synced what a killed process has committed"
            ) { database.isNewestVersionDurable }
        }

        /// Kills a second writer, with other transactions, between writing its pages and its
        /// record, while this process only reads. Then no process has the file open, and it is
        /// reopened.
        func reopenAfterNextVictim() throws {
            let found = try runTwoVictims()
            let ledger = CommitLedger(acknowledged: found)
            try context.oracle.reopen(path, ledger, options: context.options)
            context.trial.count(states: 2, commits: ledger.acknowledged)
        }

        /// Runs both victims. Returns how many transactions this process saw between them. A
        /// separate function, so that the database is closed when it returns.
        private func runTwoVictims() throws -> Int {
            let (connection, found, _) = try survive()
            guard found < context.oracle.workload.count else { return found }
            let seed = try context.point.value("seed", default: UInt64(0))
            let second = try VictimProcess(
                context.point.with("seed", seed &+ 1), path: path,
                faults: "kill-after:pwritev:1", transactions: found, in: context.trial)
            guard try second.waitForEnd() else {
                throw Finding(.wrongState, "the second process ended without writing pages.")
            }
            // Keeps the file open until here.
            return withExtendedLifetime(connection) { found }
        }
    }

    /// Kills a victim at every call.
    ///
    /// - Parameter hasSurvivor: whether `body` has the file open while the victim runs. The
    ///   victim's calls depend on that: for one, only a process that is alone may cut the file.
    func run(hasSurvivor: Bool = false, _ body: (Attempt) throws -> Void) throws {
        for kill in try kills(hasSurvivor: hasSurvivor) {
            try trial.attempt(point.with("kill", kill), with: image) { path in
                try body(Attempt(context: self, path: path, faults: "kill-\(kill)"))
            }
            if trial.mustStop { return }
        }
    }

    /// Returns the kill that the point names, or all.
    private func kills(hasSurvivor: Bool) throws -> [String] {
        if let named = point["kill"] {
            guard SystemCallFault(parsing: "kill-\(named)") != nil else {
                throw point.unreadable("kill", named)
            }
            return [named]
        }
        let path = trial.file("whole")
        try trial.write(image, to: path)
        defer { trial.remove(path) }
        let survivor =
            try hasSurvivor
            ? Connection(Database.open(path: path, options: options)) : nil
        let victim = try VictimProcess(
            victimPoint, path: path, transactions: prepared, in: trial)
        try withExtendedLifetime(survivor) { _ = try victim.waitForEnd() }
        guard let calls = victim.calls, calls > 0 else {
            throw BenchmarkError(
                .internalError, "A writing process did not say how many calls it made.")
        }
        return (1...calls).flatMap { ["before:\($0)", "after:\($0)"] }
    }
}
