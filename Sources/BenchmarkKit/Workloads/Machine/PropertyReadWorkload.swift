import BenchmarkModels
import CMeasurement
import Foundation
import RealmSwift
import ToolSupport

/// Reads of one integer property of one managed object.
enum PropertyReadWorkload {
    static let workload = Workload(
        name: "property-read", summary: "reads of an integer property of a managed object",
        strategies: [
            Workload.Strategy(
                name: "same-module",
                summary: "an internal model class beside the code that reads it", layer: "api"),
            Workload.Strategy(
                name: "other-module", summary: "a public model class in another module",
                layer: "api"),
        ], defaultSize: 1000, body: run)

    /// The number of reads in one call of `sum`.
    private static let readsOfCall = 1000
    /// The largest number of calls in a batch, which then takes about 100 us; the two clock reads
    /// are negligible against that.
    private static let mostCallsOfBatch = 50

    private static func run(
        _ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment
    ) throws -> CaseOutcome {
        let path = environment.directory + "/persons.realm"
        let realm = try Realm(
            configuration: Realm.Configuration(
                path: path, objectTypes: [KeyedPerson.self, PublicPerson.self]))
        var generator = PersonGenerator(seed: benchmarkCase.options.seed)
        try realm.write {
            for _ in 0..<benchmarkCase.identifier.size {
                let values = generator.next()
                realm.add(KeyedPerson(values))
                realm.add(publicPerson(values))
            }
        }
        let key = benchmarkCase.identifier.size / 2
        guard let own = realm.object(ofType: KeyedPerson.self, forPrimaryKey: key),
            let other = realm.object(ofType: PublicPerson.self, forPrimaryKey: key)
        else { throw BenchmarkError(.caseFailed, "There is no person with the key \(key).") }
        environment.progress(ProgressUpdate(phase: "running"))
        let probe = environment.allocations
        let age = values(number: key, seed: benchmarkCase.options.seed).age
        let results: [CaseResult]
        if benchmarkCase.identifier.strategy == "same-module" {
            let control = PlainPerson.many(readsOfCall, age: age)
            results = [
                try measured(CaseResult(benchmarkCase), benchmarkCase, probe) { sum(own) },
                try measured(
                    .control("same-module-plain", beside: benchmarkCase), benchmarkCase, nil
                ) { sum(control) },
            ]
        } else {
            let control = PublicPlainPerson.many(readsOfCall, age: age)
            results = [
                try measured(CaseResult(benchmarkCase), benchmarkCase, probe) { sum(other) },
                try measured(
                    .control("other-module-plain", beside: benchmarkCase), benchmarkCase, nil
                ) { sum(control) },
            ]
        }
        return CaseOutcome(results: results)
    }

    /// Measures reads in batches of calls of `sum`. The total must be that of the same age each
    /// time.
    private static func measured(
        _ empty: CaseResult, _ benchmarkCase: BenchmarkCase, _ probe: AllocationProbe?,
        _ sum: () -> Int
    ) throws -> CaseResult {
        let calls = max(1, (benchmarkCase.options.count ?? 10_000_000) / readsOfCall)
        let callsOfBatch = min(mostCallsOfBatch, calls)
        let batches = calls / callsOfBatch
        let batchSize = callsOfBatch * readsOfCall
        let expected =
            values(
                number: benchmarkCase.identifier.size / 2, seed: benchmarkCase.options.seed
            ).age * batchSize * batches
        for _ in 0..<100 { _ = sum() }
        var total = 0
        var allocations = AllocationMeasurement(probe)
        var timer = BatchTimer(batchSize: batchSize)
        MeasuredRegion.run(for: empty) {
            for _ in 0..<batches {
                for _ in 0..<callsOfBatch {
                    total &+= sum()
                    realm_bench_forget_memory()
                }
                timer.endBatch()
            }
        }
        let allocated = allocations.finish(operations: timer.operations)
        guard total == expected else {
            throw BenchmarkError(.caseFailed, "The sum of the reads is wrong.")
        }
        var result = empty
        timer.fill(&result)
        result.allocationsPerOperation = allocated?.allocations
        result.allocatedBytesPerOperation = allocated?.bytes
        return result
    }

    private static func values(number: Int, seed: UInt64) -> PersonValues {
        var generator = PersonGenerator(seed: seed)
        for _ in 0..<number { _ = generator.next() }
        return generator.next()
    }

    private static func publicPerson(_ values: PersonValues) -> PublicPerson {
        let person = PublicPerson()
        person.number = values.number
        person.name = values.name
        person.birthdate = values.birthdateAsDate
        person.age = values.age
        return person
    }

    @inline(never)
    private static func sum(_ person: KeyedPerson) -> Int {
        var sum = 0
        for _ in 0..<readsOfCall { sum &+= person.age }
        return sum
    }

    @inline(never)
    private static func sum(_ person: PublicPerson) -> Int {
        var sum = 0
        for _ in 0..<readsOfCall { sum &+= person.age }
        return sum
    }

    // The controls read as many plain objects once each. The compiler would fold repeated reads of
    // one object into a single read.

    @inline(never)
    private static func sum(_ persons: [PlainPerson]) -> Int {
        var sum = 0
        for person in persons { sum &+= person.age }
        return sum
    }

    @inline(never)
    private static func sum(_ persons: [PublicPlainPerson]) -> Int {
        var sum = 0
        for person in persons { sum &+= person.age }
        return sum
    }
}

/// A plain class for the control.
private final class PlainPerson {
    var age: Int

    init(age: Int) { self.age = age }

    static func many(_ count: Int, age: Int) -> [PlainPerson] {
        (0..<count).map { _ in PlainPerson(age: age) }
    }
}
