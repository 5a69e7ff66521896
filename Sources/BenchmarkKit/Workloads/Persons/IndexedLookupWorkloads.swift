import ToolSupport

/// Queries that an index answers, each with arguments of its own. The measured time runs from the
/// query's text or closure to the values of the persons found.
protocol IndexedLookupWorkload: FixtureWorkload {
    /// The number of queries, unless `--count` sets it.
    static var usualCount: Int { get }
    static func answer(of store: any PersonStore, about number: Int, size: Int) throws -> Int
    /// Returns the numbers of the persons whose values the answer adds up.
    static func numbers(about number: Int, size: Int) -> [Int]
}

extension IndexedLookupWorkload {
    static var layout: PersonLayout { .indexedNumber }
    static var features: [EngineFeature] { [.persons, .indexedNumbers] }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let core = try CoreCase(benchmarkCase, environment)
        let store = try core.open(path(core), layout)
        core.progress(fraction: 0)
        let size = core.size
        let lookups = Lookups(
            size: size, seed: core.seed, count: core.options.count ?? usualCount)
        var result = CaseResult(benchmarkCase)
        let (sum, distribution) = try lookups.measure(&result, environment.allocations) {
            UInt64(bitPattern: Int64(try answer(of: store, about: $0, size: size)))
        }
        let oracle = fixture(of: core).oracle()
        try lookups.prove(sum) { number in
            numbers(about: number, size: size).reduce(into: 0) { sum, number in
                let person = oracle.person(number)
                sum &+= UInt64(bitPattern: Int64(person.birthdate &+ person.age))
            }
        }
        result.digest = ResultDigest.text(of: sum)
        result.fill(try store.size())
        return CaseOutcome(results: [result], histograms: [.latency: distribution])
    }

    /// Returns the sum of the birth date and the age of the person found.
    fileprivate static func sum(_ found: (birthdate: Int, age: Int)?, _ number: Int) throws -> Int {
        guard let found else {
            throw BenchmarkError(.caseFailed, "There is no person with the number \(number).")
        }
        return found.birthdate &+ found.age
    }
}

enum LookupIndexedWorkload: IndexedLookupWorkload {
    static let name = "lookup-indexed"
    static let summary = "queries a random number that has an index, and reads two properties"
    static let usualCount = 1_000_000

    static func answer(of store: any PersonStore, about number: Int, size: Int) throws -> Int {
        try sum(store.person(indexedNumber: number), number)
    }

    static func numbers(about number: Int, size: Int) -> [Int] { [number] }
}

enum LookupTypedWorkload: IndexedLookupWorkload {
    static let name = "lookup-typed"
    static let summary = "the same with a query that the compiler has checked"
    static let features: [EngineFeature] = [.persons, .indexedNumbers, .typedQueries]
    static let usualCount = 1_000_000

    static func answer(of store: any PersonStore, about number: Int, size: Int) throws -> Int {
        try sum(store.person(typedNumber: number), number)
    }

    static func numbers(about number: Int, size: Int) -> [Int] { [number] }
}

enum LookupInWorkload: IndexedLookupWorkload {
    static let name = "lookup-in"
    static let summary = "queries ten values of an index at once, and reads two properties of each"
    static let usualCount = 100_000

    static func answer(of store: any PersonStore, about number: Int, size: Int) throws -> Int {
        try store.sum(indexedNumbers: numbers(about: number, size: size))
    }

    /// Returns numbers spread evenly over all persons.
    static func numbers(about number: Int, size: Int) -> [Int] {
        let count = min(IndexedNumbers.atOnce, size)
        return (0..<count).map { (number + $0 * (size / count)) % size }
    }
}

enum LookupRangeWorkload: IndexedLookupWorkload {
    static let name = "lookup-range"
    static let summary = "queries 100 neighbours in an index, and reads two properties of each"
    static let usualCount = 20_000
    private static let length = 100

    private static func range(from number: Int, size: Int) -> ClosedRange<Int> {
        number...min(number + length, size) - 1
    }

    static func answer(of store: any PersonStore, about number: Int, size: Int) throws -> Int {
        try store.sum(indexedNumbersIn: range(from: number, size: size))
    }

    static func numbers(about number: Int, size: Int) -> [Int] {
        Array(range(from: number, size: size))
    }
}
