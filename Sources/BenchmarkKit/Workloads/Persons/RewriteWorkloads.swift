import ToolSupport

/// A single transaction that changes a large part of a file.
struct Rewrite: Sendable {
    /// The bytes of the values that each change writes.
    var logicalBytes = 8
    let change: @Sendable (any PersonStore) throws -> Void
    /// Changes the oracle in the same way. Returns how many persons changed.
    let expect: @Sendable (inout PersonsOracle) -> Int
    var rounds: @Sendable (CoreCase) -> Int = { _ in 1 }

    static let ageing = Rewrite(
        change: { try $0.updateAllAges(adding: 1) },
        expect: { oracle in
            oracle.addToAllAges(1)
            return oracle.size
        },
        rounds: { core in
            // As many rounds as change the requested number of persons.
            if let asked = core.options.count { return max(1, asked / core.size) }
            return core.size > 1_000_000 ? 1 : 5
        })

    static let deletion = Rewrite(
        logicalBytes: 0, change: { try $0.deleteOddAges() }, expect: { $0.deleteOddAges() })

    /// The new age is not below the limit, so that every matching person changes once.
    static let settingAges = Rewrite(
        change: { try $0.setAges(below: PassQuestion.youngAge, to: PassQuestion.youngAge) },
        expect: { $0.setAges(below: PassQuestion.youngAge, to: PassQuestion.youngAge) })
}

extension Workload {
    static func rewrite(
        _ name: String, _ summary: String, _ rewrite: Rewrite, needs features: [EngineFeature]
    ) -> Workload {
        persons(name, summary, needs: features, on: .changed) { core, file in
            try run(rewrite, core, file)
        }
    }

    private static func run(
        _ rewrite: Rewrite, _ core: CoreCase, _ file: PersonsFile
    ) throws -> CaseOutcome {
        let store = try file.open(core)
        core.progress(fraction: 0)
        var oracle = file.fixture(of: core).oracle()
        var latency = LatencyRecorder()
        var rates: [Double] = []
        var operations = 0
        var elapsed: UInt64 = 0
        var pages: Int? = 0
        var io = IOMeasurement(core.engine)
        var allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
        let change = rewrite.change
        let rounds = rewrite.rounds(core)
        for round in 0..<rounds {
            allocations.resume()
            io.resume()
            let start = monotonicNanoseconds()
            try MeasuredRegion.run { try change(store) }
            let taken = max(1, PlantedDelay.end(of: start) - start)
            io.pause()
            allocations.pause()
            let changed = rewrite.expect(&oracle)
            elapsed += taken
            operations += changed
            latency.record(taken)
            rates.append(Double(changed) * 1e9 / Double(taken))
            pages = store.lastCommit.flatMap { cost in pages.map { $0 + cost.pages } }
            core.progress(fraction: Double(round + 1) / Double(rounds), rate: rates.last)
        }
        var result = CaseResult(core.benchmarkCase)
        result.operations = operations
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        result.fill(allocations.finish(operations: operations))
        result.fill(
            io, commits: rounds, pages: pages, logicalBytes: operations * rewrite.logicalBytes)
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        let contents = oracle.contents()
        result.digest = contents.digest
        return try CaseOutcome(
            results: [result], verification: core.expectation(contents, file.layout))
    }
}
