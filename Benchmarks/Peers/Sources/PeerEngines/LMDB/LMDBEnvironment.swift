import BenchmarkKit
import CLMDB
import CallCounters
import Glibc
import Synchronization
import ToolSupport

/// An open LMDB file. A process may open a file only once, so all its stores share this object.
///
/// Sharing is safe because LMDB's environments are thread-safe, and the properties added here are
/// locked or constant.
final class LMDBEnvironment: ClosableDatabase, @unchecked Sendable {
    typealias Lease = SharedDatabases<LMDBEnvironment>.Lease

    let path: String
    let handle: OpaquePointer
    private let settings: LMDBSettings
    private let databases = Mutex<[String: MDB_dbi]>([:])

    private static let open = SharedDatabases<LMDBEnvironment>()

    /// The size of the mapping. It reserves address space, not memory, and is far above the largest
    /// file.
    private static let mapBytes = 64 << 30

    static func lease(_ path: String, _ settings: LMDBSettings) throws -> Lease {
        let lease = try open.lease(path) { try LMDBEnvironment(path, settings) }
        guard lease.database.settings == settings else {
            throw BenchmarkError(
                .internalError,
                "'\(path)' is open with other settings (\(lease.database.settings)), which in "
                    + "LMDB belong to the file as it is open, not to a transaction.")
        }
        return lease
    }

    private init(_ path: String, _ settings: LMDBSettings) throws {
        self.path = path
        self.settings = settings
        var created: OpaquePointer?
        try checkLMDB(mdb_env_create(&created), "create an environment for", path)
        guard let created else { throw peerFailure("LMDB", "open", path, "no environment") }
        handle = created
        do {
            try checkLMDB(mdb_env_set_mapsize(created, Self.mapBytes), "size the map of", path)
            try checkLMDB(mdb_env_set_maxdbs(created, 8), "set the databases of", path)
            var flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
            if settings.durability == .unsynced { flags |= UInt32(MDB_NOSYNC) }
            if settings.writesMap { flags |= UInt32(MDB_WRITEMAP) }
            try checkLMDB(mdb_env_open(created, path, flags, 0o644), "open", path)
        } catch {
            mdb_env_close(created)
            throw error
        }
        // The page that makes a commit visible is written through a synchronous descriptor.
        call_counters_mark_synchronous(path)
    }

    func close() {
        call_counters_forget_synchronous(path)
        let used = settings.writesMap ? usedBytes() : nil
        mdb_env_close(handle)
        // LMDB makes a file that it writes through its map as long as the map, with a hole after
        // the last page. A copy of the file would be as long.
        if let used { truncate(path, off_t(used)) }
    }

    /// Returns the bytes up to the last page, which are the length of a file that is not written
    /// through its map.
    private func usedBytes() -> Int {
        var information = MDB_envinfo()
        var statistics = MDB_stat()
        mdb_env_info(handle, &information)
        mdb_env_stat(handle, &statistics)
        return (information.me_last_pgno + 1) * Int(statistics.ms_psize)
    }

    /// Returns a named database of the file and creates it if it is missing.
    func database(_ name: String, _ flags: Int32 = 0) throws -> MDB_dbi {
        try databases.withLock { databases in
            if let known = databases[name] { return known }
            var database: MDB_dbi = 0
            let transaction = try LMDBTransaction(self, isReading: false)
            do {
                try checkLMDB(
                    mdb_dbi_open(
                        transaction.handle, name, UInt32(flags | MDB_CREATE), &database),
                    "open the database \(name) of", path)
            } catch {
                transaction.abort()
                throw error
            }
            try transaction.commit()
            databases[name] = database
            return database
        }
    }

    /// Returns the size from the pages of all opened databases and of the list of free pages.
    func size() throws -> StoreSize {
        let transaction = try LMDBTransaction(self, isReading: true)
        defer { transaction.abort() }
        var pages = 2  // the two that say which version is the newest
        var pageSize = 0
        // Database 0 is the list of free pages, 1 holds the names of the databases.
        for database in [0, 1] + databases.withLock({ Array($0.values) }) {
            let statistics = try transaction.statistics(database)
            pageSize = Int(statistics.ms_psize)
            pages +=
                statistics.ms_branch_pages + statistics.ms_leaf_pages
                + statistics.ms_overflow_pages
        }
        let fileBytes = settings.writesMap ? usedBytes() : FileBytes.length(of: path)
        return StoreSize(
            fileBytes: fileBytes, liveBytes: pages * pageSize,
            freeBytes: max(0, fileBytes - pages * pageSize))
    }

    /// Returns the number of versions pinned by readers of any process.
    func pinnedVersions() throws -> Int {
        var versions: Set<String> = []
        let result = withUnsafeMutablePointer(to: &versions) {
            mdb_reader_list(
                handle,
                { line, context in
                    // A line is "pid thread txnid", after a heading; "-" marks a slot without a
                    // transaction.
                    let fields = String(cString: line!).split(whereSeparator: \.isWhitespace)
                    if fields.count == 3, Int(fields[2]) != nil {
                        context!.assumingMemoryBound(to: Set<String>.self).pointee
                            .insert(String(fields[2]))
                    }
                    return 0
                }, $0)
        }
        guard result >= 0 else { throw lmdbFailure(result, "list the readers of", path) }
        return versions.count
    }
}

func lmdbFailure(_ result: Int32, _ action: String, _ path: String) -> BenchmarkError {
    peerFailure("LMDB", action, path, String(cString: mdb_strerror(result)))
}

@inline(__always)
func checkLMDB(_ result: Int32, _ action: @autoclosure () -> String, _ path: String) throws {
    guard result == MDB_SUCCESS else { throw lmdbFailure(result, action(), path) }
}
