import ToolSupport

/// The answer of a pass over all persons.
enum PassAnswer: Equatable {
    case number(Int)
    case names([String])
    case groups([AgeGroup])

    var digest: String {
        var row = ResultDigest.Row()
        switch self {
        case .number(let number): row.combine(number)
        case .names(let names): for name in names { row.combine(name.utf8) }
        case .groups(let groups):
            for group in groups {
                row.combine(group.age)
                row.combine(group.count)
                row.combine(group.latestBirthdate)
            }
        }
        var digest = ResultDigest()
        digest.add(row)
        return digest.text
    }
}

/// A question about all persons, as a store answers it, and the same answer computed without a
/// database.
struct PassQuestion: Sendable {
    let ask: @Sendable (any PersonStore) throws -> PassAnswer
    let expect: @Sendable (PersonsOracle) -> PassAnswer

    init(
        _ ask: @escaping @Sendable (any PersonStore) throws -> PassAnswer,
        _ expect: @escaping @Sendable (PersonsOracle) -> PassAnswer
    ) {
        self.ask = ask
        self.expect = expect
    }
}

extension Workload {
    /// Passes over all persons of a file that each answer the same question. One operation is one
    /// person.
    static func pass(
        _ name: String, _ summary: String, _ question: PassQuestion,
        needs features: [EngineFeature] = [.queries], on file: PersonsFile = .plain
    ) -> Workload {
        persons(name, summary, needs: features, on: file) { core, file in
            try PersonsPass(question: question, core: core, file: file).run()
        }
    }
}

/// One run of passes.
struct PersonsPass {
    let question: PassQuestion
    let core: CoreCase
    let file: PersonsFile

    func run() throws -> CaseOutcome {
        let store = try file.open(core)
        core.progress(fraction: 0)
        let ask = question.ask
        let expected = try ask(store)
        let passes = Self.passes(over: core.size, asked: core.options.count)
        var allocations = AllocationMeasurement(core.environment.allocations)
        var costs = ProcessCosts()
        costs.resume()
        var timer = BatchTimer(batchSize: core.size)
        try MeasuredRegion.run {
            for _ in 0..<passes {
                guard try ask(store) == expected else {
                    throw BenchmarkError(.caseFailed, "Two passes over one version differ.")
                }
                timer.endBatch()
            }
        }
        costs.pause()
        let allocated = allocations.finish(operations: timer.operations)
        var result = CaseResult(core.benchmarkCase)
        timer.fill(&result)
        result.fill(allocated)
        costs.fill(&result)
        result.measure("pass_p50_us", timer.batchMedian)
        result.digest = expected.digest
        result.fill(try store.size())
        guard question.expect(file.fixture(of: core).oracle()) == expected else {
            throw BenchmarkError(.caseFailed, "The passes gave a wrong answer.")
        }
        return CaseOutcome(
            results: [result], histograms: [.latency: timer.distribution])
    }

    /// Returns the number of passes that visit the requested number of persons; by default about
    /// twenty million, so that small files are timed long enough.
    static func passes(over size: Int, asked: Int?) -> Int {
        if let asked { return max(1, asked / size) }
        return min(2000, max(10, 20_000_000 / size))
    }
}
