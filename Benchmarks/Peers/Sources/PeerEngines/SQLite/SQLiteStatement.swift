import BenchmarkKit
import CSQLite

/// A prepared statement. Belongs to the thread of its connection.
///
/// Texts and bytes are bound without a copy; they must stay valid until the statement has run.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let sql: String
    // The connection owns its transaction statements, so a strong reference would be a cycle.
    private unowned let connection: SQLiteConnection

    init(_ handle: OpaquePointer, sql: String, of connection: SQLiteConnection) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Running

    /// Advances to the first or next row; returns false, and resets the statement, if there is
    /// none.
    @inline(__always)
    func step() throws -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        guard result == SQLITE_DONE else { throw connection.failure("run \(sql) on") }
        return false
    }

    /// Runs a statement and ignores its rows.
    @inline(__always)
    func run() throws {
        if try step() { sqlite3_reset(handle) }
    }

    /// Ends a statement before its last row.
    @inline(__always)
    func reset() { sqlite3_reset(handle) }

    /// Returns the first column of the first row; 0 for NULL.
    func runForInteger() throws -> Int {
        guard try step() else { return 0 }
        defer { reset() }
        return integer(0)
    }

    /// Returns whether the first column of the first row is true.
    func runForTruth() throws -> Bool { try runForInteger() != 0 }

    // MARK: Parameters, counted from 1

    @inline(__always)
    func bind(_ value: Int, at position: Int32) {
        sqlite3_bind_int64(handle, position, Int64(value))
    }

    @inline(__always)
    func bind(_ value: Double, at position: Int32) {
        sqlite3_bind_double(handle, position, value)
    }

    @inline(__always)
    func bind(text bytes: UnsafeBufferPointer<UInt8>, at position: Int32) {
        bytes.withMemoryRebound(to: CChar.self) {
            // An empty buffer may have no address, which would bind NULL.
            _ = sqlite3_bind_text(
                handle, position, $0.baseAddress ?? Self.nothing, Int32($0.count), nil)
        }
    }

    @inline(__always)
    func bind(blob bytes: UnsafeRawBufferPointer, at position: Int32) {
        sqlite3_bind_blob(
            handle, position, bytes.baseAddress ?? UnsafeRawPointer(Self.nothing),
            Int32(bytes.count), nil)
    }

    /// Binds a text for the duration of `body`.
    @inline(__always)
    func withText<Result>(_ text: String, at position: Int32, _ body: () throws -> Result) rethrows
        -> Result
    {
        var text = text
        return try text.withUTF8 {
            bind(text: $0, at: position)
            return try body()
        }
    }

    // Unsafe is justified because the memory is never written and never freed.
    nonisolated(unsafe) private static let nothing = UnsafePointer(
        UnsafeMutablePointer<CChar>.allocate(capacity: 1))

    // MARK: Columns, counted from 0

    @inline(__always)
    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// Returns the bytes of a column, valid until the next step.
    @inline(__always)
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let address = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: address, count: Int(sqlite3_column_bytes(handle, column)))
    }

    @inline(__always)
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
