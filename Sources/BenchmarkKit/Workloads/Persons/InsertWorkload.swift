/// A bulk insert of persons in durable transactions.
protocol PersonInsertWorkload: CoreWorkload {
    static var layout: PersonLayout { get }
    static var names: PersonNames { get }
}

extension PersonInsertWorkload {
    static var names: PersonNames { .numbers }

    static func size(for options: CaseOptions, asked: Int?) -> Int {
        options.count ?? asked ?? defaultSize
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        try SystemAllocatorProgram.check(benchmarkCase)
        return try InsertRun(CoreCase(benchmarkCase, environment), layout, names).run()
    }
}

enum InsertWorkload: PersonInsertWorkload {
    static let name = "insert"
    static let summary = "bulk insert of persons (name, birth date, age), no key"
    static let features: [EngineFeature] = [.persons]
    static let layout = PersonLayout.unkeyed

    /// The control for the effect of jemalloc: the work of `api` with the C library's allocator.
    static let systemAllocatorStrategy = SystemAllocatorProgram.strategy

    static var strategies: [(name: String, summary: String)] {
        layerStrategies + [
            (
                name: systemAllocatorStrategy,
                summary: "api in a program without jemalloc: what the allocator itself changes"
            )
        ]
    }

    static func layer(of strategy: String) -> String {
        strategy == systemAllocatorStrategy ? EngineLayer.api.rawValue : strategy
    }

    /// Returns nil for the control, which only the embedded engine has, since the program without
    /// jemalloc contains no other engine.
    static func features(of strategy: String) -> [EngineFeature]? {
        strategy == systemAllocatorStrategy ? nil : features
    }

    static func usesSystemAllocator(_ strategy: String) -> Bool {
        strategy == systemAllocatorStrategy
    }

    /// Whether the case is gated; the control is informative only.
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool {
        benchmarkCase.identifier.strategy != systemAllocatorStrategy
    }
}

enum InsertIntegerKeyWorkload: PersonInsertWorkload {
    static let name = "insert-int-key"
    static let summary = "bulk insert of persons with an integer primary key"
    static let features: [EngineFeature] = [.persons, .integerKeys]
    static let layout = PersonLayout.integerKey
}

enum InsertStringKeyWorkload: PersonInsertWorkload {
    static let name = "insert-string-key"
    static let summary = "bulk insert of persons whose name is the primary key"
    static let features: [EngineFeature] = [.persons, .stringKeys]
    static let layout = PersonLayout.stringKey
}

enum InsertIndexedWorkload: PersonInsertWorkload {
    static let name = "insert-indexed"
    static let summary = "bulk insert of persons with an index on the age"
    static let features: [EngineFeature] = [.persons, .secondaryIndex]
    static let layout = PersonLayout.indexed
}

enum InsertTextWorkload: PersonInsertWorkload {
    static let name = "insert-text"
    static let summary = "bulk insert of persons with names of 8 to 20 random letters, no key"
    static let features: [EngineFeature] = [.persons]
    static let layout = PersonLayout.unkeyed
    static let names = PersonNames.letters
}
