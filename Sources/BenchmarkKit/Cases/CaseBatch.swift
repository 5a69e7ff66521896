/// A runner of lists of cases that reports only to the caller, as comparisons and gates need.
struct CaseBatch {
    let runner: CaseRunner

    /// Creates a batch. `databases` is the folder for database files, created if missing.
    /// `failures` is the folder for the output of failed cases, created at the first failure.
    init(databases: String, failures: String) throws {
        runner = try CaseRunner(databases: databases, failures: failures)
    }

    /// Runs every case once, in order, each in a process of its own and verified. Returns the rows
    /// of all cases, controls included. A failed case gives a row with the status `failed`.
    ///
    /// Throws only for troubles of the tool itself: a full disk or an interruption.
    func results(
        of cases: [BenchmarkCase],
        progress: (BenchmarkCase, ProgressUpdate) -> Void = { _, _ in }
    ) throws -> [CaseResult] {
        try cases.flatMap { benchmarkCase in
            try Interruption.throwIfRequested()
            return try runner.run(benchmarkCase) { progress(benchmarkCase, $0) }.results
        }
    }

    /// Removes the databases; called after the last list.
    func removeDatabases() { runner.removeDatabases() }
}
