import BenchmarkKit
import CDuckDB
import Synchronization
import ToolSupport

/// An open file of DuckDB. A process may open a file only once, so all its stores share this
/// object; each has a connection of its own.
///
/// Sharing is safe because DuckDB's databases are thread-safe, and the properties are constant.
final class DuckDBDatabase: ClosableDatabase, @unchecked Sendable {
    typealias Lease = SharedDatabases<DuckDBDatabase>.Lease

    let path: String
    let functions: duckdb_functions
    let handle: UnsafeMutableRawPointer
    /// Held while a table is created. If two connections create the same table at once, DuckDB
    /// fails one of them, also with `IF NOT EXISTS`.
    let creation = Mutex<Void>(())

    private static let open = SharedDatabases<DuckDBDatabase>()

    /// - Parameter threads: the number of threads of a query, the same for all stores of a file.
    static func lease(_ path: String, threads: Int) throws -> Lease {
        try open.lease(path) { try DuckDBDatabase(path, threads: threads) }
    }

    private init(_ path: String, threads: Int) throws {
        self.path = path
        let functions = try DuckDBLibrary.loaded.get()
        self.functions = functions
        var config: UnsafeMutableRawPointer?
        defer { functions.destroy_config(&config) }
        guard functions.create_config(&config) == 0,
            functions.set_config(config, "threads", String(threads)) == 0
        else { throw peerFailure("DuckDB", "configure", path, "no such setting") }
        var opened: UnsafeMutableRawPointer?
        var problem: UnsafeMutablePointer<CChar>?
        guard functions.open_ext(path, &opened, config, &problem) == 0, let opened else {
            let reason = problem.map { String(cString: $0) } ?? "no database"
            functions.free(problem)
            throw peerFailure("DuckDB", "open", path, reason)
        }
        handle = opened
    }

    /// Writes what is in the log into the file and closes both.
    func close() {
        var handle: UnsafeMutableRawPointer? = handle
        functions.close(&handle)
    }

    /// Returns the size of the file and its log. Live bytes are not told.
    func size() -> StoreSize {
        StoreSize(fileBytes: FileBytes.length(of: path) + FileBytes.length(of: path + ".wal"))
    }
}
