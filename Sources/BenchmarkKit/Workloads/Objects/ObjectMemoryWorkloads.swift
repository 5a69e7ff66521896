import RealmSwift
import ToolSupport

/// The memory of live objects. Only the embedded engine has them; other engines return copies.
enum ObjectMemoryWorkload {
    fileprivate static func workload(
        _ name: String, _ summary: String, _ strategies: [(name: String, summary: String)],
        _ width: @escaping @Sendable (_ strategy: String) -> ItemWidth,
        _ run: @escaping @Sendable (CoreCase) throws -> CaseOutcome
    ) -> Workload {
        Workload.objects(name, summary, strategies, needs: nil, run).with {
            $0.options = [.size, .seed]
            $0.preparation = { benchmarkCase, environment in
                let core = try CoreCase(benchmarkCase, environment)
                try prepare(core, width(core.strategy))
            }
        }
    }

    private static func prepare(_ core: CoreCase, _ width: ItemWidth) throws {
        try core.makeDatabaseFolder()
        let store = try core.engine.openItems(at: core.databasePath, width, core.durability)
        for first in stride(from: 0, to: core.size, by: 10_000) {
            let items = (first * width.groups..<min(first + 10_000, core.size) * width.groups)
                .map { ItemValues(number: $0, seed: core.seed) }
            try store.add(items[...])
        }
    }

    /// Returns the expected sum of the counts of all objects, from their first group of values.
    private static func expectedSum(_ core: CoreCase, _ width: ItemWidth) -> Int {
        let groups = width.groups
        return (0..<core.size).reduce(0) {
            $0 + ItemValues(number: $1 * groups, seed: core.seed).count
        }
    }

    fileprivate static func prove(_ sum: Int, _ core: CoreCase, _ width: ItemWidth) throws {
        guard sum == expectedSum(core, width) else {
            throw BenchmarkError(.caseFailed, "The objects are not those that were added.")
        }
    }
}

enum ObjectAccessorsWorkload {
    static let name = "object-accessors"
    static let workload = ObjectMemoryWorkload.workload(
        name, "live objects kept in an array: the memory that each takes",
        ItemWidth.allCases.map { (name: $0.rawValue, summary: "objects with \($0.words)") },
        width, run)

    @Sendable
    private static func width(_ strategy: String) -> ItemWidth {
        ItemWidth(rawValue: strategy) ?? .three
    }

    @Sendable
    private static func run(_ core: CoreCase) throws -> CaseOutcome {
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
        try ObjectMemoryWorkload.prove(sum, core, width(core.strategy))
        timer.fill(&result)
        result.digest = ResultDigest.text(of: UInt64(sum))
        return CaseOutcome(results: [result])
    }
}

enum ObjectLoopWorkload {
    static let name = "object-loop"
    static let workload = ObjectMemoryWorkload.workload(
        name, "a loop over live objects, of which none is kept",
        [(name: "results", summary: "over Results, reading one of 10 properties")],
        { _ in .ten }, run
    ).with { $0.defaultSize = 1_000_000 }

    /// The number of samples of the memory.
    private static let looks = 50

    @Sendable
    private static func run(_ core: CoreCase) throws -> CaseOutcome {
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
        try ObjectMemoryWorkload.prove(sum, core, .ten)
        timer.fill(&result)
        result.digest = ResultDigest.text(of: UInt64(sum))
        return CaseOutcome(results: [result])
    }
}
