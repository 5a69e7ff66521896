import BenchmarkKit
import CSQLite
import Glibc
import Synchronization
import ToolSupport

/// A connection to a SQLite file in WAL mode with the settings of an experienced user. Belongs to
/// one thread at a time.
final class SQLiteConnection {
    let path: String
    private let handle: OpaquePointer
    private var isReading = false
    private var beginRead, beginWrite, commit, rollback, touch: SQLiteStatement?

    /// The lock that serialises opening, because two connections of one process that create a file
    /// would meet each other's locks.
    private static let opening = Mutex<Void>(())

    init(path: String, _ settings: SQLiteSettings, schema: [String]) throws {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = sqlite3_open_v2(path, &opened, flags, nil)
        guard result == SQLITE_OK, let opened else {
            let reason = String(cString: sqlite3_errstr(result))
            sqlite3_close_v2(opened)
            throw peerFailure("SQLite", "open", path, reason)
        }
        handle = opened
        // Whoever holds an exclusive lock keeps it, so that waiting would be in vain.
        if !settings.isExclusive {
            sqlite3_busy_handler(handle, { _, attempts in SQLiteConnection.wait(attempts) }, nil)
        }
        try Self.opening.withLock { _ in
            for statement in settings.statements { try execute(statement) }
            for statement in schema { try execute(statement) }
        }
        beginRead = try prepare("BEGIN")
        beginWrite = try prepare("BEGIN IMMEDIATE")
        commit = try prepare("COMMIT")
        rollback = try prepare("ROLLBACK")
        touch = try prepare("SELECT 1 FROM sqlite_schema LIMIT 1")
    }

    deinit {
        // Statements that live on keep the connection as a zombie until they are finalized.
        sqlite3_close_v2(handle)
    }

    /// Waits for another connection's lock and gives up after a minute. SQLite's own handler waits
    /// for milliseconds at first and later for tenths of seconds, far longer than a transaction
    /// here.
    static func wait(_ attempts: Int32) -> Int32 {
        let pause: UInt32 = attempts < 100 ? 50 : 500
        guard attempts < 120_000 else { return 0 }
        usleep(pause)
        return 1
    }

    func failure(_ action: String) -> BenchmarkError {
        peerFailure("SQLite", action, path, String(cString: sqlite3_errmsg(handle)))
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw failure("execute \(sql) on")
        }
    }

    func prepare(_ sql: String) throws -> SQLiteStatement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK,
            let statement
        else { throw failure("prepare \(sql) on") }
        return SQLiteStatement(statement, sql: sql, of: self)
    }

    /// Returns the first column of the first row.
    func integer(_ sql: String) throws -> Int {
        let statement = try prepare(sql)
        guard try statement.step() else { return 0 }
        return statement.integer(0)
    }

    // MARK: Transactions

    /// Begins a read transaction, which serves all reads until `endReading` or a write, so that not
    /// every read locks the file.
    func read() throws {
        guard !isReading else { return }
        try beginRead?.run()
        isReading = true
    }

    /// Takes the newest version now; otherwise a read transaction begins at its first read.
    func pin() throws {
        try endReading()
        try read()
        try touch?.run()
    }

    func endReading() throws {
        guard isReading else { return }
        try commit?.run()
        isReading = false
    }

    func beginWriting() throws {
        try endReading()
        try beginWrite?.run()
    }

    func commitWriting() throws { try commit?.run() }

    /// Rolls back; after a failure the transaction may have ended already.
    func cancelWriting() {
        if sqlite3_get_autocommit(handle) == 0 { try? rollback?.run() }
    }

    /// Runs `body` in one transaction.
    func write(_ body: () throws -> Void) throws {
        try beginWriting()
        do {
            try body()
            try commitWriting()
        } catch {
            cancelWriting()
            throw error
        }
    }
}
