import BenchmarkKit
import GRDB

/// A pool of connections to one file, shared by all threads as GRDB recommends.
final class GRDBDatabase: ClosableDatabase {
    typealias Lease = SharedDatabases<GRDBDatabase>.Lease

    let path: String
    let pool: DatabasePool

    private static let open = SharedDatabases<GRDBDatabase>()

    static func lease(
        _ path: String, _ durability: Durability, schema: (Database) throws -> Void
    ) throws -> Lease {
        // Stores of different durability do not share a connection.
        let lease = try open.lease("\(durability.rawValue):\(path)") {
            try GRDBDatabase(path: path, durability)
        }
        try lease.database.pool.write(schema)
        return lease
    }

    private init(path: String, _ durability: Durability) throws {
        self.path = path
        var configuration = Configuration()
        // The other engines do not enforce links either.
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .callback { SQLiteConnection.wait(Int32($0)) != 0 }
        // Debian's build of SQLite overwrites deleted content by default.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = OFF") }
        pool = try DatabasePool(path: path, configuration: configuration)
        // Opening a pool sets NORMAL, so the setting comes afterwards.
        let synchronous =
            switch durability {
            case .full: "FULL"
            case .relaxed: "NORMAL"
            case .unsynced, .memory: "OFF"
            }
        try pool.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA synchronous = \(synchronous)")
        }
    }

    /// Closes the pool, which cannot fail once all its readers are done.
    func close() { try? pool.close() }

    func size() throws -> StoreSize {
        try pool.read { database in
            let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
            return StoreSize(
                fileBytes: FileBytes.length(of: path) + FileBytes.length(of: path + "-wal"),
                liveBytes: (pages - free) * pageSize, freeBytes: free * pageSize)
        }
    }

    func problems() throws -> [String] {
        try pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
            .filter { $0 != "ok" }
            .map { "SQLite says: \($0)." }
    }
}
