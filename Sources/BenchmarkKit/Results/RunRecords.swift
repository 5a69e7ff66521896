/// One of the repeated runs of a case: one row of `samples.csv`.
struct RunSample: Equatable, Sendable {
    /// The name as in ``RunRow/name``.
    var name: String
    var run: Int
    var throughput: Double

    static let fileName = "samples.csv"
    static let header = [
        "run_id", "case_id", "run", "operations", "elapsed_s", "throughput_ops_per_s",
        "latency_p50_us", "latency_p99_us", "other_load_cores", "status", "sweep",
    ]

    static func fields(of result: CaseResult, run: Int) -> [String] {
        [
            String(run), String(result.operations), ColumnCatalogue.decimal(result.elapsedSeconds),
            ColumnCatalogue.decimal(result.throughput),
            ColumnCatalogue.decimal(result.latency?.p50),
            ColumnCatalogue.decimal(result.latency?.p99),
            ColumnCatalogue.decimal(result.measure("other_load_cores")), result.status.rawValue,
        ]
    }
}

extension RunSample {
    init?(_ row: RunRow) {
        guard let run = row.number("run"), let rate = row.number("throughput_ops_per_s") else {
            return nil
        }
        self.init(name: row.name, run: Int(run), throughput: rate)
    }
}

extension TimelinePoint {
    static let fileName = "timeline.csv"
    static let header = [
        "run_id", "case_id", "elapsed_s", "operations", "file_bytes", "rss_bytes", "sweep",
    ]

    var fields: [String] {
        [
            ColumnCatalogue.decimal(elapsed), String(operations), String(fileBytes),
            String(residentBytes),
        ]
    }

    init?(_ row: RunRow) {
        guard let elapsed = row.number("elapsed_s"), let operations = row.number("operations"),
            let fileBytes = row.number("file_bytes"), let resident = row.number("rss_bytes")
        else { return nil }
        self.init(
            elapsed: elapsed, operations: Int(operations), fileBytes: Int(fileBytes),
            residentBytes: Int(resident))
    }
}
