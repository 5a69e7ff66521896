import StorageEngine

extension Connection {
    /// Verifies the file. Problems are a finding.
    ///
    /// - Parameter mayHaveTornRecords: whether a power loss may have torn several commits before
    ///   the database was opened. Verification reports that as long as the database is open.
    package func checkIntact(mayHaveTornRecords: Bool = false) throws {
        var problems = try verify()
        if mayHaveTornRecords { problems.removeAll { $0 == database.openingProblem } }
        guard let first = problems.first else { return }
        let others = problems.count == 1 ? "" : " (and \(problems.count - 1) others)"
        throw Finding(.reopenFailure, "verification finds: \(first)\(others)")
    }
}
