import ToolSupport

/// The cost of refreshing a query after a change. After each commit that changes the age of one
/// person, it asks how many persons are younger than 30, and which of them has the greatest number.
/// Only the query is measured.
enum RefreshedQueryWorkload {
    static let workload = Workload.persons(
        "query-refresh",
        "counts the persons younger than 30 and finds the last, after one of them all has changed",
        needs: [.updates, .queries], on: .changed, run
    ).with {
        let features = ($0.strategies[0].features ?? []) + [.liveResults]
        $0.strategies.append(
            Workload.Strategy(
                name: live,
                summary: "through objects, with results that are kept and follow changes",
                layer: "api", features: features))
    }

    /// The default number of repetitions, each of which waits for a commit that is not measured.
    private static let usualCount = 200
    private static let live = "live"

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        let store = try file.open(core)
        core.progress(fraction: 0)
        let limit = PassQuestion.youngAge
        let ask =
            core.strategy == live
            ? try store.followYoung(ageBelow: limit) : { try store.young(ageBelow: limit) }
        var oracle = file.fixture(of: core).oracle()
        var expected = YoungPersons(
            count: oracle.count { $0.age < limit }, lastNumber: oracle.lastNumber(ageBelow: limit))
        guard try ask() == expected else { throw wrongAnswer(before: 0) }
        let asked = core.options.count ?? usualCount
        var generator = SeededGenerator(seed: core.seed)
        var digest = ResultDigest()
        var allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
        var timer = BatchTimer(batchSize: 1, batches: asked)
        for index in 0..<asked {
            let number = generator.next(below: core.size)
            let age = generator.next(below: 100)
            try store.updateAge(number: number, to: age)
            var found = YoungPersons(count: 0, lastNumber: nil)
            // The allocation counters run inside the region, because entering and leaving a region
            // counts the threads, which allocates.
            try MeasuredRegion.run {
                allocations.resume()
                timer.beginBatch()
                found = try ask()
                timer.endBatch()
                allocations.pause()
            }
            if let old = oracle.age(of: number), old < limit { expected.count -= 1 }
            if age < limit { expected.count += 1 }
            oracle.setAge(of: number, to: age)
            expected.lastNumber = oracle.lastNumber(ageBelow: limit)
            guard found == expected else { throw wrongAnswer(before: index + 1) }
            digest.add(row(index, found))
            core.progress(fraction: Double(index + 1) / Double(asked))
        }
        var result = CaseResult(core.benchmarkCase)
        timer.fill(&result)
        result.fill(allocations.finish(operations: timer.operations))
        result.fill(try store.size())
        result.digest = digest.text
        return CaseOutcome(results: [result], histograms: [.latency: timer.distribution])
    }

    private static func row(_ index: Int, _ found: YoungPersons) -> ResultDigest.Row {
        var row = ResultDigest.Row()
        row.combine(index)
        row.combine(found.count)
        row.combine(found.lastNumber ?? -1)
        return row
    }

    private static func wrongAnswer(before changes: Int) -> BenchmarkError {
        BenchmarkError(.caseFailed, "The query was answered wrong after \(changes) changes.")
    }
}
