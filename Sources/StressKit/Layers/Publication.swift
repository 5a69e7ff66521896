import StorageEngine
import StressModel
import ToolSupport

/// Readers that look while the sync of a commit is held. They must see the version before the
/// commit, and the commit's own version once the sync has returned.
struct Publication {
    private let trial: Trial
    private let oracle: PrefixOracle
    private let database: Database

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        database = try Database.open(path: path, options: point.options())
    }

    func run() throws {
        let reader = try Connection(database)
        // Large transactions sync twice. The first sync is the one held; it does not make them
        // visible.
        for step in 1...oracle.workload.count {
            let holder = SystemInterceptor(
                faults: [SystemCallFault(.hold, call: .fdatasync, ordinal: 1)])
            holder.install()
            defer { holder.uninstall() }
            let writer = BackgroundThread { [database, oracle] _ in
                try oracle.workload.run(step, on: Connection(database))
            }
            holder.waitUntilHeld()
            let seen = Result { try look(reader, CommitLedger(acknowledged: step - 1)) }
            holder.release()
            try writer.wait()
            try seen.get()
            try look(reader, CommitLedger(acknowledged: step))
            trial.count(states: 2, commits: 1)
        }
    }

    private func look(_ reader: Connection, _ ledger: CommitLedger) throws {
        _ = try reader.refresh()
        try oracle.judge(reader, ledger)
    }
}
