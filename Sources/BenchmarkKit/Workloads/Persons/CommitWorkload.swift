import ToolSupport

extension Workload {
    /// Durable commits of one person each, one after the other.
    static let commit = core(
        "commit", "one person a durable commit, one after the other", needs: [.persons]
    ) { core in
        let store = try core.create(.unkeyed)
        let commits = try SingleCommits(core, store)
        var generator = PersonGenerator(seed: core.seed)
        var person = [generator.next()]
        try commits.run { _ in
            try store.insert(person[...])
            person[0] = generator.next()
        }
        let contents = PersonsOracle(size: commits.performed, seed: core.seed).contents()
        // The logical bytes are a name of one to seven digits and two values of 8 bytes.
        var results = try commits.results(
            logicalBytes: Double(String(commits.performed).utf8.count + 16))
        if core.options.count != nil { results[0].digest = contents.digest }
        return try CaseOutcome(
            results: results, histograms: commits.histograms,
            verification: core.expectation(contents, .unkeyed))
    }.with {
        $0.defaultSize = 1
        $0.options = [.count, .rate, .seconds, .seed]
        $0.isDeterministic = Workload.ifCounted
    }

    /// Updates of one person each, in a durable transaction of its own.
    static let update = persons(
        "update", "the age of a random person by integer key, one durable commit each",
        needs: [.updates], on: .changed
    ) { core, file in
        let store = try file.open(core)
        let commits = try SingleCommits(core, store)
        var updates = RandomUpdates(size: core.size, seed: core.seed)
        try commits.run { _ in
            let update = updates.next()
            try store.updateAge(number: update.number, to: update.age)
        }
        var oracle = file.fixture(of: core).oracle()
        updates = RandomUpdates(size: core.size, seed: core.seed)
        for _ in 0..<commits.performed {
            let update = updates.next()
            oracle.setAge(of: update.number, to: update.age)
        }
        let contents = oracle.contents()
        var results = try commits.results(logicalBytes: 8)
        if core.options.count != nil { results[0].digest = contents.digest }
        return try CaseOutcome(
            results: results, histograms: commits.histograms,
            verification: core.expectation(contents, file.layout))
    }.with {
        $0.options.formUnion([.rate, .seconds])
        $0.isDeterministic = Workload.ifCounted
    }
}

/// The random persons and ages of the updates, the same for every engine.
struct RandomUpdates {
    private var generator: SeededGenerator
    private let size: Int

    init(size: Int, seed: UInt64) {
        self.size = size
        generator = SeededGenerator(seed: seed &+ 3)
    }

    mutating func next() -> (number: Int, age: Int) {
        let number = generator.next(below: size)
        return (number, generator.next(below: 100))
    }
}
