import BenchmarkKit

/// The settings of a database in which the configurations of RocksDB differ.
struct RocksSettings {
    /// The order in which the commits of several threads are written.
    enum Writing: String {
        /// One group writes the log and then the entries in memory.
        case grouped
        /// The next group writes the log while the one before writes its entries
        /// (`enable_pipelined_write`).
        case pipelined
        /// Each thread writes its entries when the log has them (`unordered_write`). What a
        /// snapshot shows may change until the commits under way have ended.
        case unordered
    }

    var durability: Durability
    var writing = Writing.grouped
}
