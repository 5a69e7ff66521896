import StorageEngine
import StressModel
import ToolSupport

/// Transactions that one thread begins and, once it has ended, another thread commits or rolls
/// back. Queues and actors may do this.
struct PassedOnTransactions {
    private let trial: Trial
    private let oracle: PrefixOracle
    private let database: Database

    /// Seconds to wait for what takes microseconds.
    private static let patienceSeconds: UInt64 = 5

    init(_ point: StressPoint, _ trial: Trial, _ path: String) throws {
        self.trial = trial
        oracle = try PrefixOracle(point.workload())
        database = try Database.open(path: path, options: point.options())
    }

    func run() throws {
        let connection = Passed(try Connection(database))
        for step in 1...oracle.workload.count {
            for isRolledBack in [true, false] {
                try onThread { try connection.value.beginWrite() }
                try onThread { [oracle] in
                    try oracle.workload.change(step, on: connection.value)
                    if isRolledBack {
                        connection.value.rollback()
                    } else {
                        try connection.value.commit()
                    }
                }
            }
            try oracle.judge(connection.value, CommitLedger(acknowledged: step))
            trial.count(states: 1, commits: 1)
        }
    }

    /// Runs `body` on a thread of its own, which has ended when this returns.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) throws {
        let thread = BackgroundThread { _ in try body() }
        try Patience.wait(
            seconds: Self.patienceSeconds, napNanoseconds: 50_000,
            orFind: "a writer does not get the lock of a thread that has ended"
        ) { thread.isDone }
        try thread.wait()
    }
}

/// A connection that is passed from thread to thread.
// Unchecked because each thread is waited for before the next one starts.
private final class Passed: @unchecked Sendable {
    let value: Connection
    init(_ value: Connection) { self.value = value }
}
