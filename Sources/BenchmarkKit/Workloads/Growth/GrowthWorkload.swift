/// The growth and shrinking of a file commit by commit, with the readers that keep it from reusing
/// its space.
enum GrowthWorkload: Workload {
    static let name = "growth"
    static let summary = "file size over many commits, with and without a reader that stays behind"
    static let strategies = [
        (name: "steady", summary: "commits that each update one of a fixed set of persons"),
        (name: "burst", summary: "the same, and every 100th commit updates all persons"),
        (name: "steady-pinned", summary: "steady, while a reader keeps the first version"),
        (name: "burst-pinned", summary: "burst, while a reader keeps the first version"),
        (name: "shrink", summary: "steady, after the first nine tenths were deleted at once"),
    ]
    /// The number of persons.
    static let defaultSize = 10_000

    static func layer(of strategy: String) -> String { "any" }

    static func features(of strategy: String) -> [EngineFeature]? {
        let features: [EngineFeature] = [.persons, .integerKeys, .updates]
        if strategy == "shrink" { return features + [.deletes] }
        return strategy.hasSuffix("-pinned") ? features + [.pinnedReaders] : features
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        try GrowthRun(benchmarkCase, environment).run()
    }
}
