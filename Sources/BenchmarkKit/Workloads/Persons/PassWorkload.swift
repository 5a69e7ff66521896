import ToolSupport

/// The answer of a pass over all persons.
enum PassAnswer: Equatable {
    case number(Int)
    case names([String])

    var digest: String {
        var row = ResultDigest.Row()
        switch self {
        case .number(let number): row.combine(number)
        case .names(let names): for name in names { row.combine(name.utf8) }
        }
        var digest = ResultDigest()
        digest.add(row)
        return digest.text
    }
}

/// Passes over all persons of a file that each answer the same question. One operation is one
/// person.
protocol PassWorkload: FixtureWorkload {
    static func answer(of store: any PersonStore) throws -> PassAnswer
    /// Returns the same answer computed without a database.
    static func answer(of oracle: PersonsOracle) -> PassAnswer
}

extension PassWorkload {
    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let core = try CoreCase(benchmarkCase, environment)
        let store = try core.open(path(core), layout)
        core.progress(fraction: 0)
        let expected = try answer(of: store)
        let passes = Self.passes(over: core.size, asked: core.options.count)
        var allocations = AllocationMeasurement(environment.allocations)
        var costs = ProcessCosts()
        costs.resume()
        var timer = BatchTimer(batchSize: core.size)
        try MeasuredRegion.run {
            for _ in 0..<passes {
                guard try answer(of: store) == expected else {
                    throw BenchmarkError(.caseFailed, "Two passes over one version differ.")
                }
                timer.endBatch()
            }
        }
        costs.pause()
        let allocated = allocations.finish(operations: timer.operations)
        var result = CaseResult(benchmarkCase)
        timer.fill(&result)
        result.fill(allocated)
        costs.fill(&result)
        result.measure("pass_p50_us", timer.batchMedian)
        result.digest = expected.digest
        result.fill(try store.size())
        let oracle = fixture(of: core).oracle()
        guard answer(of: oracle) == expected else {
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

enum CountWorkload: PassWorkload {
    static let name = "count"
    static let summary = "counts the persons younger than 30"
    static let features: [EngineFeature] = [.persons, .integerKeys, .count]
    static let limit = 30

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.count(ageBelow: limit))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.count { $0.age < limit })
    }
}

enum CountAgedWorkload: PassWorkload {
    static let name = "count-aged"
    static let summary = "the same in a file that was changed at random before"
    static let features = CountWorkload.features + [.updates, .deletes]
    static let isAged = true

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        try CountWorkload.answer(of: store)
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer { CountWorkload.answer(of: oracle) }
}

enum PrefixWorkload: PassWorkload {
    static let name = "prefix"
    static let summary = "counts the persons whose name begins with 12"
    static let features: [EngineFeature] = [.persons, .integerKeys, .prefixCount]
    static let prefix = "12"

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.count(namePrefix: prefix))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.count { $0.name.hasPrefix(prefix) })
    }
}

enum PrefixTextWorkload: PassWorkload {
    static let name = "prefix-text"
    static let summary = "counts the persons whose name of random letters begins with ab"
    static let features = PrefixWorkload.features
    static let names = PersonNames.letters
    private static let prefix = "ab"

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.count(namePrefix: prefix))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.count { $0.name.hasPrefix(prefix) })
    }
}

enum DateRangeWorkload: PassWorkload {
    static let name = "date-range"
    static let summary = "counts the persons born in the seventies"
    static let features: [EngineFeature] = [.persons, .integerKeys, .dateRangeCount]
    /// The range from 1970 up to 1980: ten years, two of them leap years.
    static let range = 0..<(3652 * 86_400)

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.count(birthdateIn: range))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .number(oracle.count { range.contains($0.birthdate) })
    }
}

enum SumWorkload: PassWorkload {
    static let name = "sum"
    static let summary = "adds up the ages of all persons"
    static let features: [EngineFeature] = [.persons, .integerKeys, .sum]

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.sumOfAges())
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer { .number(oracle.sumOfAges()) }
}

enum SortWorkload: PassWorkload {
    static let name = "sort"
    static let summary = "the names of the first 100 persons by age, then name"
    static let features: [EngineFeature] = [.persons, .integerKeys, .sort]
    private static let count = 100

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .names(try store.names(sortedByAge: count))
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        .names(oracle.names(sortedByAge: count))
    }
}

enum IterateWorkload: PassWorkload {
    static let name = "iterate"
    static let summary = "reads all three properties of every person"
    static let features: [EngineFeature] = [.persons, .integerKeys, .iterate]

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        .number(try store.checksum())
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer { .number(oracle.checksum()) }
}

enum IterateTextWorkload: PassWorkload {
    static let name = "iterate-text"
    static let summary = "reads all three properties of persons with names of random letters"
    static let features = IterateWorkload.features
    static let names = PersonNames.letters

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        try IterateWorkload.answer(of: store)
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        IterateWorkload.answer(of: oracle)
    }
}

enum IterateAgedWorkload: PassWorkload {
    static let name = "iterate-aged"
    static let summary = "the same in a file that was changed at random before"
    static let features = IterateWorkload.features + [.updates, .deletes]
    static let isAged = true

    static func answer(of store: any PersonStore) throws -> PassAnswer {
        try IterateWorkload.answer(of: store)
    }

    static func answer(of oracle: PersonsOracle) -> PassAnswer {
        IterateWorkload.answer(of: oracle)
    }
}
