/// The measures of the workloads about changes.
extension MeasureCatalogue {
    static let changes: [(name: String, meaning: String)] = [
        ("observers", "Handlers that each commit of notify calls."),
        (
            "allocations_per_commit",
            "Allocations of the thread for a transaction of notify or migrate, which do not repeat."
        ),
        ("write_p50_us", "Median time to begin, make and commit a transaction of notify."),
        (
            "write_to_told_p50_us",
            "Median microseconds from the beginning of a transaction of notify until the last "
                + "handler is called."
        ),
        (
            "first_told_p50_us",
            "Median microseconds until the first of several observers is called."
        ),
        ("pause_p50_us", "Median time for which the main thread was busy without a break."),
        ("pause_p99_us", "99th percentile of it; see pause_p50_us."),
        ("pause_max_us", "The longest time for which the main thread was busy without a break."),
        ("late_answers", "Answers of the main thread that came after the next one was due."),
        ("batches_per_s", "Transactions a second of the thread that writes meanwhile."),
        ("calls", "Calls of handlers while measuring."),
        ("make_p50_us", "Median time to make a reference that another thread may resolve."),
        ("resolve_p50_us", "Median time to resolve it there and to read a property."),
    ]
}
