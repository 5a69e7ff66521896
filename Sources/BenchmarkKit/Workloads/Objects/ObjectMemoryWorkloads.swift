import RealmSwift
import ToolSupport

/// The memory of live objects. Only the embedded engine has them; other engines return copies.
protocol ObjectMemoryWorkload: ObjectWorkload {
    static func width(_ strategy: String) -> ItemWidth
}

extension ObjectMemoryWorkload {
    static func features(of strategy: String) -> [EngineFeature]? { nil }

    /// Another process creates the file, so that its creation does not affect this process's
    /// memory.
    static var isPreparedApart: Bool { true }

    static func prepare(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws {
        let core = try CoreCase(benchmarkCase, environment)
        let width = width(core.strategy)
        try core.makeDatabaseFolder()
        let store = try core.engine.openItems(at: core.databasePath, width, core.durability)
        for first in stride(from: 0, to: core.size, by: 10_000) {
            let items = (first * width.groups..<min(first + 10_000, core.size) * width.groups)
                .map { ItemValues(number: $0, seed: core.seed) }
            try store.add(items[...])
        }
    }

    /// Returns the expected sum of the counts of all objects, from their first group of values.
    fileprivate static func expectedSum(_ core: CoreCase) -> Int {
        let groups = width(core.strategy).groups
        return (0..<core.size).reduce(0) {
            $0 + ItemValues(number: $1 * groups, seed: core.seed).count
        }
    }

    fileprivate static func prove(_ sum: Int, _ core: CoreCase) throws {
        guard sum == expectedSum(core) else {
            throw BenchmarkError(.caseFailed, "The objects are not those that were added.")
        }
    }
}

enum ObjectAccessorsWorkload: ObjectMemoryWorkload {
    static let name = "object-accessors"
    static let summary = "live objects kept in an array: the memory that each takes"

    static let strategies = ItemWidth.allCases.map {
        (name: $0.rawValue, summary: "objects with \($0.words)")
    }

    static func width(_ strategy: String) -> ItemWidth { ItemWidth(rawValue: strategy) ?? .three }

    static func run(_ core: CoreCase) throws -> CaseOutcome {
        switch width(core.strategy) {
        case .three: try run(core, ThreePropertyItem.self)
        case .ten: try run(core, TenPropertyItem.self)
        case .thirty: try run(core, ThirtyPropertyItem.self)
        }
    }

    private static func run<Item: ItemObject>(
        _ core: CoreCase, _ type: Item.Type
    ) throws -> CaseOutcome {
        let realm = try Realm(
            configuration: Realm.Configuration(path: core.databasePath, objectTypes: [type]))
        core.progress(fraction: 0)
        // The first object of a class causes a one-time setup, which is excluded.
        withExtendedLifetime(realm.objects(type).first) {}
        var kept: [Item] = []
        kept.reserveCapacity(core.size)
        var timer = BatchTimer(batchSize: core.size, batches: 1)
        var allocations = AllocationMeasurement(core.environment.allocations)
        timer.beginBatch()
        MeasuredRegion.run {
            for item in realm.objects(type) { kept.append(item) }
            timer.endBatch()
        }
        var result = CaseResult(core.benchmarkCase)
        result.fill(allocations.finish(operations: timer.operations))
        result.measure(
            "kept_bytes_per_object", allocations.keptBytes.map { $0 / Double(core.size) })
        let sum = kept.reduce(0) { $0 + $1.count }
        try prove(sum, core)
        timer.fill(&result)
        result.digest = ResultDigest.text(of: UInt64(sum))
        return CaseOutcome(results: [result])
    }
}

enum ObjectLoopWorkload: ObjectMemoryWorkload {
    static let name = "object-loop"
    static let summary = "a loop over live objects, of which none is kept"
    static let strategies = [
        (name: "results", summary: "over Results, reading one of 10 properties")
    ]
    static let defaultSize = 1_000_000

    /// The number of samples of the memory.
    private static let looks = 50

    static func width(_ strategy: String) -> ItemWidth { .ten }

    static func run(_ core: CoreCase) throws -> CaseOutcome {
        let realm = try Realm(
            configuration: Realm.Configuration(
                path: core.databasePath, objectTypes: [TenPropertyItem.self]))
        core.progress(fraction: 0)
        // The first object of a class causes a one-time setup, which is excluded.
        withExtendedLifetime(realm.objects(TenPropertyItem.self).first) {}
        var sum = 0
        let slice = max(1, core.size / looks)
        let start = ProcessStatus.anonymousBytes()
        var most = start
        var left = slice
        var timer = BatchTimer(batchSize: slice, batches: core.size / slice)
        var allocations = AllocationMeasurement(core.environment.allocations)
        timer.beginBatch()
        MeasuredRegion.run {
            for item in realm.objects(TenPropertyItem.self) {
                sum += item.count
                left -= 1
                guard left == 0 else { continue }
                timer.endBatch()
                allocations.pause()
                most = max(most, ProcessStatus.anonymousBytes())
                allocations.resume()
                left = slice
                timer.beginBatch()
            }
        }
        var result = CaseResult(core.benchmarkCase)
        result.fill(allocations.finish(operations: core.size))
        result.measure("anonymous_growth_bytes", Double(most - start))
        try prove(sum, core)
        timer.fill(&result)
        result.digest = ResultDigest.text(of: UInt64(sum))
        return CaseOutcome(results: [result])
    }
}
