import StorageEngine
import StressModel

/// Compacts a file while a call fails. The path must hold either the old file or the new one, each
/// whole, and the next compaction must work.
struct CompactingUnderFault {
    let attempt: FaultAttempt

    func run() throws {
        let (path, context) = (attempt.path, attempt.context)
        let ledger = CommitLedger(acknowledged: context.prepared)
        attempt.interceptor.setFaults([attempt.fault])
        do throws(StorageError) {
            _ = try Database.compact(path: path, options: context.options)
        } catch {
            if attempt.fault.isHarmless {
                throw Finding(.wrongError, "\(error.code) though nothing failed: \(error.message)")
            }
        }
        attempt.interceptor.setFaults([])
        try judge(ledger)
        try context.trial.compactAlone(path, context.options)
        try judge(ledger)
        context.trial.count(states: 2, commits: ledger.acknowledged)
    }

    /// Opens the file and judges it. A separate function, so that the database is closed when it
    /// returns.
    private func judge(_ ledger: CommitLedger) throws {
        let connection = try Connection(
            Database.open(path: attempt.path, options: attempt.context.options))
        try attempt.context.oracle.judgeAll(connection, ledger)
    }
}
