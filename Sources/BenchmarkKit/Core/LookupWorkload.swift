import RealmSwift
import StorageEngine

/// Point reads: a random object by its integer key, and two of its properties.
enum LookupWorkload: Workload {
    static let name = "lookup"
    static let summary = "random lookup by integer key and read of two properties"
    static let strategies = [
        (name: "api", summary: "Realm.object(ofType:forPrimaryKey:), then two properties"),
        (name: "engine", summary: "Table.find, then two values"),
    ]
    static let defaultSize = 1_000_000
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool { true }

    private static let batchSize = 32

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let size = benchmarkCase.identifier.size
        let seed = benchmarkCase.options.seed
        let path = try PersonsFixture.path(size: size, seed: seed, in: environment)
        let isAPI = benchmarkCase.identifier.strategy == "api"
        var result = CaseResult(benchmarkCase)
        environment.progress(ProgressUpdate(phase: "running"))
        let reader = try isAPI ? apiReader(path) : engineReader(path)
        try measure(&result, benchmarkCase, environment.allocations, reader)
        guard isAPI else { return CaseOutcome(results: [result]) }
        var control = CaseResult.control("dictionary", beside: benchmarkCase)
        try measure(&control, benchmarkCase, nil, dictionaryReader(size: size, seed: seed))
        control.peakResidentBytes = nil
        return CaseOutcome(results: [result, control])
    }

    private static func measure(
        _ result: inout CaseResult, _ benchmarkCase: BenchmarkCase, _ probe: AllocationProbe?,
        _ read: (Int) throws -> UInt64
    ) throws {
        let size = benchmarkCase.identifier.size
        let seed = benchmarkCase.options.seed
        let batches = max(1, (benchmarkCase.options.count ?? 1_000_000) / batchSize)
        var sum: UInt64 = 0
        var warmup = SeededGenerator(seed: seed &+ 1)
        for _ in 0..<min(batches * batchSize, 100_000) {
            _ = try read(warmup.next(below: size))
        }
        var generator = SeededGenerator(seed: seed)
        var allocations = AllocationMeasurement(probe)
        var timer = BatchTimer(batchSize: batchSize)
        try MeasuredRegion.run(for: result) {
            for _ in 0..<batches {
                for _ in 0..<batchSize { sum &+= try read(generator.next(below: size)) }
                timer.endBatch()
            }
        }
        let allocated = allocations.finish(operations: timer.operations)
        timer.fill(&result)
        result.allocationsPerOperation = allocated?.allocations
        result.allocatedBytesPerOperation = allocated?.bytes
        var digest = ResultDigest.Row()
        digest.combine(sum)
        var whole = ResultDigest()
        whole.add(digest)
        result.digest = whole.text
    }

    /// What every reader gives back for one lookup: of the birth date and the age.
    private static func term(_ birthdate: Double, _ age: Int) -> UInt64 {
        mix64(birthdate.bitPattern ^ UInt64(age))
    }

    private static func apiReader(_ path: String) throws -> (Int) throws -> UInt64 {
        let realm = try PersonsFixture.open(path)
        return { key in
            guard let person = realm.object(ofType: KeyedPerson.self, forPrimaryKey: key) else {
                throw missing(key)
            }
            return term(person.birthdate.timeIntervalSinceReferenceDate, person.age)
        }
    }

    private static func engineReader(_ path: String) throws -> (Int) throws -> UInt64 {
        let connection = try Connection(Database.open(path: path))
        guard let table = try connection.table(named: "KeyedPerson") else {
            throw BenchmarkError(.caseFailed, "The table 'KeyedPerson' is missing.")
        }
        let birthdate = try TableExpectation.column(named: "birthdate", of: table)
        let age = try TableExpectation.column(named: "age", of: table)
        return { key in
            guard let object = try table.find(primaryKey: .integer(Int64(key))),
                let location = try table.location(of: object),
                case .double(let date) = try table.value(birthdate, at: location),
                case .integer(let years) = try table.value(age, at: location)
            else { throw missing(key) }
            return withExtendedLifetime(connection) { term(date, Int(years)) }
        }
    }

    /// The control: the same values in a dictionary.
    private static func dictionaryReader(size: Int, seed: UInt64) -> (Int) throws -> UInt64 {
        var persons: [Int: PersonValues] = [:]
        persons.reserveCapacity(size)
        var generator = PersonGenerator(seed: seed)
        for number in 0..<size { persons[number] = generator.next() }
        return { [persons] key in
            guard let person = persons[key] else { throw missing(key) }
            return term(person.birthdateAsDate.timeIntervalSinceReferenceDate, person.age)
        }
    }

    private static func missing(_ key: Int) -> BenchmarkError {
        BenchmarkError(.caseFailed, "There is no person with the key \(key).")
    }
}
