import ToolSupport

/// A query that an index answers, about a person with an indexed number.
struct IndexedLookup: Sendable {
    /// Returns the sum of the birth dates and ages of the persons found. The measured time runs
    /// from the query's text or closure to these values.
    let answer: @Sendable (any PersonStore, _ number: Int, _ size: Int) throws -> Int
    /// Returns the numbers of the persons whose values the answer adds up.
    let numbers: @Sendable (_ number: Int, _ size: Int) -> [Int]

    static let one = IndexedLookup(
        answer: { store, number, _ in try sum(store.person(indexedNumber: number), number) },
        numbers: { number, _ in [number] })

    static let typed = IndexedLookup(
        answer: { store, number, _ in try sum(store.person(typedNumber: number), number) },
        numbers: { number, _ in [number] })

    /// Several numbers, spread evenly over all persons.
    static let several: IndexedLookup = {
        @Sendable func numbers(_ number: Int, _ size: Int) -> [Int] {
            let count = min(IndexedNumbers.atOnce, size)
            return (0..<count).map { (number + $0 * (size / count)) % size }
        }
        return IndexedLookup(
            answer: { try $0.sum(indexedNumbers: numbers($1, $2)) }, numbers: numbers)
    }()

    static func range(_ length: Int) -> IndexedLookup {
        @Sendable func range(_ number: Int, _ size: Int) -> ClosedRange<Int> {
            number...min(number + length, size) - 1
        }
        return IndexedLookup(
            answer: { try $0.sum(indexedNumbersIn: range($1, $2)) },
            numbers: { Array(range($0, $1)) })
    }

    /// Returns the sum of the birth date and the age of the person found.
    private static func sum(_ found: (birthdate: Int, age: Int)?, _ number: Int) throws -> Int {
        guard let found else {
            throw BenchmarkError(.caseFailed, "There is no person with the number \(number).")
        }
        return found.birthdate &+ found.age
    }
}

extension Workload {
    /// Queries that an index answers, each with arguments of its own. `count` is their number,
    /// unless `--count` sets it.
    static func indexedLookup(
        _ name: String, _ summary: String, _ lookup: IndexedLookup, count: Int,
        needs features: [EngineFeature] = []
    ) -> Workload {
        persons(
            name, summary, needs: features, on: PersonsFile(layout: .indexedNumber)
        ) { core, file in
            let store = try file.open(core)
            core.progress(fraction: 0)
            let size = core.size
            let lookups = Lookups(
                size: size, seed: core.seed, count: core.options.count ?? count)
            var result = CaseResult(core.benchmarkCase)
            let answer = lookup.answer
            let (sum, distribution) = try lookups.measure(
                &result, core.environment.allocations
            ) { UInt64(bitPattern: Int64(try answer(store, $0, size))) }
            let oracle = file.fixture(of: core).oracle()
            try lookups.prove(sum) { number in
                lookup.numbers(number, size).reduce(into: 0) { sum, number in
                    let person = oracle.person(number)
                    sum &+= UInt64(bitPattern: Int64(person.birthdate &+ person.age))
                }
            }
            result.digest = ResultDigest.text(of: sum)
            result.fill(try store.size())
            return CaseOutcome(results: [result], histograms: [.latency: distribution])
        }
    }
}
