import ToolSupport

/// A single transaction that changes a large part of a file.
protocol RewriteWorkload: FixtureWorkload {
    /// Changes the file, and the oracle in the same way. The oracle's method returns how many
    /// persons changed.
    static func rewrite(_ store: any PersonStore) throws
    static func rewrite(_ oracle: inout PersonsOracle) -> Int
    /// The bytes of the values that each change writes.
    static var logicalBytes: Int { get }
    static func rounds(_ core: CoreCase) -> Int
}

extension RewriteWorkload {
    static var changesFile: Bool { true }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let core = try CoreCase(benchmarkCase, environment)
        let store = try core.open(path(core), layout)
        core.progress(fraction: 0)
        var oracle = fixture(of: core).oracle()
        var latency = LatencyRecorder()
        var rates: [Double] = []
        var operations = 0
        var elapsed: UInt64 = 0
        var pages: Int? = 0
        var io = IOMeasurement(core.engine)
        var allocations = AllocationMeasurement(environment.allocations)
        allocations.pause()
        let rounds = Self.rounds(core)
        for round in 0..<rounds {
            allocations.resume()
            io.resume()
            let start = monotonicNanoseconds()
            try MeasuredRegion.run { try rewrite(store) }
            let taken = max(1, PlantedDelay.end(of: start) - start)
            io.pause()
            allocations.pause()
            let changed = rewrite(&oracle)
            elapsed += taken
            operations += changed
            latency.record(taken)
            rates.append(Double(changed) * 1e9 / Double(taken))
            pages = store.lastCommit.flatMap { cost in pages.map { $0 + cost.pages } }
            core.progress(fraction: Double(round + 1) / Double(rounds), rate: rates.last)
        }
        var result = CaseResult(benchmarkCase)
        result.operations = operations
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        result.fill(allocations.finish(operations: operations))
        result.fill(
            io, commits: rounds, pages: pages, logicalBytes: operations * logicalBytes)
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        let contents = oracle.contents()
        result.digest = contents.digest
        return try CaseOutcome(
            results: [result], verification: core.expectation(contents, layout))
    }
}

enum UpdateAllWorkload: RewriteWorkload {
    static let name = "update-all"
    static let summary = "adds 1 to the age of every person in one transaction"
    static let features: [EngineFeature] = [.persons, .integerKeys, .updates]
    static let logicalBytes = 8

    static func rewrite(_ store: any PersonStore) throws { try store.updateAllAges(adding: 1) }

    static func rewrite(_ oracle: inout PersonsOracle) -> Int {
        oracle.addToAllAges(1)
        return oracle.size
    }

    /// Returns the number of rounds that change the requested number of persons.
    static func rounds(_ core: CoreCase) -> Int {
        if let asked = core.options.count { return max(1, asked / core.size) }
        return core.size > 1_000_000 ? 1 : 5
    }
}

enum DeleteHalfWorkload: RewriteWorkload {
    static let name = "delete-half"
    static let summary = "deletes the persons whose age is odd in one transaction"
    static let features: [EngineFeature] = [.persons, .integerKeys, .deletes]
    static let logicalBytes = 0

    /// Returns the number of persons, set by `--count`; half of them are deleted.
    static func size(for options: CaseOptions, asked: Int?) -> Int {
        options.count ?? asked ?? defaultSize
    }

    static func rewrite(_ store: any PersonStore) throws { try store.deleteOddAges() }
    static func rewrite(_ oracle: inout PersonsOracle) -> Int { oracle.deleteOddAges() }
    static func rounds(_ core: CoreCase) -> Int { 1 }
}

enum SetValuesWorkload: RewriteWorkload {
    static let name = "set-values"
    static let summary = "sets the age of all persons younger than 30 in one transaction"
    static let features: [EngineFeature] = [.persons, .integerKeys, .updates, .queries]
    static let logicalBytes = 8
    /// The new age, which is not below the limit, so that every matching person changes once.
    private static let age = CountWorkload.limit

    static func rewrite(_ store: any PersonStore) throws {
        try store.setAges(below: CountWorkload.limit, to: age)
    }

    static func rewrite(_ oracle: inout PersonsOracle) -> Int {
        oracle.setAges(below: CountWorkload.limit, to: age)
    }

    static func rounds(_ core: CoreCase) -> Int { 1 }
}
