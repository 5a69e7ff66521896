import Foundation
import ToolSupport

/// The rows, samples and measures of a stored run. They are all that is kept of the runs in
/// `results/reference`, and what tables need.
struct RunRows: Sendable {
    var rows: [RunRow]
    var samples: [RunSample]
    /// The measures by ``RunRow/name`` and their own name.
    var measures: [String: [String: Double]]

    /// Reads the CSV files of a run's folder. Throws `usage` if it has no `summary.csv`, and
    /// `notComparable` if the rows have another schema version.
    init(path: String, isWhole: Bool = false) throws {
        let summary = "\(path)/\(RunFolder.summaryName)"
        guard let rows = try Self.records(path, RunFolder.summaryName, isWhole: isWhole)
        else {
            throw BenchmarkError(.usage, "'\(summary)' cannot be read.")
        }
        for row in rows { try SchemaVersion.check(Int(row["schema_version"]), in: summary) }
        self.rows = rows
        // Older runs lack some of these files.
        samples =
            try Self.records(path, RunSample.fileName, isWhole: isWhole)?
            .compactMap(RunSample.init) ?? []
        measures = [:]
        for row in try Self.records(path, RunFolder.measuresName, isWhole: isWhole) ?? [] {
            measures[row.name, default: [:]][row["measure"]] = row.number("value")
        }
    }

    /// Creates the rows of several runs, for a table of all of them.
    init(_ runs: [RunRows]) {
        rows = runs.flatMap(\.rows)
        samples = runs.flatMap(\.samples)
        measures = [:]
        for run in runs { measures.merge(run.measures) { first, _ in first } }
    }

    /// The rows as results, with what the files hold of them.
    var results: [CaseResult] { rows.compactMap { CaseResult($0, measures[$0.name] ?? [:]) } }

    static func records(
        _ path: String, _ name: String, isWhole: Bool = false
    ) throws -> [RunRow]? {
        try CSVRow.rows(ofFile: path + "/" + name, isWhole: isWhole)?.map(RunRow.init)
    }
}

extension CaseResult {
    /// Reads a row back. Nil if the row names no case. The files do not hold the reason of a
    /// failure, nor the tenth percentile.
    init?(_ row: RunRow, _ measures: [String: Double]) {
        guard let identifier = CaseIdentifier(row.identifier),
            let status = Status(rawValue: row.status)
        else { return nil }
        var options = CaseOptions()
        options.threads = Int(row["threads"]) ?? options.threads
        options.seed = UInt64(row["seed"]) ?? options.seed
        options.rate = row.number("offered_ops_per_s")
        self.init(BenchmarkCase(identifier: identifier, layer: row.layer, options: options))
        func count(_ column: String) -> Int? { row.number(column).map { Int($0) } }
        self.status = status
        sweep = row["sweep"]
        isDeterministic = row["deterministic"] == "true"
        batchSize = count("batch_size")
        operations = count("operations") ?? 0
        elapsedSeconds = row.number("elapsed_s") ?? 0
        // The rate has more digits than the seconds.
        if let rate = row.number("throughput_ops_per_s"), rate > 0 {
            elapsedSeconds = Double(operations) / rate
        }
        latency = LatencySummary(row)
        queueWaitP99 = row.number("queue_wait_p99_us")
        lockWaitP99 = row.number("lock_wait_p99_us")
        syncP99 = row.number("sync_p99_us")
        syncsPerCommit = row.number("syncs_per_commit")
        bytesWrittenPerCommit = row.number("bytes_written_per_commit")
        pagesWrittenPerCommit = row.number("pages_written_per_commit")
        writeAmplification = row.number("write_amplification")
        fileBytes = count("file_bytes")
        liveBytes = count("live_bytes")
        allocationsPerOperation = row.number("allocations_per_op")
        allocatedBytesPerOperation = row.number("allocated_bytes_per_op")
        peakResidentBytes = count("rss_peak_bytes")
        digest = row["digest"].isEmpty ? nil : row["digest"]
        writeCallsPerCommit = row.number("write_calls_per_commit")
        pageFaults = count("page_faults")
        contextSwitches = count("context_switches")
        threadsMax = count("threads_max")
        instructions = row.number("instructions")
        if let low = row.number("throughput_ci_low"), let high = row.number("throughput_ci_high") {
            interval = ThroughputInterval(low: low, high: high)
        }
        self.measures = measures.sorted { $0.key < $1.key }.map {
            Measure(name: $0.key, value: $0.value)
        }
    }
}

extension LatencySummary {
    fileprivate init?(_ row: RunRow) {
        guard let p50 = row.number("latency_p50_us"), let p90 = row.number("latency_p90_us"),
            let p99 = row.number("latency_p99_us"), let p999 = row.number("latency_p999_us"),
            let p9999 = row.number("latency_p9999_us"), let max = row.number("latency_max_us")
        else { return nil }
        self.init(
            p50: p50, p90: p90, p99: p99, p999: p999, p9999: p9999, max: max,
            samples: row.number("latency_samples").map { Int($0) })
    }
}
