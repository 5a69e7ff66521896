import StorageEngine

/// Checks that a database holds exactly some prefix of the workload's transactions, with every
/// acknowledged one.
package struct PrefixOracle: Sendable {
    package let workload: StressWorkload

    package init(_ workload: StressWorkload) { self.workload = workload }

    /// Judges the number of transactions found and the digest of the contents.
    package func judge(found: Int, digest: UInt64, _ ledger: CommitLedger) throws(Finding) {
        if found < ledger.acknowledged {
            throw Finding(
                .lostCommit,
                "transaction \(ledger.acknowledged) was acknowledged, and the database holds "
                    + "\(found).")
        }
        if found > ledger.sent {
            throw Finding(
                .wrongState,
                "the database holds \(found) transactions, of which \(ledger.sent) were sent.")
        }
        if digest != workload.digests[found] {
            throw Finding(
                .wrongState,
                "the digest after \(found) transactions is \(digest), not "
                    + "\(workload.digests[found]).")
        }
    }

    /// Judges the version of a connection. Returns the number of transactions in it.
    @discardableResult
    package func judge(_ connection: Connection, _ ledger: CommitLedger) throws -> Int {
        let found = try StressWorkload.progress(of: connection)
        try judge(found: found, digest: StressWorkload.digest(of: connection), ledger)
        return found
    }

    /// Judges the version of a connection, and verifies its file.
    ///
    /// - Parameter mayHaveTornRecords: see `checkIntact(mayHaveTornRecords:)`.
    @discardableResult
    package func judgeAll(
        _ connection: Connection, _ ledger: CommitLedger, mayHaveTornRecords: Bool = false
    ) throws -> Int {
        let found = try judge(connection, ledger)
        try connection.checkIntact(
            mayHaveTornRecords: mayHaveTornRecords || Self.mayTearRecords(ledger))
        return found
    }

    /// Whether several commits may be lost, so that torn records of them may remain.
    private static func mayTearRecords(_ ledger: CommitLedger) -> Bool {
        ledger.sent > ledger.acknowledged + 1
    }

    /// Opens a file without repairing anything, judges it, commits one more transaction, and judges
    /// the file again after closing and opening it.
    ///
    /// - Returns: the number of transactions that the file held.
    @discardableResult
    package func reopen(
        _ path: String, _ ledger: CommitLedger, options: Database.Options = .init()
    ) throws -> Int {
        do {
            let found = try continueFile(path, ledger, options)
            let connection = try Connection(Database.open(path: path, options: options))
            try judgeAll(connection, CommitLedger(acknowledged: found + 1))
            return found
        } catch let error as StorageError {
            throw Finding(.reopenFailure, "\(error.code): \(error.message)")
        }
    }

    /// Makes the first of the two openings. A separate function, so that the database is closed
    /// when it returns.
    private func continueFile(
        _ path: String, _ ledger: CommitLedger, _ options: Database.Options
    ) throws -> Int {
        let connection = try Connection(Database.open(path: path, options: options))
        let found = try judgeAll(connection, ledger)
        try workload.run(found + 1, on: connection)
        try judgeAll(
            connection, CommitLedger(acknowledged: found + 1),
            mayHaveTornRecords: Self.mayTearRecords(ledger))
        return found
    }
}
