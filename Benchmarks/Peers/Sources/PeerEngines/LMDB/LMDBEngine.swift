import BenchmarkKit
import CLMDB

/// LMDB through its C interface.
struct LMDBEngine: PeerEngine {
    /// Whether pages are changed in the mapped file (`lmdb-writemap`).
    var writesMap = false

    var name: String { writesMap ? "lmdb-writemap" : "lmdb" }
    var layer: EngineLayer { .engine }
    var durabilities: [Durability] { [.full, .unsynced] }

    var version: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    var summary: String {
        writesMap
            ? "LMDB with MDB_WRITEMAP; full: two msyncs a commit, unsynced: MDB_NOSYNC"
            : "LMDB through its C interface, packed values; full: one fdatasync and one "
                + "synchronous write a commit, unsynced: MDB_NOSYNC"
    }

    func reason(against feature: EngineFeature) -> String? {
        if writesMap, feature == .severalProcesses {
            return "A process that closes a file that it wrote through its map shortens it."
        }
        return noObjects(feature) ?? noIndexedQueries(feature) ?? noLiveResults(feature)
            ?? noMigrations(feature)
    }

    private func settings(_ durability: Durability) -> LMDBSettings {
        LMDBSettings(durability: durability, writesMap: writesMap)
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try LMDBPersonStore(path: path, layout, settings(durability))
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try LMDBLinkStore(path: path, settings(durability))
    }

    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try LMDBRecordStore(path: path, settings(durability))
    }

    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        try LMDBSensorStore(path: path, settings(durability))
    }
}
