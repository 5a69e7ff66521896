import Foundation
import ToolSupport

/// The comparison of realm-core with SQLite, measured elsewhere on identical workloads. It is not
/// part of a run, so all its figures are marked as indirect.
struct IndirectRatios: Sendable {
    struct Ratio: Equatable, Sendable {
        /// The speed relative to SQLite; above 1 is faster.
        var speed: Double
        /// The file size relative to SQLite; above 1 is larger. Nil if no size was compared.
        var file: Double?
    }

    private struct Correspondence {
        var measurement, workload, strategy: String
        /// The size; nil if the ratio hardly depends on it.
        var size: Int?
    }

    private var correspondences: [Correspondence] = []
    private var measured: [String: Ratio] = [:]

    private init() {}

    /// Parses the texts of `realm-core.csv` (`ratios`) and `realm-core-workloads.csv`
    /// (`workloads`). Keeps only plain files at full durability, because SQLite was measured that
    /// way.
    init(ratios: String, workloads: String) throws {
        correspondences = try CSVRow.rows(in: workloads, path: "realm-core-workloads.csv").map {
            Correspondence(
                measurement: $0["measurement"], workload: $0["workload"], strategy: $0["strategy"],
                size: $0.integer("size_objects"))
        }
        for row in try CSVRow.rows(in: ratios, path: "realm-core.csv")
        where row["durability"] == "full" {
            guard let speed = row.number("speed_ratio_to_sqlite_wal_full") else { continue }
            let file = row.number("file_size_ratio_to_sqlite")
            measured[row["workload"]] = Ratio(speed: speed, file: file == 0 ? nil : file)
        }
    }

    /// Loads the ratios that are part of the package; none in that of a user.
    static func load() throws -> IndirectRatios {
        if OwnWorkloads.all != nil { return IndirectRatios() }
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
