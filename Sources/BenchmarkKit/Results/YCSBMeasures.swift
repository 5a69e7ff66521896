/// The operations of YCSB.
enum YCSBOperation: String, CaseIterable, Sendable {
    case read, update, insert, scan
    case readModifyWrite = "read_modify_write"

    var writes: Bool { self == .update || self == .insert || self == .readModifyWrite }
}

extension MeasureCatalogue {
    /// The measures of the YCSB workloads only.
    static let ycsb: [(name: String, meaning: String)] =
        YCSBOperation.allCases.flatMap { operation in
            let name = operation.rawValue
            let text = name.replacing("_", with: "-")
            return [
                ("\(name)_p50_us", "Median microseconds of one \(text) operation, start to end."),
                ("\(name)_p99_us", "99th percentile of the time of one \(text) operation."),
            ]
        } + [
            (
                "sustainable_ops_per_s",
                "Highest rate whose intended latency stayed under 1 ms at the 99th percentile; 0 "
                    + "if none of those tried did."
            ),
            ("unthrottled_ops_per_s", "Operations a second as fast as they go, before the search."),
            (
                "intended_p50_us",
                "Median microseconds from when an operation was due until it was done, at the "
                    + "rate of --rate; of -rate rows at the sustainable one, or the lowest tried."
            ),
            ("intended_p99_us", "99th percentile of it; see intended_p50_us."),
            ("intended_p999_us", "99.9th percentile of it; see intended_p50_us."),
            ("load_records_per_s", "Records a second while loading, 1,000 a transaction."),
        ]
}
