import BenchmarkKit
import CRocksDB

/// The common part of the RocksDB stores: the lease on the folder, the options, and a snapshot
/// while the store is pinned. Belongs to one thread.
final class RocksSession {
    let lease: RocksDatabase.Lease
    let readOptions: OpaquePointer
    private let writeOptions: OpaquePointer
    private var snapshot: OpaquePointer?
    let key = ByteBuffer()
    let value = ByteBuffer()

    init(_ path: String, _ settings: RocksSettings) throws {
        lease = try RocksDatabase.lease(path, settings.writing)
        readOptions = rocksdb_readoptions_create()
        writeOptions = rocksdb_writeoptions_create()
        rocksdb_writeoptions_set_sync(writeOptions, settings.durability == .full ? 1 : 0)
    }

    deinit {
        releaseSnapshot()
        rocksdb_readoptions_destroy(readOptions)
        rocksdb_writeoptions_destroy(writeOptions)
    }

    var database: RocksDatabase { lease.database }

    // MARK: Reading

    func pin() {
        releaseSnapshot()
        snapshot = rocksdb_create_snapshot(database.handle)
        rocksdb_readoptions_set_snapshot(readOptions, snapshot)
    }

    func releaseSnapshot() {
        guard let snapshot else { return }
        rocksdb_readoptions_set_snapshot(readOptions, nil)
        rocksdb_release_snapshot(database.handle, snapshot)
        self.snapshot = nil
    }

    /// Passes the value of a key to `body`; nil if the key does not exist.
    @inline(__always)
    func get<Result>(
        _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        let bytes = key.bindMemory(to: CChar.self)
        var failure: UnsafeMutablePointer<CChar>?
        let found = rocksdb_get_pinned(
            database.handle, readOptions, bytes.baseAddress, bytes.count, &failure)
        try checkRocks(failure, "read", database.path)
        guard let found else { return nil }
        defer { rocksdb_pinnableslice_destroy(found) }
        var length = 0
        let value = rocksdb_pinnableslice_value(found, &length)
        return try body(UnsafeRawBufferPointer(start: value, count: length))
    }

    @inline(__always)
    func forEach(
        prefix: UInt8, from start: UnsafeRawBufferPointer? = nil,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try RocksIterator.forEach(in: database, readOptions, prefix: prefix, from: start, body)
    }

    // MARK: Writing

    /// Runs `body` in one transaction. No other `write` runs meanwhile, so that its reads stay
    /// valid; `body` does not see its own writes.
    func write(_ body: (RocksBatch) throws -> Void) throws {
        database.beginWriting()
        defer { database.endWriting() }
        try insert(body)
    }

    /// Inserts entries with new keys that do not depend on stored data. It does not take the write
    /// permission, so that RocksDB can merge the commits of several threads into one sync.
    func insert(_ body: (RocksBatch) throws -> Void) throws {
        releaseSnapshot()
        let batch = RocksBatch()
        try body(batch)
        try commit(batch)
    }

    func commit(_ batch: RocksBatch) throws {
        var failure: UnsafeMutablePointer<CChar>?
        rocksdb_write(database.handle, writeOptions, batch.handle, &failure)
        try checkRocks(failure, "commit to", database.path)
    }
}

/// A batch of changes that become durable together. Belongs to one thread.
final class RocksBatch {
    let handle: OpaquePointer = rocksdb_writebatch_create()

    deinit { rocksdb_writebatch_destroy(handle) }

    @inline(__always)
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let key = key.bindMemory(to: CChar.self)
        let value = value.bindMemory(to: CChar.self)
        rocksdb_writebatch_put(
            handle, key.baseAddress, key.count, value.baseAddress, value.count)
    }

    func put(_ key: ByteBuffer, _ value: ByteBuffer) { put(key.bytes, value.bytes) }

    func delete(_ key: UnsafeRawBufferPointer) {
        let key = key.bindMemory(to: CChar.self)
        rocksdb_writebatch_delete(handle, key.baseAddress, key.count)
    }

    /// Deletes a key that was put exactly once, which is cheaper than `delete`.
    func deleteWrittenOnce(_ key: UnsafeRawBufferPointer) {
        let key = key.bindMemory(to: CChar.self)
        rocksdb_writebatch_singledelete(handle, key.baseAddress, key.count)
    }
}

/// The first bytes of keys, one for each kind of entry. The byte after a kind is never another
/// kind, so that it can mark the end of a range.
enum RocksKind {
    static let age = UInt8(ascii: "a")
    static let backlink = UInt8(ascii: "c")
    static let member = UInt8(ascii: "m")
    static let owner = UInt8(ascii: "o")
    static let person = UInt8(ascii: "q")
    static let record = UInt8(ascii: "s")
    static let reading = UInt8(ascii: "u")
    static let sensor = UInt8(ascii: "w")
}

extension ByteBuffer {
    /// Sets the key of an entry with a number.
    func setKey(_ kind: UInt8, _ number: Int) {
        removeAll()
        append(littleEndian: kind)
        append(bigEndian: number)
    }

    /// Sets the key of an entry with a text.
    func setKey(_ kind: UInt8, _ text: String) {
        removeAll()
        append(littleEndian: kind)
        append(text)
    }
}
