import BenchmarkKit
import ToolSupport

/// DuckDB through its C interface, for questions about many persons.
struct DuckDBEngine: PeerEngine {
    /// The threads of one query.
    var threads = 1

    var name: String { threads == 1 ? "duckdb" : "duckdb-\(threads)-threads" }
    var layer: EngineLayer { .engine }
    var durabilities: [Durability] { [.full] }

    var version: String {
        switch DuckDBLibrary.loaded {
        case .success(let functions): String(cString: functions.library_version()!)
        case .failure: "(not installed)"
        }
    }

    var summary: String {
        "DuckDB through its C interface, a query by \(threads) thread\(threads == 1 ? "" : "s"); "
            + "full: the log is synced at each commit"
    }

    func reason(against feature: EngineFeature) -> String? {
        if case .failure(let error) = DuckDBLibrary.loaded { return error.message }
        return switch feature {
        case .persons, .integerKeys, .count, .prefixCount, .dateRangeCount, .sum, .sort, .iterate,
            .queries, .severalStores:
            nil
        default: "DuckDB is here for questions about many persons only."
        }
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try DuckDBPersonStore(path: path, layout, threads: threads)
    }
}
