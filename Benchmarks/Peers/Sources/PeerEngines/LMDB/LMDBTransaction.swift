import BenchmarkKit
import CLMDB

/// A transaction of LMDB, which reads and writes by key. The bytes that it returns are those of the
/// file, valid until the next change or the end of the transaction.
struct LMDBTransaction {
    let handle: OpaquePointer
    let path: String

    init(_ environment: LMDBEnvironment, isReading: Bool) throws {
        path = environment.path
        var begun: OpaquePointer?
        let flags = isReading ? UInt32(MDB_RDONLY) : 0
        try checkLMDB(
            mdb_txn_begin(environment.handle, nil, flags, &begun), "begin a transaction on", path)
        guard let begun else { throw peerFailure("LMDB", "begin on", path, "no transaction") }
        handle = begun
    }

    func commit() throws { try checkLMDB(mdb_txn_commit(handle), "commit to", path) }
    func abort() { mdb_txn_abort(handle) }
    /// Releases the version; `renew` takes the newest one.
    func reset() { mdb_txn_reset(handle) }
    func renew() throws { try checkLMDB(mdb_txn_renew(handle), "begin reading", path) }

    // MARK: Access by key

    @inline(__always)
    func get(_ database: MDB_dbi, _ key: UnsafeRawBufferPointer) throws
        -> UnsafeRawBufferPointer?
    {
        var key = MDB_val(key)
        var value = MDB_val()
        let result = mdb_get(handle, database, &key, &value)
        if result == MDB_NOTFOUND { return nil }
        try checkLMDB(result, "read", path)
        return value.bytes
    }

    @inline(__always)
    func get(_ database: MDB_dbi, _ number: Int) throws -> UnsafeRawBufferPointer? {
        try withUnsafeBytes(of: number) { try get(database, $0) }
    }

    @inline(__always)
    func put(
        _ database: MDB_dbi, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        _ flags: Int32 = 0
    ) throws {
        var key = MDB_val(key)
        var value = MDB_val(value)
        try checkLMDB(mdb_put(handle, database, &key, &value, UInt32(flags)), "write", path)
    }

    @inline(__always)
    func put(
        _ database: MDB_dbi, _ number: Int, _ value: UnsafeRawBufferPointer, _ flags: Int32 = 0
    ) throws {
        try withUnsafeBytes(of: number) { try put(database, $0, value, flags) }
    }

    /// Deletes a key; returns false if it does not exist.
    @discardableResult
    func delete(
        _ database: MDB_dbi, _ key: UnsafeRawBufferPointer, duplicate: UnsafeRawBufferPointer? = nil
    ) throws -> Bool {
        var key = MDB_val(key)
        let result: Int32
        if let duplicate {
            var value = MDB_val(duplicate)
            result = mdb_del(handle, database, &key, &value)
        } else {
            result = mdb_del(handle, database, &key, nil)
        }
        if result == MDB_NOTFOUND { return false }
        try checkLMDB(result, "delete from", path)
        return true
    }

    func statistics(_ database: MDB_dbi) throws -> MDB_stat {
        var statistics = MDB_stat()
        try checkLMDB(mdb_stat(handle, database, &statistics), "read statistics of", path)
        return statistics
    }

    // MARK: Iteration

    func withCursor<Result>(
        _ database: MDB_dbi, _ body: (LMDBCursor) throws -> Result
    ) throws -> Result {
        var opened: OpaquePointer?
        try checkLMDB(mdb_cursor_open(handle, database, &opened), "open a cursor of", path)
        guard let opened else { throw peerFailure("LMDB", "open a cursor of", path, "none") }
        defer { mdb_cursor_close(opened) }
        return try body(LMDBCursor(handle: opened, path: path))
    }

    /// Visits entries in key order, from `start` on if it is given, until `body` returns false.
    @inline(__always)
    func forEach(
        _ database: MDB_dbi, from start: UnsafeRawBufferPointer? = nil,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try withCursor(database) { cursor in
            // LMDB rejects an empty key, which sorts before all others.
            var entry: LMDBCursor.Entry?
            if let start, !start.isEmpty {
                entry = try cursor.seek(start)
            } else {
                entry = try cursor.move(MDB_FIRST)
            }
            while let (key, value) = entry {
                guard try body(key, value) else { break }
                entry = try cursor.move(MDB_NEXT)
            }
        }
    }
}

/// A cursor in a database.
struct LMDBCursor {
    typealias Entry = (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)

    let handle: OpaquePointer
    let path: String

    /// Moves the cursor; nil if there is no entry.
    @inline(__always)
    func move(_ operation: MDB_cursor_op) throws -> Entry? {
        var key = MDB_val()
        var value = MDB_val()
        let result = mdb_cursor_get(handle, &key, &value, operation)
        if result == MDB_NOTFOUND { return nil }
        try checkLMDB(result, "read", path)
        return (key.bytes, value.bytes)
    }

    /// Returns the first entry at or after a key.
    func seek(_ start: UnsafeRawBufferPointer, _ operation: MDB_cursor_op = MDB_SET_RANGE) throws
        -> Entry?
    {
        var key = MDB_val(start)
        var value = MDB_val()
        let result = mdb_cursor_get(handle, &key, &value, operation)
        if result == MDB_NOTFOUND { return nil }
        try checkLMDB(result, "read", path)
        return (key.bytes, value.bytes)
    }

    /// Returns the number of values of the current key, in a database with duplicate keys.
    func duplicates() throws -> Int {
        var count = 0
        try checkLMDB(mdb_cursor_count(handle, &count), "count in", path)
        return count
    }

    /// Replaces the value at the cursor by one of the same length.
    func replace(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
        var key = MDB_val(key)
        var value = MDB_val(value)
        try checkLMDB(
            mdb_cursor_put(handle, &key, &value, UInt32(MDB_CURRENT)), "write", path)
    }

    /// Deletes the entry at the cursor, which is then before the next entry; `MDB_NEXT` moves to
    /// it.
    func delete() throws { try checkLMDB(mdb_cursor_del(handle, 0), "delete from", path) }
}

extension MDB_val {
    /// Wraps bytes; the mutable pointer is safe because LMDB only reads through it.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}
