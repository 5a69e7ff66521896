import BenchmarkKit

/// The settings of an environment in which the configurations of LMDB differ.
struct LMDBSettings: Equatable {
    var durability: Durability
    /// Whether pages are changed in the mapped file (`MDB_WRITEMAP`) instead of in memory that is
    /// written at the commit.
    var writesMap = false
}
