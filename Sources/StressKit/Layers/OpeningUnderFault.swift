import StorageEngine
import StressModel

/// Creates, opens and writes to a file while a call fails. Whether or not that gives an error, a
/// later opening must succeed.
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

    /// Opens the file and writes to it. A separate function, so that the database is closed when it
    /// returns; the calls made by closing may fail too.
    private func open(_ ledger: inout CommitLedger) throws {
        let connection = try Connection(
            Database.open(path: attempt.path, options: attempt.context.options))
        ledger.send(1)
        try attempt.context.oracle.workload.run(1, on: connection)
        ledger.acknowledge(1)
    }
}
