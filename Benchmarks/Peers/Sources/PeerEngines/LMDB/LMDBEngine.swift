import BenchmarkKit
import CLMDB

/// LMDB through its C interface.
struct LMDBEngine: PeerEngine {
    var name: String { "lmdb" }
    var layer: EngineLayer { .engine }
    var durabilities: [Durability] { [.full, .unsynced] }

    var version: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        mdb_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }

    var summary: String {
        "LMDB through its C interface, packed values; full: one fdatasync and one synchronous "
            + "write a commit, unsynced: MDB_NOSYNC"
    }

    func reason(against feature: EngineFeature) -> String? {
        noObjects(feature) ?? noIndexedQueries(feature) ?? noLiveResults(feature)
            ?? noMigrations(feature)
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try LMDBPersonStore(path: path, layout, durability)
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try LMDBLinkStore(path: path, durability)
    }

    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try LMDBRecordStore(path: path, durability)
    }

    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        try LMDBSensorStore(path: path, durability)
    }
}
