extension Workload {
    /// The growth and shrinking of a file commit by commit, with the readers that keep it from
    /// reusing its space. The size is the number of persons.
    static let growth: Workload = {
        let ways = [
            ("steady", "commits that each update one of a fixed set of persons"),
            ("burst", "the same, and every 100th commit updates all persons"),
            ("steady-pinned", "steady, while a reader keeps the first version"),
            ("burst-pinned", "burst, while a reader keeps the first version"),
            ("shrink", "steady, after the first nine tenths were deleted at once"),
        ]
        return Workload(
            name: "growth",
            summary: "file size over many commits, with and without a reader that stays behind",
            strategies: ways.map { name, summary in
                var features: [EngineFeature] = [.persons, .integerKeys, .updates]
                if name == "shrink" { features.append(.deletes) }
                if name.hasSuffix("-pinned") { features.append(.pinnedReaders) }
                return Strategy(name: name, summary: summary, layer: "any", features: features)
            }, defaultSize: 10_000, options: [.size, .count, .rate, .seconds, .seed],
            isDeterministic: Workload.never
        ) { try GrowthRun($0, $1).run() }
    }()
}
