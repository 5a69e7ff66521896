import StorageEngine

/// The common properties of both layers of the embedded engine.
///
/// The engine supports databases in memory, but they are no durability here: a fresh process has to
/// verify what a case wrote, and there is no file that it could open.
protocol RealmEngine: BenchmarkEngine {}

extension RealmEngine {
    var name: String { "realm" }
    var version: String { "file format \(Database.Options().formatVersion)" }
    var durabilities: [Durability] { [.full, .relaxed] }
    var counters: IOCounters {
        let counted = SystemCounters.current
        return IOCounters(
            syncs: UInt64(counted.syncs), writeCalls: UInt64(counted.writeCalls),
            bytesWritten: UInt64(counted.bytesWritten))
    }
}

private let commitPolicy =
    "full: an fdatasync a group of commits; relaxed: one within 100 ms, and none waits for it"

/// The embedded engine through the public API.
struct RealmObjectEngine: RealmEngine {
    var layer: EngineLayer { .api }
    var summary: String { "the embedded engine through RealmSwift objects; \(commitPolicy)" }

    func reason(against feature: EngineFeature) -> String? { nil }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try RealmObjectPersonStore(path: path, layout, durability)
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try RealmObjectLinkStore(path: path, durability)
    }

    func openItems(
        at path: String, _ width: ItemWidth, _ durability: Durability
    ) throws -> any ItemStore {
        switch width {
        case .three: try RealmItemStore<ThreePropertyItem>(path: path, durability)
        case .ten: try RealmItemStore<TenPropertyItem>(path: path, durability)
        case .thirty: try RealmItemStore<ThirtyPropertyItem>(path: path, durability)
        }
    }

    func openElements(at path: String, _ durability: Durability) throws -> any ElementStore {
        try RealmElementStore(path: path, durability)
    }

    func openProperties(at path: String, _ durability: Durability) throws -> any PropertyStore {
        try RealmPropertyStore(path: path, durability)
    }

    func openPersons(
        at path: String, after migration: PersonMigration?, _ durability: Durability
    ) throws -> any MigratedPersons {
        try RealmMigratedPersons(path: path, migration, durability)
    }
}

/// The embedded engine through its own interface.
struct RealmTableEngine: RealmEngine {
    var layer: EngineLayer { .engine }
    var summary: String { "the embedded engine through its tables; \(commitPolicy)" }

    func reason(against feature: EngineFeature) -> String? {
        switch feature {
        case .objects: "Tables have no objects."
        case .typedQueries: "Conditions on tables have no types."
        case .liveResults: "What was found in tables does not follow changes."
        case .observers: "Tables do not call anyone."
        case .migrations: "Migrations are those of objects."
        default: nil
        }
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try RealmTablePersonStore(path: path, layout, durability)
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try RealmTableLinkStore(path: path, durability)
    }
}
