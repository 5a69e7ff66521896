import Foundation

/// How realm-core compares with SQLite, measured elsewhere on identical workloads: it is no part
/// of a run, so that every such figure is marked as indirect.
struct IndirectRatios: Sendable {
    struct Ratio: Equatable, Sendable {
        /// Above 1: faster than SQLite.
        var speed: Double
        /// Above 1: a larger file than SQLite's. Nil where there was none to compare.
        var file: Double?
    }

    private struct Correspondence {
        var measurement, workload, strategy: String
        /// Nil where the ratio hardly depends on it.
        var size: Int?
    }

    private var correspondences: [Correspondence] = []
    private var measured: [String: Ratio] = [:]

    /// `ratios`, `workloads`: the texts of `realm-core.csv` and `realm-core-workloads.csv`. Plain
    /// files at full durability only: SQLite's were that.
    init(ratios: String, workloads: String) throws {
        correspondences = try Self.rows(workloads).map {
            Correspondence(
                measurement: $0["measurement"], workload: $0.workload, strategy: $0.strategy,
                size: Int($0["size_objects"]))
        }
        for row in try Self.rows(ratios) where row["durability"] == "full" {
            guard let speed = row.number("speed_ratio_to_sqlite_wal_full") else { continue }
            let file = row.number("file_size_ratio_to_sqlite")
            measured[row.workload] = Ratio(speed: speed, file: file == 0 ? nil : file)
        }
    }

    private static func rows(_ csv: String) throws -> [RunRow] {
        let records = try CSV.parse(csv)
        guard let header = records.first?.fields else { return [] }
        return records.dropFirst().map { RunRow(header: header, fields: $0.fields) }
    }

    /// Those that come with the package.
    static func load() throws -> IndirectRatios {
        let folder = try ResourceLocator.packageDirectory().appendingPathComponent(
            "Benchmarks/Data")
        func text(_ name: String) throws -> String {
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        }
        do {
            return try IndirectRatios(
                ratios: text("realm-core.csv"), workloads: text("realm-core-workloads.csv"))
        } catch {
            throw BenchmarkError(
                .internalError,
                "The ratios of realm-core in '\(folder.path)' cannot be read: \(error)")
        }
    }

    func ratio(workload: String, strategy: String, size: Int) -> Ratio? {
        correspondences.first {
            $0.workload == workload && $0.strategy == strategy && ($0.size ?? size) == size
        }.flatMap { measured[$0.measurement] }
    }
}
