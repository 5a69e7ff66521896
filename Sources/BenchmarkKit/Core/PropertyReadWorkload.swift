import BenchmarkModels
import Foundation
import RealmSwift

/// Reads of one integer property of one managed object.
enum PropertyReadWorkload: Workload {
    static let name = "property-read"
    static let summary = "reads of an integer property of a managed object"
    static let strategies = [
        (name: "same-module", summary: "an internal model class beside the code that reads it"),
        (name: "other-module", summary: "a public model class in another module"),
    ]
    static let defaultSize = 1000

    private static let batchSize = 1000

    static func layer(of strategy: String) -> String { "api" }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let path = environment.directory + "/persons.realm"
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: path),
                objectTypes: [KeyedPerson.self, PublicPerson.self]))
        var generator = PersonGenerator(seed: benchmarkCase.options.seed)
        try realm.write {
            for _ in 0..<benchmarkCase.identifier.size {
                let values = generator.next()
                realm.add(KeyedPerson(values))
                let publicPerson = PublicPerson()
                publicPerson.number = values.number
                publicPerson.name = values.name
                publicPerson.birthdate = values.birthdateAsDate
                publicPerson.age = values.age
                realm.add(publicPerson)
            }
        }
        let key = benchmarkCase.identifier.size / 2
        guard let own = realm.object(ofType: KeyedPerson.self, forPrimaryKey: key),
            let other = realm.object(ofType: PublicPerson.self, forPrimaryKey: key)
        else { throw BenchmarkError(.caseFailed, "There is no person with the key \(key).") }
        let isSameModule = benchmarkCase.identifier.strategy == "same-module"
        let batches = max(1, (benchmarkCase.options.count ?? 10_000_000) / batchSize)
        environment.progress(ProgressUpdate(phase: "running"))
        for _ in 0..<100 { _ = isSameModule ? sum(own) : sum(other) }
        var total = 0
        let allocations = AllocationMeasurement(environment.allocations)
        var timer = BatchTimer(batchSize: batchSize)
        for _ in 0..<batches {
            total &+= isSameModule ? sum(own) : sum(other)
            timer.endBatch()
        }
        let allocated = allocations.finish(operations: timer.operations)
        guard total == own.age * timer.operations else {
            throw BenchmarkError(.caseFailed, "The sum of the reads is wrong.")
        }
        var result = CaseResult(benchmarkCase)
        timer.fill(&result)
        result.allocationsPerOperation = allocated?.allocations
        result.allocatedBytesPerOperation = allocated?.bytes
        return CaseOutcome(results: [result])
    }

    @inline(never)
    private static func sum(_ person: KeyedPerson) -> Int {
        var sum = 0
        for _ in 0..<batchSize { sum &+= person.age }
        return sum
    }

    @inline(never)
    private static func sum(_ person: PublicPerson) -> Int {
        var sum = 0
        for _ in 0..<batchSize { sum &+= person.age }
        return sum
    }
}
