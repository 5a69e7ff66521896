import CDuckDB
import ToolSupport

/// A prepared statement of DuckDB. Belongs to one thread.
final class DuckDBStatement {
    private let handle: UnsafeMutableRawPointer
    private let sql: String
    // The connection outlives its statements.
    private let connection: DuckDBConnection
    private var functions: duckdb_functions { connection.functions }

    init(_ handle: UnsafeMutableRawPointer, sql: String, of connection: DuckDBConnection) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
    }

    deinit {
        var handle: UnsafeMutableRawPointer? = handle
        functions.destroy_prepare(&handle)
    }

    /// Sets the parameters from the first one on, which stay until they are set again.
    func bind(_ values: Int...) throws {
        for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
    }

    func bind(_ value: Int, at index: Int) throws {
        try check(functions.bind_int64(handle, UInt64(index), Int64(value)))
    }

    func bind(_ text: String, at index: Int) throws {
        var text = text
        let state = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                functions.bind_varchar_length(
                    handle, UInt64(index), $0.baseAddress, UInt64($0.count))
            }
        }
        try check(state)
    }

    private func check(_ state: CInt) throws {
        guard state == 0 else {
            throw connection.failure("bind \(sql) on", functions.prepare_error(handle))
        }
    }

    /// Runs the statement and passes its rows in pieces, each with its columns, to `body`.
    func forEachChunk(_ body: (DuckDBChunk) -> Void) throws {
        var result = duckdb_result()
        defer { functions.destroy_result(&result) }
        guard functions.execute_prepared(handle, &result) == 0 else {
            throw connection.failure("execute \(sql) on", functions.result_error(&result))
        }
        while let fetched = functions.fetch_chunk(result) {
            var chunk: UnsafeMutableRawPointer? = fetched
            body(DuckDBChunk(handle: fetched, functions: functions))
            functions.destroy_data_chunk(&chunk)
        }
    }

    /// Returns the only value, a whole number; nil if it is NULL.
    func integer() throws -> Int? {
        var value: Int?
        try forEachChunk { if !$0.isNull(0) { value = $0.integers(0)[0] } }
        return value
    }
}

/// Some rows of a result. Valid during the call that it is passed to.
struct DuckDBChunk {
    fileprivate let handle: UnsafeMutableRawPointer
    fileprivate let functions: duckdb_functions

    var rows: Int { Int(functions.data_chunk_get_size(handle)) }

    private func vector(_ column: Int) -> UnsafeMutableRawPointer {
        functions.data_chunk_get_vector(handle, UInt64(column))!
    }

    private func values<Value>(_ column: Int, _ type: Value.Type) -> UnsafeBufferPointer<Value> {
        let values = functions.vector_get_data(vector(column))!
        return UnsafeBufferPointer(
            start: values.assumingMemoryBound(to: type), count: rows)
    }

    /// Returns the values of a column of the type BIGINT.
    func integers(_ column: Int) -> UnsafeBufferPointer<Int> { values(column, Int.self) }
    /// Returns the values of a column of the type INTEGER.
    func shortIntegers(_ column: Int) -> UnsafeBufferPointer<Int32> { values(column, Int32.self) }
    func doubles(_ column: Int) -> UnsafeBufferPointer<Double> { values(column, Double.self) }
    func texts(_ column: Int) -> UnsafeBufferPointer<duckdb_text> {
        values(column, duckdb_text.self)
    }

    /// Whether the value of a column in the first row is NULL.
    func isNull(_ column: Int) -> Bool {
        functions.vector_get_validity(vector(column)).map { $0[0] & 1 == 0 } ?? false
    }
}

extension UnsafeBufferPointer<duckdb_text> {
    /// Passes the bytes of a text to `body`.
    @inline(__always)
    func withBytes<Result>(
        _ row: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let text = baseAddress! + row
        let bytes = UnsafeRawBufferPointer(
            start: duckdb_text_bytes(text), count: Int(text.pointee.inside.length))
        return body(bytes)
    }

    func string(_ row: Int) -> String { withBytes(row) { String(decoding: $0, as: UTF8.self) } }
}
