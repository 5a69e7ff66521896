import BenchmarkKit
import CSQLite

/// SQLite through its C interface.
struct SQLiteEngine: PeerEngine {
    /// Whether one connection keeps the lock on its file (`sqlite-exclusive`).
    var isExclusive = false

    var name: String { isExclusive ? "sqlite-exclusive" : "sqlite" }
    var layer: EngineLayer { .engine }
    var version: String { String(cString: sqlite3_libversion()) }
    var durabilities: [Durability] { [.full, .relaxed, .unsynced] }

    var summary: String {
        "SQLite through its C interface, WAL; full: synchronous FULL, relaxed: NORMAL, "
            + "unsynced: OFF" + (isExclusive ? "; locking_mode EXCLUSIVE: one connection" : "")
    }

    func reason(against feature: EngineFeature) -> String? {
        switch feature {
        case .typedQueries: return "The statements of SQLite are texts."
        case .severalStores, .severalProcesses, .pinnedReaders:
            if isExclusive { return "With an exclusive lock only one connection uses the file." }
        default: break
        }
        return noObjects(feature) ?? noLiveResults(feature)
    }

    private func settings(_ durability: Durability) -> SQLiteSettings {
        SQLiteSettings(durability: durability, isExclusive: isExclusive)
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try SQLitePersonStore(path: path, layout, settings(durability))
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try SQLiteLinkStore(path: path, settings(durability))
    }

    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try SQLiteRecordStore(path: path, settings(durability))
    }

    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        try SQLiteSensorStore(path: path, settings(durability))
    }

    func openPersons(
        at path: String, after migration: PersonMigration?, _ durability: Durability
    ) throws -> any MigratedPersons {
        try SQLiteMigratedPersons(path: path, migration, settings(durability))
    }
}
