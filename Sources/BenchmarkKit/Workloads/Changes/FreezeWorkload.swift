import RealmSwift
import ToolSupport

/// An object that is frozen, and of which one property is read.
enum FreezeWorkload {
    static let name = "freeze"
    static let object = "object"
    static let workload = Workload.persons(
        name, "freezes an object and reads one property of what any thread may read", run
    ).with {
        $0.strategies = [
            Workload.Strategy(
                name: object, summary: "one of a thousand live objects, in turn", layer: "api")
        ]
    }

    private static let batchSize = 32
    private static let objects = 1000
    private static let usualCount = 1_000_000

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        let realm = try Realm(
            configuration: Realm.Configuration(
                path: file.path(core), core.durability, objectTypes: [KeyedPerson.self]))
        core.progress(fraction: 0)
        var generator = SeededGenerator(seed: core.seed)
        let numbers = (0..<objects).map { _ in generator.next(below: core.size) }
        let persons = numbers.compactMap {
            realm.object(ofType: KeyedPerson.self, forPrimaryKey: $0)
        }
        guard persons.count == objects else {
            throw BenchmarkError(.caseFailed, "A person is not in the file.")
        }
        let batches = max(1, (core.options.count ?? usualCount) / batchSize)
        // The first object that is frozen freezes its Realm.
        var sum = 0
        for person in persons.prefix(batchSize) { sum += person.freeze().age }
        sum = 0
        var timer = BatchTimer(batchSize: batchSize, batches: batches)
        var allocations = AllocationMeasurement(core.environment.allocations)
        timer.beginBatch()
        MeasuredRegion.run {
            var next = 0
            for _ in 0..<batches {
                for _ in 0..<batchSize {
                    sum += persons[next].freeze().age
                    next = next + 1 == objects ? 0 : next + 1
                }
                timer.endBatch()
            }
        }
        var result = CaseResult(core.benchmarkCase)
        result.fill(allocations.finish(operations: timer.operations))
        timer.fill(&result)
        try prove(sum, numbers, timer.operations, file.fixture(of: core).oracle())
        result.digest = ResultDigest.text(of: UInt64(sum))
        return CaseOutcome(results: [result], histograms: [.latency: timer.distribution])
    }

    private static func prove(
        _ sum: Int, _ numbers: [Int], _ count: Int, _ oracle: PersonsOracle
    ) throws {
        let ages = numbers.map { oracle.person($0).age }
        let expected = (0..<count).reduce(0) { $0 + ages[$1 % objects] }
        guard sum == expected else {
            throw BenchmarkError(.caseFailed, "The frozen objects are not those of the file.")
        }
    }
}
