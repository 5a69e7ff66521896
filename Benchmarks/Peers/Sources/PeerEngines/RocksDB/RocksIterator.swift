import BenchmarkKit
import CRocksDB

/// The iteration over entries in key order.
enum RocksIterator {
    /// Visits the entries whose keys begin with `prefix` (nil for all) until `body` returns false.
    /// It begins at `start`, which must begin with `prefix` as well. The bytes are valid during the
    /// call.
    @inline(__always)
    static func forEach(
        in database: RocksDatabase, _ options: OpaquePointer, prefix: UInt8?,
        from start: UnsafeRawBufferPointer? = nil,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let iterator = rocksdb_create_iterator(database.handle, options)!
        defer { rocksdb_iter_destroy(iterator) }
        if let start {
            seek(iterator, start)
        } else if let prefix {
            withUnsafeBytes(of: prefix) { seek(iterator, $0) }
        } else {
            rocksdb_iter_seek_to_first(iterator)
        }
        while rocksdb_iter_valid(iterator) != 0 {
            let key = key(iterator)
            if let prefix, key.first != prefix { break }
            var length = 0
            let bytes = rocksdb_iter_value(iterator, &length)
            guard try body(key, UnsafeRawBufferPointer(start: bytes, count: length)) else { break }
            rocksdb_iter_next(iterator)
        }
        try check(iterator, database)
    }

    /// Returns a copy of the last key before `end`.
    static func lastKey(
        in database: RocksDatabase, _ options: OpaquePointer, before end: UInt8
    ) throws -> [UInt8]? {
        let iterator = rocksdb_create_iterator(database.handle, options)!
        defer { rocksdb_iter_destroy(iterator) }
        withUnsafeBytes(of: end) {
            let bytes = $0.bindMemory(to: CChar.self)
            rocksdb_iter_seek_for_prev(iterator, bytes.baseAddress, bytes.count)
        }
        try check(iterator, database)
        return rocksdb_iter_valid(iterator) != 0 ? Array(key(iterator)) : nil
    }

    private static func seek(_ iterator: OpaquePointer, _ start: UnsafeRawBufferPointer) {
        let bytes = start.bindMemory(to: CChar.self)
        rocksdb_iter_seek(iterator, bytes.baseAddress, bytes.count)
    }

    @inline(__always)
    private static func key(_ iterator: OpaquePointer) -> UnsafeRawBufferPointer {
        var length = 0
        let bytes = rocksdb_iter_key(iterator, &length)
        return UnsafeRawBufferPointer(start: bytes, count: length)
    }

    private static func check(_ iterator: OpaquePointer, _ database: RocksDatabase) throws {
        var failure: UnsafeMutablePointer<CChar>?
        rocksdb_iter_get_error(iterator, &failure)
        try checkRocks(failure, "read", database.path)
    }
}
