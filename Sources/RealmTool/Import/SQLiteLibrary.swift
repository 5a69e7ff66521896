import Glibc
import ToolSupport

/// The functions of SQLite that an import calls, from `libsqlite3` of the system.
///
/// The library is loaded when a database of SQLite is imported. So the tool runs without it, and is
/// built without anything of it.
final class SQLiteLibrary {
    typealias Open =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?
        ) -> Int32
    typealias Prepare =
        @convention(c) (
            OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<OpaquePointer?>,
            UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> Int32
    typealias Progress = @convention(c) (UnsafeMutableRawPointer?) -> Int32
    typealias SetProgress =
        @convention(c) (
            OpaquePointer, Int32, Progress?, UnsafeMutableRawPointer?
        ) -> Void
    typealias SetTimeout = @convention(c) (OpaquePointer, Int32) -> Int32
    typealias Message = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    typealias Status = @convention(c) (OpaquePointer?) -> Int32
    typealias ColumnStatus = @convention(c) (OpaquePointer, Int32) -> Int32
    typealias ColumnText = @convention(c) (OpaquePointer, Int32) -> UnsafePointer<CChar>?
    typealias ColumnBytes = @convention(c) (OpaquePointer, Int32) -> UnsafeRawPointer?
    typealias ColumnInteger = @convention(c) (OpaquePointer, Int32) -> Int64
    typealias ColumnDouble = @convention(c) (OpaquePointer, Int32) -> Double

    static let fileName = "libsqlite3.so.0"

    let open: Open
    let close: Status
    let message: Message
    let setTimeout: SetTimeout
    let setProgress: SetProgress
    let prepare: Prepare
    let isReadOnly: Status
    let step: Status
    let reset: Status
    let finalize: Status
    let columnCount: Status
    let columnName: ColumnText
    let declaredType: ColumnText
    let columnType: ColumnStatus
    let integer: ColumnInteger
    let double: ColumnDouble
    let text: ColumnBytes
    let blob: ColumnBytes
    let byteCount: ColumnStatus

    /// - Throws: an error that says what to install.
    init() throws(ToolError) {
        // Never unloaded, because other parts of the process may have loaded it as well.
        guard let handle = dlopen(Self.fileName, RTLD_NOW) else {
            throw ToolError(
                .internalError,
                "The library of SQLite, \(Self.fileName), is not installed: "
                    + "'sudo apt-get install libsqlite3-0' installs it on Debian and Ubuntu.")
        }
        func function<Function>(_ name: String) throws(ToolError) -> Function {
            guard let symbol = dlsym(handle, name) else {
                throw ToolError(
                    .internalError, "\(Self.fileName) has no function '\(name)'. It is too old.")
            }
            return unsafeBitCast(symbol, to: Function.self)
        }
        open = try function("sqlite3_open_v2")
        close = try function("sqlite3_close_v2")
        message = try function("sqlite3_errmsg")
        setTimeout = try function("sqlite3_busy_timeout")
        setProgress = try function("sqlite3_progress_handler")
        prepare = try function("sqlite3_prepare_v2")
        isReadOnly = try function("sqlite3_stmt_readonly")
        step = try function("sqlite3_step")
        reset = try function("sqlite3_reset")
        finalize = try function("sqlite3_finalize")
        columnCount = try function("sqlite3_column_count")
        columnName = try function("sqlite3_column_name")
        declaredType = try function("sqlite3_column_decltype")
        columnType = try function("sqlite3_column_type")
        integer = try function("sqlite3_column_int64")
        double = try function("sqlite3_column_double")
        text = try function("sqlite3_column_text")
        blob = try function("sqlite3_column_blob")
        byteCount = try function("sqlite3_column_bytes")
    }
}
