import Foundation

/// How realm-core compares with SQLite, measured elsewhere on identical workloads: it is no part
/// of a run, so that every such figure is marked as indirect.
struct IndirectRatios: Sendable {
    struct Ratio: Equatable, Sendable {
        /// Above 1: faster than SQLite.
        var speed: Double
        /// Above 1: a larger file than SQLite's. Nil where there was none to compare.
        var file: Double?
        var objects: Int
    }

    /// What a measurement of `realm-core.csv` corresponds to. A size is named where the ratio
    /// depends on it.
    private struct Correspondence {
        var measurement: String
        var workload: String
        var strategy = ""
        var size: Int?
    }

    private static let million = 1_000_000
    private static let correspondences = [
        Correspondence(measurement: "W1_sensors_single", workload: "sensors", strategy: "current"),
        Correspondence(
            measurement: "W1_sensors_single", workload: "sensors", strategy: "dedicated-thread"),
        Correspondence(measurement: "W2_sensors_batched", workload: "sensors", strategy: "batched"),
        Correspondence(
            measurement: "W3_sensors_concurrent64", workload: "sensors",
            strategy: "concurrent-gcd"),
        Correspondence(measurement: "W4_bulk_insert", workload: "insert", size: million),
        Correspondence(
            measurement: "W4idx_bulk_insert_ageidx", workload: "insert-indexed", size: million),
        Correspondence(
            measurement: "W4int_bulk_insert_intpk", workload: "insert-int-key", size: million),
        Correspondence(
            measurement: "W4pk_bulk_insert_strpk", workload: "insert-string-key", size: million),
        Correspondence(measurement: "W5_point_read", workload: "lookup", size: million),
        Correspondence(measurement: "W6a_count_age_lt30", workload: "scan", size: million),
        Correspondence(
            measurement: "W6b_count_name_prefix12", workload: "scan-prefix", size: million),
        Correspondence(measurement: "W6c_sum_age", workload: "sum", size: million),
        Correspondence(measurement: "W6d_sort_age_first100", workload: "sort", size: million),
        Correspondence(measurement: "W6e_iterate_3props", workload: "iterate", size: million),
        Correspondence(measurement: "W7_update_all_1txn", workload: "update-all", size: million),
        Correspondence(measurement: "W7_update_single_5000txn", workload: "update-single"),
        Correspondence(measurement: "W8_compact", workload: "compact", size: million),
        Correspondence(measurement: "W8_delete_half", workload: "delete-half", size: million),
    ]

    private var measured: [String: Ratio] = [:]

    /// `csv`: the text of `Benchmarks/Data/realm-core.csv`. Plain files at full durability only:
    /// SQLite's were that.
    init(csv: String) throws {
        let records = try CSV.parse(csv)
        guard let header = records.first?.fields else { return }
        for record in records.dropFirst() {
            let row = RunRow(header: header, fields: record.fields)
            guard row["durability"] == "full",
                let speed = row.number("speed_ratio_to_sqlite_wal_full")
            else { continue }
            let file = row.number("file_size_ratio_to_sqlite")
            measured[row["workload"]] = Ratio(
                speed: speed, file: file == 0 ? nil : file, objects: Int(row["n"]) ?? 0)
        }
    }

    /// Those that come with the package.
    static func load() throws -> IndirectRatios {
        let file = try ResourceLocator.packageDirectory()
            .appendingPathComponent("Benchmarks/Data/realm-core.csv")
        do { return try IndirectRatios(csv: String(contentsOf: file, encoding: .utf8)) } catch {
            throw BenchmarkError(.internalError, "'\(file.path)' cannot be read: \(error)")
        }
    }

    func ratio(workload: String, strategy: String, size: Int) -> Ratio? {
        Self.correspondences.first {
            $0.workload == workload && $0.strategy == strategy && ($0.size ?? size) == size
        }.flatMap { measured[$0.measurement] }
    }
}
