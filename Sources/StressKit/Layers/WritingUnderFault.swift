import Glibc
import StorageEngine
import StressModel

/// A workload in which a call fails. A failed transaction must leave no trace, and in the end all
/// transactions must be done.
struct WritingUnderFault {
    let attempt: FaultAttempt

    private var context: CallFaults { attempt.context }
    private var fault: SystemCallFault { attempt.fault }
    private var path: String { attempt.path }
    private var interceptor: SystemInterceptor { attempt.interceptor }
    private var oracle: PrefixOracle { attempt.context.oracle }

    func run() throws {
        var done = try writeUntilPoisoned(from: context.prepared, [fault])
        // A failed sync poisons the file until all have closed it. `writeUntilPoisoned` has closed
        // it, so that the rest can be written after reopening.
        if done < oracle.workload.count { done = try writeUntilPoisoned(from: done, []) }
        let connection = try Connection(Database.open(path: path, options: context.options))
        try oracle.judgeAll(connection, CommitLedger(acknowledged: done))
        context.trial.count(states: 1, commits: done)
    }

    /// Writes, closes the file, and returns how many transactions it holds: all, or those found
    /// after reopening a poisoned file.
    private func writeUntilPoisoned(from start: Int, _ faults: [SystemCallFault]) throws -> Int {
        let ledger: CommitLedger
        do {
            let connection = try Connection(Database.open(path: path, options: context.options))
            ledger = try write(connection, from: start, faults)
        }
        interceptor.setFaults([])
        if ledger.acknowledged == oracle.workload.count { return ledger.acknowledged }
        let connection = try Connection(Database.open(path: path, options: context.options))
        return try oracle.judgeAll(connection, ledger)
    }

    /// Writes until all transactions are done or the file is poisoned.
    private func write(
        _ connection: Connection, from start: Int, _ faults: [SystemCallFault]
    ) throws -> CommitLedger {
        var ledger = CommitLedger(acknowledged: start)
        var mayFail = !faults.isEmpty && !fault.isHarmless
        var hasFailed = false
        interceptor.setFaults(faults)
        for step in (start + 1)...oracle.workload.count {
            while true {
                do {
                    try oracle.workload.run(step, on: connection)
                    break
                } catch let error as StorageError {
                    // A failure that could not be cleaned up stops writers until the file is
                    // reopened.
                    let isAftermath = hasFailed && error.code == .outcomeUnknown
                    try check(error, connection, mayFail || isAftermath)
                    // Remove the fault, so that the same transaction can be tried again.
                    interceptor.setFaults([])
                    mayFail = false
                    hasFailed = true
                    if error.code == .outcomeUnknown {
                        ledger.send(step)
                        try checkPoisoned(connection, ledger)
                        return ledger
                    }
                    _ = try connection.refresh()
                    // Not to be repeated: the transaction is in the file.
                    if error.code == .committedUnread { break }
                    try oracle.judge(connection, ledger)
                }
            }
            if mayFail { try checkSyncWasTold() }
            ledger.acknowledge(step)
            context.trial.count(commits: 1)
        }
        return ledger
    }

    /// Checks that a failed sync was reported as an error.
    private func checkSyncWasTold() throws(Finding) {
        // A file system without writes that are synced alone is used without them.
        guard let call = fault.call, call == .fdatasync || call == .writeSynced,
            fault.effect != .fail(errno: EOPNOTSUPP),
            fault.effect != .failForever(errno: EOPNOTSUPP)
        else { return }
        if interceptor.count(of: call) >= fault.ordinal {
            throw Finding(.wrongError, "a sync failed, and the commit said that all is well.")
        }
    }

    private func check(
        _ error: StorageError, _ connection: Connection, _ mayFail: Bool
    ) throws(Finding) {
        if !mayFail {
            throw Finding(.wrongError, "\(error.code) though nothing failed: \(error.message)")
        }
        if error.path != path || error.message.isEmpty {
            throw Finding(.wrongError, "the error does not say where: \(error.message)")
        }
        if connection.isInWriteTransaction {
            throw Finding(.wrongError, "the transaction goes on after \(error.code).")
        }
    }

    /// Checks that no connection may write to a poisoned file, and that all still read what was
    /// acknowledged.
    private func checkPoisoned(_ connection: Connection, _ ledger: CommitLedger) throws {
        let other = try Connection(
            Database.openUnregistered(path: path, options: context.options))
        for writer in [connection, other] {
            do {
                try writer.beginWrite()
                writer.rollback()
                throw Finding(.wrongError, "a writer goes on after a sync that failed.")
            } catch let error as StorageError where error.code == .outcomeUnknown {}
            _ = try writer.refresh()
            try oracle.judge(writer, CommitLedger(acknowledged: ledger.acknowledged))
        }
    }
}
