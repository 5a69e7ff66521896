/// A column of `summary.csv`. One table defines the header, the fields and the explanations.
/// Columns are only ever appended.
public struct Column: Sendable {
    public var name: String
    public var meaning: String
    var text: @Sendable (CaseResult, RunContext) -> String
}

/// The values that are the same for all rows of a run.
public struct RunContext: Sendable {
    public var runIdentifier: String
    static let schemaVersion = 1
}

public enum ColumnCatalogue {
    public static let summary: [Column] = identity + time + writes + space + memory + counted

    public static var header: [String] { summary.map(\.name) }

    static func fields(of result: CaseResult, context: RunContext) -> [String] {
        summary.map { $0.text(result, context) }
    }

    /// Formats a number without an exponent and with up to six digits after the point; nil is
    /// empty.
    static func decimal(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(value)) }
        let magnitude = abs(value)
        let digits = magnitude >= 1000 ? 1 : magnitude >= 1 ? 3 : 6
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (magnitude * scale).rounded()
        guard scaled < 1e15 else { return String(Int(value)) }
        let whole = Int(scaled)
        let fraction = String(whole % Int(scale))
        let padded = String(repeating: "0", count: digits - fraction.count) + fraction
        return (value < 0 ? "-" : "") + "\(whole / Int(scale)).\(padded)"
    }

    private static func column(
        _ name: String, _ meaning: String, _ text: @escaping @Sendable (CaseResult) -> String
    ) -> Column {
        Column(name: name, meaning: meaning) { result, _ in text(result) }
    }

    private static func number(
        _ name: String, _ meaning: String, _ value: @escaping @Sendable (CaseResult) -> Double?
    ) -> Column {
        column(name, meaning) { decimal(value($0)) }
    }

    private static let identity: [Column] = [
        column("schema_version", "Version of this table's layout.") { _ in
            String(RunContext.schemaVersion)
        },
        Column(name: "run_id", meaning: "The run; also the name of its folder under results.") {
            $1.runIdentifier
        },
        column(
            "case_id",
            "What the row is about: workload/strategy/durability/plain|encrypted/size/engine."
        ) { $0.identifier.description },
        column("workload", "What is done; realm-bench list describes each workload.") {
            $0.identifier.workload
        },
        column("strategy", "The way in which the workload is done.") { $0.identifier.strategy },
        column("engine", "The database, or 'control' for the machine without one.") {
            $0.identifier.engine
        },
        column(
            "layer",
            "api: through the public API. engine: through the storage engine. none: no database."
        ) { $0.layer },
        column(
            "durability",
            "What a commit that returned survives. full: a power failure. relaxed: the death of "
                + "the process, and the file a power failure. unsynced: the death of the process. "
                + "memory: nothing."
        ) {
            $0.identifier.durability.rawValue
        },
        column("encrypted", "true if the file is encrypted.") {
            $0.identifier.isEncrypted ? "true" : "false"
        },
        column(
            "size_objects",
            "Objects that the case works on; for sensors the most that are kept."
        ) { String($0.identifier.size) },
        column("threads", "Threads that hand work to the database.") { String($0.threads) },
        column(
            "batch_size",
            "Operations, or changed objects, in one transaction; empty if it does not apply."
        ) { $0.batchSize.map(String.init) ?? "" },
        column("seed", "Seed of all random values: the same seed repeats them.") {
            String($0.seed)
        },
        column(
            "status",
            "ok; failed: the case broke, lost data or disagrees; unsupported: no such feature yet."
        ) { $0.status.rawValue },
    ]

    private static let time: [Column] = [
        column(
            "operations",
            "Operations measured: readings committed, objects inserted, lookups, reads."
        ) { String($0.operations) },
        number("elapsed_s", "Seconds that these operations took.") { $0.elapsedSeconds },
        number("throughput_ops_per_s", "operations / elapsed_s.") { $0.throughput },
        number(
            "throughput_ci_low",
            "Lower end of the 95 % interval of the throughput (of the slices of one run, or of "
                + "several runs). Slices may lean to one side where the work grows dearer."
        ) { $0.interval?.low },
        number("throughput_ci_high", "Upper end of the interval; see throughput_ci_low.") {
            $0.interval?.high
        },
        number(
            "latency_p50_us",
            "Median microseconds of one operation. Where one transaction writes: from asking for "
                + "the write lock until the commit is durable; a reading of a batch has the "
                + "latency of its transaction. Waiting in a queue before that is queue_wait. "
                + "Reads are timed in batches and divided."
        ) { $0.latency?.p50 },
        number("latency_p90_us", "90th percentile of the latency; see latency_p50_us.") {
            $0.latency?.p90
        },
        number("latency_p99_us", "99th percentile of the latency; see latency_p50_us.") {
            $0.latency?.p99
        },
        number("latency_p999_us", "99.9th percentile of the latency; see latency_p50_us.") {
            $0.latency?.p999
        },
        number("latency_p9999_us", "99.99th percentile of the latency; see latency_p50_us.") {
            $0.latency?.p9999
        },
        number("latency_max_us", "The longest latency; see latency_p50_us.") { $0.latency?.max },
        number(
            "queue_wait_p99_us",
            "99th percentile of the time from when the producer hands a reading over until its "
                + "writer takes it up. The queue is bounded, so this is its length times the "
                + "latency when the producer is faster than the disk."
        ) { $0.queueWaitP99 },
        number("lock_wait_p99_us", "99th percentile of the time to begin a transaction.") {
            $0.lockWaitP99
        },
        number("sync_p99_us", "99th percentile of the time of a commit spent in fdatasync.") {
            $0.syncP99
        },
    ]

    private static let writes: [Column] = [
        number("syncs_per_commit", "fdatasync calls a commit, counted.") { $0.syncsPerCommit },
        number(
            "bytes_written_per_commit",
            "Bytes given to write calls a commit, counted; includes growing the file."
        ) { $0.bytesWrittenPerCommit },
        number("pages_written_per_commit", "Pages a commit, as the engine counts them.") {
            $0.pagesWrittenPerCommit
        },
        number(
            "write_amplification",
            "Bytes written / bytes of the values stored (8 for a number or a date, the length of "
                + "a string or a payload)."
        ) { $0.writeAmplification },
    ]

    private static let space: [Column] = [
        column("file_bytes", "Size of the database file at the end of the run.") {
            $0.fileBytes.map(String.init) ?? ""
        },
        column("live_bytes", "Bytes of pages that the newest version reaches.") {
            $0.liveBytes.map(String.init) ?? ""
        },
        number("space_amplification", "file_bytes / live_bytes.") { $0.spaceAmplification },
    ]

    private static let memory: [Column] = [
        number(
            "allocations_per_op",
            "Heap allocations an operation by the thread that writes or reads, or by the writing "
                + "processes of 'processes' together; empty without a counting allocator."
        ) { $0.allocationsPerOperation },
        number(
            "allocated_bytes_per_op",
            "Heap bytes allocated an operation by the same."
        ) { $0.allocatedBytesPerOperation },
        column(
            "rss_peak_bytes",
            "Highest resident memory of the case's own process; of 'processes', the sum over the "
                + "writing processes, in which pages that they share count for each."
        ) { $0.peakResidentBytes.map(String.init) ?? "" },
        column(
            "digest",
            "A digest of the result, independent of order; equal for all rows that did the same "
                + "work. Empty where the amount of work depends on time."
        ) { $0.digest ?? "" },
    ]

    private static let counted: [Column] = [
        column("sweep", "The values that --sweep gave the case, as in threads=4; empty without.") {
            $0.sweep
        },
        column(
            "deterministic",
            "true if a second run of the same build counts the same syncs, write calls, bytes, "
                + "pages, sizes, allocations and digest: one writer, a fixed count, a fixed seed."
        ) { $0.isDeterministic ? "true" : "false" },
        number("write_calls_per_commit", "Calls that write to files a commit, counted.") {
            $0.writeCallsPerCommit
        },
        column(
            "page_faults",
            "Page faults of the whole process while measuring, minor and major."
        ) { $0.pageFaults.map(String.init) ?? "" },
        column(
            "context_switches",
            "Context switches of the whole process while measuring, voluntary and not."
        ) { $0.contextSwitches.map(String.init) ?? "" },
        column(
            "threads_max",
            "Most threads that the process, or the writing processes of 'processes' together, had "
                + "while measuring."
        ) { $0.threadsMax.map(String.init) ?? "" },
        number(
            "instructions",
            "Instructions an operation, counted by callgrind inside the measured region, in a run "
                + "of its own with less work; kernel and controls are not in it. Repeats within "
                + "0.5 %. Empty unless --instructions asks for it and the case is deterministic."
        ) { $0.instructions },
        number(
            "offered_ops_per_s",
            "Operations a second that were begun, done or not (--rate, an open loop). Empty for a "
                + "closed loop, where each begins when the one before is done: a stall then counts "
                + "once, and not for all that would have begun meanwhile. intended_p99_us has the "
                + "latency from when an operation was due."
        ) { $0.offeredRate },
        column(
            "latency_samples",
            "Durations behind the latency percentiles: operations, transactions or batches of "
                + "reads. A percentile says little unless ten of them lie beyond it."
        ) { $0.latency?.samples.map(String.init) ?? "" },
    ]
}
