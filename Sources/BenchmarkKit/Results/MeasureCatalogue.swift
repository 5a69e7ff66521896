/// The further figures that only some cases have. `measures.csv` has one row for each, with the
/// columns of `header`.
enum MeasureCatalogue {
    static let header = ["run_id", "case_id", "measure", "value", "sweep"]

    static let all: [(name: String, meaning: String)] =
        [
            (
                "total_p50_us",
                "Median microseconds from handing a reading over until it is durable."
            ),
            (
                "total_p99_us",
                "99th percentile of the same: queue wait, lock wait, work and commit."
            ),
            (
                "queue_wait_p50_us",
                "Median time from handing a reading over until its writer takes it."
            ),
            ("work_p99_us", "99th percentile of the time inside a transaction, before its commit."),
            (
                "commit_p99_us",
                "99th percentile of the time that committing takes, its syncs included."
            ),
            ("lock_wait_p50_us", "Median time to begin a transaction."),
            ("work_p50_us", "Median time inside a transaction, before its commit."),
            ("commit_p50_us", "Median time that committing takes, its syncs included."),
            ("sync_p50_us", "Median time of a commit spent in fdatasync."),
            (
                "asking_p50_us",
                "Median time for which asking for an asynchronous write keeps the thread that asks."
            ),
            ("asking_p99_us", "99th percentile of it; see asking_p50_us."),
            ("commits", "Transactions committed while measuring."),
            ("total_writes", "Readings written since the file was made, those deleted included."),
            ("objects_persisted", "Readings in the file at the end."),
            ("versions_pinned", "Versions that some reader holds at the end of the run."),
            ("file_bytes_max", "Largest size of the database file during the run."),
            ("file_bytes_per_object", "file_bytes / objects in the file."),
            ("payload_bytes_per_object", "Bytes of an object's values: what its file bytes hold."),
            ("ratio_to_control", "Throughput / throughput of the control row, interleaved."),
            ("pass_p50_us", "Median microseconds of one pass over all objects."),
            ("first_open_us", "Opening the file for the first time in its process."),
            (
                "class_discovery_us",
                "The first open of an empty file: class discovery and creation."
            ),
            ("other_load_cores", "Cores that other processes kept busy while the case ran."),
            ("writer_commits_per_s", "Commits a second of the writer beside the readers."),
            ("writer_p50_us", "Median microseconds of a commit of the writer beside the readers."),
            ("writer_p99_us", "99th percentile of it; see writer_p50_us."),
            ("bytes_before", "Bytes of the file before it was compacted."),
            ("bytes_after", "Bytes of the compacted copy."),
            ("extra_bytes_max", "Most bytes on the disk that compacting added, copy included."),
            ("kept_bytes_per_object", "Allocated bytes that an object kept in memory takes."),
            (
                "anonymous_growth_bytes",
                "Most by which memory without a file behind it grew while all objects were visited."
            ),
            ("plain_open_p50_us", "Median time to open a file without migrating it."),
            ("beside_open_p50_us", "Median time to migrate it - plain_open_p50_us."),
            ("verification_s", "Seconds that the fresh process took to prove the result."),
        ] + ycsb + growth + changes
}
