import BenchmarkKit
import RocksDBVersion

/// RocksDB through its C interface.
struct RocksEngine: PeerEngine {
    /// The order in which the commits of several threads are written (`rocksdb-pipelined`,
    /// `rocksdb-unordered`).
    var writing = RocksSettings.Writing.grouped

    var name: String { writing == .grouped ? "rocksdb" : "rocksdb-\(writing.rawValue)" }
    var layer: EngineLayer { .engine }
    /// The version of the headers that this program was compiled with.
    var version: String { String(cString: rocksdb_version_of_headers()) }
    var durabilities: [Durability] { [.full, .relaxed] }

    var summary: String {
        "RocksDB through its C interface, packed values, no compression; full: the log is synced "
            + "at each commit, relaxed: written"
            + (writing == .grouped ? "" : "; \(writing.rawValue) writes")
    }

    func reason(against feature: EngineFeature) -> String? {
        switch feature {
        case .severalProcesses:
            return "RocksDB lets only one process open a database for writing."
        case .pinnedReaders where writing == .unordered:
            return "With unordered writes what a snapshot shows may change."
        default: break
        }
        return noObjects(feature) ?? noIndexedQueries(feature) ?? noLiveResults(feature)
            ?? noMigrations(feature)
    }

    private func settings(_ durability: Durability) -> RocksSettings {
        RocksSettings(durability: durability, writing: writing)
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try RocksPersonStore(path: path, layout, settings(durability))
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try RocksLinkStore(path: path, settings(durability))
    }

    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try RocksRecordStore(path: path, settings(durability))
    }

    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        try RocksSensorStore(path: path, settings(durability))
    }
}
