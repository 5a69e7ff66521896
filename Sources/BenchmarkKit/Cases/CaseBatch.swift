/// Runs lists of cases without telling anybody but the caller: for comparisons and gates.
struct CaseBatch {
    let runner: CaseRunner

    /// `databases`: a folder for database files, made if missing. `failures`: a folder for what
    /// failed cases said, made when there is one.
    init(databases: String, failures: String) throws {
        runner = try CaseRunner(databases: databases, failures: failures)
    }

    /// Every case once, in order, each in a process of its own and proved; the rows of all,
    /// controls included. A case that breaks gives a row with the status `failed`.
    ///
    /// Throws only what is the tool's own trouble: a full disk, an interruption.
    func results(
        of cases: [BenchmarkCase],
        progress: (BenchmarkCase, ProgressUpdate) -> Void = { _, _ in }
    ) throws -> [CaseResult] {
        try cases.flatMap { benchmarkCase in
            try Interruption.throwIfRequested()
            return try runner.run(benchmarkCase) { progress(benchmarkCase, $0) }.results
        }
    }

    /// After the last list.
    func removeDatabases() { runner.removeDatabases() }
}
