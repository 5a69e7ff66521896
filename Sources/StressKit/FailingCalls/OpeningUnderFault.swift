import StorageEngine
import StressModel

/// A file that is created, opened and written to while a call fails: an error or not, and nothing
/// that a later opening stumbles over.
struct OpeningUnderFault {
    let attempt: FaultAttempt

    func run() throws {
        attempt.interceptor.setFaults([attempt.fault])
        var ledger = CommitLedger()
        do {
            try open(&ledger)
        } catch let error as StorageError {
            if attempt.fault.isHarmless {
                throw Finding(.wrongError, "\(error.code) though nothing failed: \(error.message)")
            }
        }
        attempt.interceptor.setFaults([])
        try attempt.context.oracle.reopen(attempt.path, ledger, options: attempt.context.options)
        attempt.context.trial.count(states: 2, commits: ledger.acknowledged)
    }

    /// In a function of its own, so that the database is closed, with calls that may fail too, when
    /// it returns.
    private func open(_ ledger: inout CommitLedger) throws {
        let connection = try Connection(
            Database.open(path: attempt.path, options: attempt.context.options))
        ledger.send(1)
        try attempt.context.oracle.workload.run(1, on: connection)
        ledger.acknowledge(1)
    }
}
