import BenchmarkKit
import CSQLite

/// SQLite through its C interface.
struct SQLiteEngine: PeerEngine {
    var name: String { "sqlite" }
    var layer: EngineLayer { .engine }
    var version: String { String(cString: sqlite3_libversion()) }
    var durabilities: [Durability] { [.full, .relaxed, .unsynced] }

    var summary: String {
        "SQLite through its C interface, WAL; full: synchronous FULL, relaxed: NORMAL, "
            + "unsynced: OFF"
    }

    func reason(against feature: EngineFeature) -> String? {
        if feature == .typedQueries { return "The statements of SQLite are texts." }
        return noObjects(feature) ?? noLiveResults(feature)
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try SQLitePersonStore(path: path, layout, durability)
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try SQLiteLinkStore(path: path, durability)
    }

    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try SQLiteRecordStore(path: path, durability)
    }

    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        try SQLiteSensorStore(path: path, durability)
    }

    func openPersons(
        at path: String, after migration: PersonMigration?, _ durability: Durability
    ) throws -> any MigratedPersons {
        try SQLiteMigratedPersons(path: path, migration, durability)
    }
}
