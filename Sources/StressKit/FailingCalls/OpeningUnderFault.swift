import StorageEngine
import StressModel

/// A file that is created, opened and written to while a call fails: an error or not, and nothing
/// that a later opening stumbles over.
struct OpeningUnderFault {
    private let context: CallFaults
    private let fault: SystemCallFault
    private let path: String
    private let interceptor: SystemInterceptor

    init(
        _ context: CallFaults, _ fault: SystemCallFault, _ path: String,
        _ interceptor: SystemInterceptor
    ) {
        self.context = context
        self.fault = fault
        self.path = path
        self.interceptor = interceptor
    }

    func run() throws {
        interceptor.setFaults([fault])
        var ledger = CommitLedger()
        do {
            try open(&ledger)
        } catch let error as StorageError {
            if fault.isHarmless {
                throw Finding(.wrongError, "\(error.code) though nothing failed: \(error.message)")
            }
        }
        interceptor.setFaults([])
        try context.oracle.reopen(path, ledger, options: context.options)
        context.trial.count(states: 2, commits: ledger.acknowledged)
    }

    /// In a function of its own, so that the database is closed, with calls that may fail too, when
    /// it returns.
    private func open(_ ledger: inout CommitLedger) throws {
        let connection = try Connection(Database.open(path: path, options: context.options))
        ledger.send(1)
        try context.oracle.workload.run(1, on: connection)
        ledger.acknowledge(1)
    }
}
