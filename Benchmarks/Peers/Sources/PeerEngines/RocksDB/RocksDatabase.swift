import BenchmarkKit
import CRocksDB
import Dispatch
import Synchronization
import ToolSupport

/// An open RocksDB folder. A process may open a folder only once, so all its stores share this
/// object.
///
/// Sharing is safe because RocksDB's handles are thread-safe, and the properties added here are
/// locked or constant.
final class RocksDatabase: ClosableDatabase, @unchecked Sendable {
    typealias Lease = SharedDatabases<RocksDatabase>.Lease

    let path: String
    let handle: OpaquePointer
    /// The write permission of transactions that read before they write. It is not a mutex because
    /// a transaction may end on another thread than it began on.
    private let writing = DispatchSemaphore(value: 1)
    /// The number of the next entry without a key; nil until the newest number was looked up.
    private let next = Mutex<Int?>(nil)

    private static let open = SharedDatabases<RocksDatabase>()

    private static let blockCacheBytes = 512 << 20
    private static let filterBitsPerKey = 10.0

    /// - Parameter writing: that of all stores of the folder.
    static func lease(_ path: String, _ writing: RocksSettings.Writing) throws -> Lease {
        try open.lease(path) { try RocksDatabase(path, writing) }
    }

    private init(_ path: String, _ writing: RocksSettings.Writing) throws {
        self.path = path
        let options = Self.makeOptions()
        switch writing {
        case .grouped: break
        case .pipelined: rocksdb_options_set_enable_pipelined_write(options, 1)
        case .unordered: rocksdb_options_set_unordered_write(options, 1)
        }
        defer { rocksdb_options_destroy(options) }
        var failure: UnsafeMutablePointer<CChar>?
        let opened = rocksdb_open(options, path, &failure)
        try checkRocks(failure, "open", path)
        guard let opened else { throw peerFailure("RocksDB", "open", path, "no database") }
        handle = opened
    }

    /// Creates the default options with these changes. Compression is off, because no other engine
    /// here compresses. A block cache and filters are set, because the defaults (8 MiB and none)
    /// are meant to be replaced. The log is reduced.
    private static func makeOptions() -> OpaquePointer {
        let options = rocksdb_options_create()!
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_set_compression(options, Int32(rocksdb_no_compression))
        rocksdb_options_increase_parallelism(options, 2)
        rocksdb_options_set_info_log_level(options, 2)
        rocksdb_options_set_stats_dump_period_sec(options, 0)
        let table = rocksdb_block_based_options_create()!
        let cache = rocksdb_cache_create_lru(blockCacheBytes)!
        rocksdb_block_based_options_set_block_cache(table, cache)
        rocksdb_block_based_options_set_filter_policy(
            table, rocksdb_filterpolicy_create_bloom_full(filterBitsPerKey))
        rocksdb_options_set_block_based_table_factory(options, table)
        // The factory holds references to its objects.
        rocksdb_cache_destroy(cache)
        rocksdb_block_based_options_destroy(table)
        return options
    }

    func close() { rocksdb_close(handle) }

    func beginWriting() { writing.wait() }
    func endWriting() { writing.signal() }

    /// Takes `count` consecutive numbers and returns the first. The caller must use them all; the
    /// numbers do not depend on the commit order of several threads.
    func takeNumbers(_ count: Int, after newest: () throws -> Int?) throws -> Int {
        try next.withLock { next in
            let first = try next ?? (newest() ?? -1) + 1
            next = first + count
            return first
        }
    }

    /// Returns the size of all files in the folder. RocksDB reports no exact number of live bytes.
    func size() -> StoreSize { StoreSize(fileBytes: FileBytes.total(inFolder: path)) }

    func snapshots() throws -> Int {
        var count: UInt64 = 0
        guard rocksdb_property_int(handle, "rocksdb.num-snapshots", &count) == 0 else {
            throw peerFailure("RocksDB", "count the snapshots of", path, "no such property")
        }
        return Int(count)
    }

    /// Compacts everything into the last level, then links or copies the files into a new folder.
    func copy(to target: String) throws {
        rocksdb_compact_range(handle, nil, 0, nil, 0)
        var failure: UnsafeMutablePointer<CChar>?
        let checkpoint = rocksdb_checkpoint_object_create(handle, &failure)
        try checkRocks(failure, "prepare copying", path)
        defer { rocksdb_checkpoint_object_destroy(checkpoint) }
        rocksdb_checkpoint_create(checkpoint, target, 0, &failure)
        try checkRocks(failure, "copy to", target)
    }

    /// Checks the database by reading every entry with its checksum.
    func problems() throws -> [String] {
        let options = rocksdb_readoptions_create()!
        defer { rocksdb_readoptions_destroy(options) }
        rocksdb_readoptions_set_verify_checksums(options, 1)
        rocksdb_readoptions_set_fill_cache(options, 0)
        do {
            try RocksIterator.forEach(in: self, options, prefix: nil) { _, _ in true }
            return []
        } catch let error as BenchmarkError {
            return [error.message]
        }
    }
}

/// Throws the error that RocksDB reported, if any.
@inline(__always)
func checkRocks(
    _ failure: UnsafeMutablePointer<CChar>?, _ action: @autoclosure () -> String, _ path: String
) throws {
    guard let failure else { return }
    let reason = String(cString: failure)
    rocksdb_free(failure)
    throw peerFailure("RocksDB", action(), path, reason)
}
