import StorageEngine

/// What both ways to the embedded engine have in common.
///
/// Realms in memory exist, but are no durability here: a case counts only once a fresh process has
/// proved what it wrote, and there is no file that this process could open.
protocol RealmEngine: BenchmarkEngine {}

extension RealmEngine {
    var name: String { "realm" }
    var version: String { "format 2" }
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

    func reason(against feature: EngineFeature) -> String? {
        switch feature {
        case .count, .prefixCount, .dateRangeCount:
            "Results cannot be filtered through the API yet."
        case .sum: "Results have no aggregates through the API yet."
        case .sort: "Results cannot be sorted through the API yet."
        case .backlinks: "The API has no LinkingObjects yet."
        case .recordScans: RealmRecords.noScans
        default: nil
        }
    }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try RealmObjectPersonStore(path: path, layout)
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try RealmObjectLinkStore(path: path)
    }
}

/// The embedded engine through its own interface.
struct RealmTableEngine: RealmEngine {
    var layer: EngineLayer { .engine }
    var summary: String { "the embedded engine through its tables; one fdatasync a commit" }

    func reason(against feature: EngineFeature) -> String? { nil }

    func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore {
        try RealmTablePersonStore(path: path, layout)
    }

    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        try RealmTableLinkStore(path: path)
    }
}

extension RealmEngine {
    /// A store was asked for what its engine gave a reason against.
    func unsupported(_ feature: EngineFeature) -> BenchmarkError {
        BenchmarkError(
            .internalError,
            "A workload asked for '\(feature)': "
                + (reason(against: feature) ?? "the engine supports it."))
    }
}

extension CommitCost {
    init(_ statistics: CommitStatistics) {
        self.init(pages: statistics.pages, syncNanoseconds: statistics.syncNanoseconds)
    }
}

extension StoreSize {
    init(_ statistics: Database.Statistics) {
        self.init(
            fileBytes: Int(statistics.fileBytes), liveBytes: Int(statistics.liveBytes),
            freeBytes: Int(statistics.freeBytes + statistics.waitingBytes))
    }
}
