import StorageEngine

/// What both ways to the embedded engine have in common.
protocol RealmEngine: BenchmarkEngine {}

extension RealmEngine {
    var name: String { "realm" }
    var version: String { "format 1" }
    var durabilities: [Durability] { [.full] }
    var counters: IOCounters {
        let counted = SystemCounters.current
        return IOCounters(
            syncs: UInt64(counted.syncs), writeCalls: UInt64(counted.writeCalls),
            bytesWritten: UInt64(counted.bytesWritten))
    }
}

/// The embedded engine through the public API.
struct RealmObjectEngine: RealmEngine {
    var layer: EngineLayer { .api }
    var summary: String { "the embedded engine through RealmSwift objects; one fdatasync a commit" }

    func reason(against feature: EngineFeature) -> String? { nil }
}

/// The embedded engine through its own interface.
struct RealmTableEngine: RealmEngine {
    var layer: EngineLayer { .engine }
    var summary: String { "the embedded engine through its tables; one fdatasync a commit" }

    func reason(against feature: EngineFeature) -> String? { nil }
}
