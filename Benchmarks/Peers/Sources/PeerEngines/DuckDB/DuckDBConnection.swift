import CDuckDB
import ToolSupport

/// A connection to a file of DuckDB. Belongs to one thread.
final class DuckDBConnection {
    let lease: DuckDBDatabase.Lease
    let functions: duckdb_functions
    private let handle: UnsafeMutableRawPointer

    init(_ path: String, threads: Int, schema: String) throws {
        lease = try DuckDBDatabase.lease(path, threads: threads)
        functions = lease.database.functions
        var connected: UnsafeMutableRawPointer?
        guard functions.connect(lease.database.handle, &connected) == 0, let connected else {
            throw peerFailure("DuckDB", "connect to", path, "no connection")
        }
        handle = connected
        try lease.database.creation.withLock { _ in try execute(schema) }
    }

    deinit {
        var handle: UnsafeMutableRawPointer? = handle
        functions.disconnect(&handle)
    }

    func failure(_ action: String, _ reason: UnsafePointer<CChar>?) -> BenchmarkError {
        peerFailure(
            "DuckDB", action, lease.database.path,
            reason.map { String(cString: $0) } ?? "no reason given")
    }

    func execute(_ sql: String) throws {
        var result = duckdb_result()
        defer { functions.destroy_result(&result) }
        guard functions.query(handle, sql, &result) == 0 else {
            throw failure("execute \(sql) on", functions.result_error(&result))
        }
    }

    func prepare(_ sql: String) throws -> DuckDBStatement {
        var statement: UnsafeMutableRawPointer?
        guard functions.prepare(handle, sql, &statement) == 0, let statement else {
            defer { functions.destroy_prepare(&statement) }
            throw failure("prepare \(sql) on", functions.prepare_error(statement))
        }
        return DuckDBStatement(statement, sql: sql, of: self)
    }

    /// Appends rows to a table in one transaction. `body` calls the functions of the appender.
    func append(to table: String, _ body: (_ appender: UnsafeMutableRawPointer) -> Bool) throws {
        try execute("BEGIN TRANSACTION")
        do {
            try appendRows(to: table, body)
            try execute("COMMIT")
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    private func appendRows(
        to table: String, _ body: (_ appender: UnsafeMutableRawPointer) -> Bool
    ) throws {
        var created: UnsafeMutableRawPointer?
        defer { _ = functions.appender_destroy(&created) }
        guard functions.appender_create(handle, nil, table, &created) == 0,
            let appender = created, body(appender), functions.appender_close(appender) == 0
        else { throw failure("append to", functions.appender_error(created)) }
    }
}
