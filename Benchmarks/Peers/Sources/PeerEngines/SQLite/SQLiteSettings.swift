import BenchmarkKit

/// The settings of a connection in which the configurations of SQLite differ.
struct SQLiteSettings {
    var durability: Durability
    /// Whether the connection keeps the lock on its file. It then needs neither locks nor shared
    /// memory for a transaction, and no other connection can use the file.
    var isExclusive = false

    /// Returns the statements. Debian's build maps at most 2 GiB and overwrites deleted content by
    /// default.
    var statements: [String] {
        let synchronous =
            switch durability {
            case .full: "FULL"
            case .relaxed: "NORMAL"
            case .unsynced, .memory: "OFF"
            }
        // The mode of locking comes first: a connection whose first use of the log is exclusive
        // keeps the log's index in its own memory.
        return (isExclusive ? ["PRAGMA locking_mode = EXCLUSIVE"] : []) + [
            "PRAGMA journal_mode = WAL", "PRAGMA synchronous = \(synchronous)",
            "PRAGMA mmap_size = 2147418112", "PRAGMA cache_size = -65536",
            "PRAGMA secure_delete = OFF", "PRAGMA temp_store = MEMORY",
        ]
    }
}
