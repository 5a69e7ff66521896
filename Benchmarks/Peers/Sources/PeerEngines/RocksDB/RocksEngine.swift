import BenchmarkKit
import RocksDBVersion

/// RocksDB through its C interface.
struct RocksEngine: PeerEngine {
    var name: String { "rocksdb" }
    var layer: EngineLayer { .engine }
    /// The version of the headers that this program was compiled with.
    var version: String { String(cString: rocksdb_version_of_headers()) }
    var durabilities: [Durability] { [.full, .relaxed] }

    var summary: String {
        "RocksDB through its C interface, packed values, no compression; full: the log is synced "
            + "at each commit, relaxed: written"
    }

    func reason(against feature: EngineFeature) -> String? {
        if feature == .severalProcesses {
            return "RocksDB lets only one process open a database for writing."
        }
        return noObjects(feature) ?? noIndexedQueries(feature) ?? noLiveResults(feature)
            ?? noMigrations(feature)
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try RocksPersonStore(path: path, layout, durability)
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try RocksLinkStore(path: path, durability)
    }

    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try RocksRecordStore(path: path, durability)
    }

    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        try RocksSensorStore(path: path, durability)
    }
}
