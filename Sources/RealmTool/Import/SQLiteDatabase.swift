import Glibc
import ToolSupport

/// A database of SQLite, opened for reading. All that is read from it is of one version.
final class SQLiteDatabase {
    /// What every file of SQLite begins with.
    private static let mark = Array("SQLite format 3\0".utf8)
    /// Read-only, and without locks for several threads, which take a tenth of the time.
    private static let openFlags: Int32 = 0x1 | 0x8000
    /// How long another process may write before reading fails.
    private static let patience: Int32 = 10_000
    private static let stepsBetweenChecks: Int32 = 100_000

    let library: SQLiteLibrary
    /// The path, in messages.
    let name: String
    fileprivate let handle: OpaquePointer

    /// Whether a file is a database of SQLite, as its first bytes say.
    static func isDatabase(_ path: String) -> Bool {
        var status = stat()
        // Reading from a pipe would take its first bytes from the import.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: mark.count)
        return read(descriptor, &bytes, bytes.count) == bytes.count && bytes == mark
    }

    init(_ path: String) throws(ToolError) {
        library = try SQLiteLibrary()
        name = path
        guard access(path, R_OK) == 0 else {
            throw ToolError(
                .usage, "'\(path)' cannot be read: \(String(cString: strerror(errno))).")
        }
        var opened: OpaquePointer?
        let code = library.open(path, &opened, Self.openFlags, nil)
        guard code == 0, let opened else {
            let error = Self.error(library, opened, path, code)
            _ = library.close(opened)
            throw error
        }
        handle = opened
        _ = library.setTimeout(handle, Self.patience)
        // A sort of millions of rows takes seconds, in which nobody else looks for signals.
        library.setProgress(
            handle, Self.stepsBetweenChecks, { _ in Interrupted.code == nil ? 0 : 1 }, nil)
        // The types of columns and then the rows are read: both of one version.
        _ = try SQLiteRows(self, "BEGIN").next()
    }

    deinit { _ = library.close(handle) }

    /// The error of the last call.
    fileprivate func error(_ code: Int32, _ intention: ToolError.Code = .badData) -> ToolError {
        Self.error(library, handle, name, code, intention)
    }

    private static func error(
        _ library: SQLiteLibrary, _ handle: OpaquePointer?, _ name: String, _ code: Int32,
        _ intention: ToolError.Code = .badData
    ) -> ToolError {
        do { try Interrupted.check() } catch { return error }
        let message = library.message(handle).map { String(cString: $0) } ?? "error \(code)"
        // Locked by a writer, or no memory: not what the file holds.
        let isOfSystem = [5, 6, 7, 10, 14].contains(code & 0xFF)
        return ToolError(isOfSystem ? .internalError : intention, "\(name): SQLite: \(message).")
    }

    // MARK: Tables

    /// The names of tables and views.
    func tables() throws -> [String] {
        let rows = try SQLiteRows(
            self,
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
        var names: [String] = []
        while try rows.next() { names.append(rows.string(0)) }
        return names
    }

    /// The name of a table as the database has it. Case does not matter in SQLite.
    func table(named given: String) throws -> String {
        let names = try tables()
        if names.contains(given) { return given }
        if let name = names.first(where: { $0.lowercased() == given.lowercased() }) { return name }
        guard !names.isEmpty else { throw ToolError(.usage, "'\(name)' has no tables.") }
        throw ToolError(
            .usage,
            NameSuggestion.message(kind: "table in '\(name)'", name: given, among: names)
                + " --table names the table, or --query asks for rows.")
    }

    /// The column that is the primary key of a table; nil if there is none, or several together.
    func primaryKey(of table: String) throws -> String? {
        let rows = try SQLiteRows(
            self, "SELECT name FROM pragma_table_info(\(Self.quoted(table, "'"))) WHERE pk > 0")
        guard try rows.next() else { return nil }
        let name = rows.string(0)
        return try rows.next() ? nil : name
    }

    /// The rows of a table.
    func rows(of table: String) throws -> SQLiteRows {
        let name = Self.quoted(table, "\"")
        let counting = try SQLiteRows(self, "SELECT count(*) FROM \(name)")
        let count = try counting.next() ? counting.integer(0) : 0
        return try SQLiteRows(self, "SELECT * FROM \(name)", count: Int(count))
    }

    private static func quoted(_ name: String, _ quote: String) -> String {
        quote + name.replacing(quote, with: quote + quote) + quote
    }
}

/// The rows that a query gives, one after another.
final class SQLiteRows {
    enum Kind: Int32 {
        case integer = 1
        case real, text, blob, null
    }

    private static let row: Int32 = 100
    private static let done: Int32 = 101

    /// Kept open as long as its rows are read.
    let database: SQLiteDatabase
    private let library: SQLiteLibrary
    private let statement: OpaquePointer
    let columnNames: [String]
    /// The number of rows; nil if nobody knows.
    let count: Int?
    /// The number of the row that was read last, counted from 1.
    @exclusivity(unchecked) private(set) var number = 0

    var name: String { database.name }

    init(_ database: SQLiteDatabase, _ query: String, count: Int? = nil) throws(ToolError) {
        self.database = database
        self.count = count
        let library = database.library
        self.library = library
        var prepared: OpaquePointer?
        let code = library.prepare(database.handle, query, -1, &prepared, nil)
        guard code == 0 else { throw database.error(code, .usage) }
        guard let prepared else { throw ToolError(.usage, "--query has no statement.") }
        statement = prepared
        let names = (0..<library.columnCount(prepared)).map {
            library.columnName(prepared, $0).map { String(cString: $0) } ?? ""
        }
        columnNames = names
        guard library.isReadOnly(statement) != 0 else {
            throw ToolError(.usage, "--query is a statement that changes the database.")
        }
    }

    deinit { _ = library.finalize(statement) }

    /// Moves to the next row. Returns false after the last one.
    func next() throws(ToolError) -> Bool {
        let code = library.step(statement)
        if code == Self.row {
            number += 1
            return true
        }
        guard code == Self.done else { throw database.error(code) }
        return false
    }

    /// Goes back to before the first row.
    func rewind() {
        _ = library.reset(statement)
        number = 0
    }

    // MARK: Values

    /// The type with which a column was declared, in capitals; empty if there is none.
    func declaredType(_ column: Int) -> String {
        library.declaredType(statement, Int32(column)).map { String(cString: $0) }?.uppercased()
            ?? ""
    }

    @inline(__always)
    func kind(_ column: Int) -> Kind {
        Kind(rawValue: library.columnType(statement, Int32(column))) ?? .null
    }

    @inline(__always)
    func integer(_ column: Int) -> Int64 { library.integer(statement, Int32(column)) }

    @inline(__always)
    func double(_ column: Int) -> Double { library.double(statement, Int32(column)) }

    /// The bytes of a text, in UTF-8, valid until the next row.
    @inline(__always)
    func text(_ column: Int) -> UnsafeRawBufferPointer {
        let start = library.text(statement, Int32(column))
        return UnsafeRawBufferPointer(
            start: start, count: Int(library.byteCount(statement, Int32(column))))
    }

    /// The bytes of a blob, valid until the next row.
    func blob(_ column: Int) -> UnsafeRawBufferPointer {
        let start = library.blob(statement, Int32(column))
        return UnsafeRawBufferPointer(
            start: start, count: Int(library.byteCount(statement, Int32(column))))
    }

    func string(_ column: Int) -> String { String(decoding: text(column), as: UTF8.self) }
}
