/// A bulk insert of persons in durable transactions.
protocol PersonInsertWorkload: CoreWorkload {
    static var layout: PersonLayout { get }
}

extension PersonInsertWorkload {
    static func size(for options: CaseOptions, asked: Int?) -> Int {
        options.count ?? asked ?? defaultSize
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        try InsertRun(CoreCase(benchmarkCase, environment), layout).run()
    }
}

enum InsertWorkload: PersonInsertWorkload {
    static let name = "insert"
    static let summary = "bulk insert of persons (name, birth date, age), no key"
    static let features: [EngineFeature] = [.persons]
    static let layout = PersonLayout.unkeyed
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
