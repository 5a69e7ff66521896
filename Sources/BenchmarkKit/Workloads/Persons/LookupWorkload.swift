import ToolSupport

extension Workload {
    /// Point reads: a random person by key and two of its properties. `hasDictionary` adds a
    /// control that looks up the same values in a dictionary.
    static func lookup(
        _ name: String, _ summary: String, on file: PersonsFile = .plain,
        hasDictionary: Bool = false
    ) -> Workload {
        persons(name, summary, on: file) { core, file in
            let store = try file.open(core)
            core.progress(fraction: 0)
            let lookups = Lookups(size: core.size, seed: core.seed, count: core.options.count)
            var result = CaseResult(core.benchmarkCase)
            let allocations = core.environment.allocations
            let (sum, distribution) =
                file.layout == .stringKey
                ? try lookups.measure(&result, allocations) { key in
                    try Lookups.term(store.person(name: String(key)), key)
                }
                : try lookups.measure(&result, allocations) { key in
                    try Lookups.term(store.person(number: key), key)
                }
            let oracle = file.fixture(of: core).oracle()
            try lookups.prove(sum) { key in
                let person = oracle.person(key)
                return try Lookups.term((person.birthdate, person.age), person.number)
            }
            result.digest = ResultDigest.text(of: sum)
            result.fill(try store.size())
            var results = [result]
            if hasDictionary, core.hasControls, core.engine.layer == .api {
                results.append(try lookups.dictionaryControl(core.benchmarkCase))
            }
            return CaseOutcome(results: results, histograms: [.latency: distribution])
        }
    }
}

/// The random keys of a case, the same for every engine.
struct Lookups {
    private static let batchSize = 32

    let size: Int
    let seed: UInt64
    /// The number of lookups, a multiple of the batch size.
    let count: Int

    init(size: Int, seed: UInt64, count: Int?) {
        self.size = size
        self.seed = seed
        self.count = max(1, (count ?? 1_000_000) / Self.batchSize) * Self.batchSize
    }

    /// Returns the term that one lookup contributes to the checksum.
    @inline(__always)
    static func term(_ found: (birthdate: Int, age: Int)?, _ key: Int) throws -> UInt64 {
        guard let found else {
            throw BenchmarkError(.caseFailed, "There is no person with the key \(key).")
        }
        return mix64(UInt64(bitPattern: Int64(found.birthdate)) ^ UInt64(found.age))
    }

    /// Measures the lookups after a warm-up with other keys. Returns the sum of the terms and the
    /// distribution of the times.
    @inline(__always)
    func measure(
        _ result: inout CaseResult, _ probe: AllocationProbe?, _ read: (Int) throws -> UInt64
    ) throws -> (sum: UInt64, distribution: HistogramData) {
        var warmup = SeededGenerator(seed: seed &+ 1)
        for _ in 0..<min(count, 100_000) { _ = try read(warmup.next(below: size)) }
        var sum: UInt64 = 0
        var generator = SeededGenerator(seed: seed)
        var allocations = AllocationMeasurement(probe)
        var costs = ProcessCosts()
        costs.resume()
        var timer = BatchTimer(batchSize: Self.batchSize)
        try MeasuredRegion.run(for: result) {
            for _ in 0..<count / Self.batchSize {
                for _ in 0..<Self.batchSize { sum &+= try read(generator.next(below: size)) }
                timer.endBatch()
            }
        }
        costs.pause()
        let allocated = allocations.finish(operations: timer.operations)
        timer.fill(&result)
        costs.fill(&result)
        result.fill(allocated)
        return (sum, timer.distribution)
    }

    /// Verifies the sum by computing it without a database from the expected term of each key.
    func prove(_ sum: UInt64, _ expectedTerm: (_ key: Int) throws -> UInt64) throws {
        var expected: UInt64 = 0
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<count { expected &+= try expectedTerm(generator.next(below: size)) }
        guard sum == expected else {
            throw BenchmarkError(.caseFailed, "The lookups found other persons than were stored.")
        }
    }

    /// Runs the control, which looks up the same values in a dictionary.
    func dictionaryControl(_ benchmarkCase: BenchmarkCase) throws -> CaseResult {
        var persons: [Int: PersonValues] = [:]
        persons.reserveCapacity(size)
        var generator = PersonGenerator(seed: seed)
        for number in 0..<size { persons[number] = generator.next() }
        var control = CaseResult.control("dictionary", beside: benchmarkCase)
        let (sum, _) = try measure(&control, nil) { [persons] key in
            try Self.term(persons[key].map { ($0.birthdate, $0.age) }, key)
        }
        control.peakResidentBytes = nil
        control.digest = ResultDigest.text(of: sum)
        return control
    }
}
