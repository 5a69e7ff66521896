import StorageEngine
import StressModel
import ToolSupport

/// One writer, and threads that read the newest version several times, through a new connection or
/// a refreshed one.
///
/// Each read must see some version, the same one every time, and never a version older than the one
/// before.
struct ReadingBesideWriter {
    private static let readerCount = 2
    private static let readsOfAVersion = 20
    /// Number of transactions between two progress messages of the worker.
    private static let interval = 100

    private let trial: Trial
    private let oracle: PrefixOracle
    private let database: Database

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        database = try Database.open(path: path, options: point.options())
    }

    func run() throws {
        let readers = (0..<Self.readerCount).map { _ in
            BackgroundThread { [database, oracle] isStopped in
                var connection = try Connection(database)
                var (seen, states) = (0, 0)
                while !isStopped() {
                    if states % 2 == 0 {
                        connection = try Connection(database)
                    } else {
                        _ = try connection.refresh()
                    }
                    let ledger = CommitLedger(acknowledged: seen, sent: oracle.workload.count)
                    seen = try oracle.judge(connection, ledger)
                    for _ in 1..<Self.readsOfAVersion {
                        try oracle.judge(connection, CommitLedger(acknowledged: seen))
                    }
                    states += 1
                }
                return states
            }
        }
        let written = Result { try write(until: { readers.contains(where: \.isDone) }) }
        for reader in readers { trial.count(states: try reader.finish()) }
        try oracle.judgeAll(Connection(database), CommitLedger(acknowledged: try written.get()))
        trial.count(states: 1, commits: try written.get())
    }

    /// Runs the workload, and returns the number of transactions made. It stops early only if a
    /// reader has ended, which happens only by an error.
    private func write(until isOver: () -> Bool) throws -> Int {
        let connection = try Connection(database)
        for step in 1...oracle.workload.count {
            // Commits are durable: pages freed by a durable commit are reused by the very next one.
            try oracle.workload.run(step, on: connection)
            if isOver() { return step }
            if step % Self.interval == 0 { trial.tellAlive() }
        }
        return oracle.workload.count
    }
}
