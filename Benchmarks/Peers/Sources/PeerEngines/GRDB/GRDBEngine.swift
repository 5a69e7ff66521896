import BenchmarkKit
import CSQLite

/// GRDB, a widely used Swift library for SQLite, with its records.
struct GRDBEngine: PeerEngine {
    var name: String { "grdb" }
    var layer: EngineLayer { .api }
    /// GRDB does not report its version; this is the exact one that the package requires.
    var version: String { "7.10.0 (SQLite \(String(cString: sqlite3_libversion())))" }
    var durabilities: [Durability] { [.full, .relaxed, .unsynced] }

    var summary: String {
        "GRDB records in a DatabasePool; full: synchronous FULL, relaxed: NORMAL, unsynced: OFF"
    }

    func reason(against feature: EngineFeature) -> String? { noLiveResults(feature) }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        switch layout {
        case .unkeyed, .indexed:
            try GRDBPersonStore<UnkeyedPersonRecord>(path: path, layout, durability)
        case .indexedNumber:
            try GRDBPersonStore<IndexedNumberPersonRecord>(path: path, layout, durability)
        case .integerKey:
            try GRDBPersonStore<NumberedPersonRecord>(path: path, layout, durability)
        case .stringKey:
            try GRDBPersonStore<NamedPersonRecord>(path: path, layout, durability)
        }
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try GRDBLinkStore(path: path, durability)
    }

    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try GRDBRecordStore(path: path, durability)
    }

    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        try GRDBSensorStore(path: path, durability)
    }
    func openItems(
        at path: String, _ width: ItemWidth, _ durability: Durability
    ) throws -> any ItemStore {
        switch width {
        case .three: try GRDBItemStore<ThreeColumnRecord>(path: path, durability)
        case .ten: try GRDBItemStore<TenColumnRecord>(path: path, durability)
        case .thirty: try GRDBItemStore<ThirtyColumnRecord>(path: path, durability)
        }
    }

    func openElements(at path: String, _ durability: Durability) throws -> any ElementStore {
        try GRDBElementStore(path: path, durability)
    }

    func openProperties(at path: String, _ durability: Durability) throws -> any PropertyStore {
        try GRDBPropertyStore(path: path, durability)
    }

    func openPersons(
        at path: String, after migration: PersonMigration?, _ durability: Durability
    ) throws -> any MigratedPersons {
        try GRDBMigratedPersons(path: path, migration, durability)
    }
}
