import RealmSwift
import ToolSupport

/// What a commit of one changed object takes to become a change set of results that are observed.
enum ChangeSetWorkload {
    static let name = "change-set"

    /// The results that are observed.
    enum Observed: String, CaseIterable, Sendable {
        case all
        case filtered
        case sorted = "filtered-sorted"

        static let limit = 50

        var summary: String {
            switch self {
            case .all: "all persons"
            case .filtered: "the persons younger than \(Self.limit)"
            case .sorted: "the same, sorted by the age, which the commits change"
            }
        }

        func results(in realm: Realm) -> Results<KeyedPerson> {
            let all = realm.objects(KeyedPerson.self)
            switch self {
            case .all: return all
            case .filtered: return all.filter("age < %@", Self.limit)
            case .sorted: return all.filter("age < %@", Self.limit).sorted(byKeyPath: "age")
            }
        }

        /// Returns where a person is in the results; nil if it is not among them.
        func position(of number: Int, in oracle: PersonsOracle) -> Int? {
            switch self {
            case .all: number
            case .filtered: oracle.position(of: number, ageBelow: Self.limit)
            case .sorted: oracle.position(of: number, sortedByAgeBelow: Self.limit)
            }
        }
    }

    static let workload = Workload.persons(
        name, "from refresh() to the change set of one changed object, computed on that thread",
        on: .changed, run
    ).with {
        $0.strategies = Observed.allCases.map {
            Workload.Strategy(name: $0.rawValue, summary: $0.summary, layer: "api")
        }
        // Another thread notices the commits.
        $0.countedOperations = nil
    }

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        guard let observed = Observed(rawValue: core.strategy) else {
            throw BenchmarkError(.usage, "No strategy '\(core.strategy)' of \(name).")
        }
        return try CallerRunLoop.run { try ChangeSetRun(core, file, observed).run() }
    }
}

private struct ChangeSetRun {
    private static let usualCount = 400
    private static let warmUp = 20
    private static let longestControl = 200
    /// How long the thread that waits for versions has to notice a commit, in nanoseconds.
    private static let pause: UInt64 = 300_000

    private let core: CoreCase
    private let file: PersonsFile
    private let observed: ChangeSetWorkload.Observed
    /// The Realm that observes. It moves by `refresh()` only, which then computes the change set.
    private let realm: Realm
    private let writer: any PersonStore

    init(
        _ core: CoreCase, _ file: PersonsFile, _ observed: ChangeSetWorkload.Observed
    ) throws {
        self.core = core
        self.file = file
        self.observed = observed
        let path = try file.path(core)
        realm = try Realm(
            configuration: Realm.Configuration(
                path: path, core.durability, objectTypes: [KeyedPerson.self]))
        realm.autorefresh = false
        writer = try RealmTableEngine().openPersons(at: path, file.layout, core.durability)
    }

    func run() throws -> CaseOutcome {
        core.progress(fraction: 0)
        let count = core.options.count ?? Self.usualCount
        let controls = min(count, Self.longestControl)
        // Planned before, because looking for positions takes what the processor has cached.
        var plan = Plan(core, file, observed)
        let steps = (0..<Self.warmUp + count + controls).map { _ in plan.next() }
        let told = ToldChanges()
        let times = try measure(steps.dropLast(controls), told)
        var result = CaseResult(core.benchmarkCase)
        times.fill(&result)
        let moves = try measureMoves(steps.suffix(controls), told)
        var control = CaseResult.control("\(core.strategy)-move", beside: core.benchmarkCase)
        moves.fill(&control)
        try result.fill(writer.size())
        let contents = plan.oracle.contents()
        result.digest = contents.digest
        return try CaseOutcome(
            results: [result, control], histograms: [.latency: times.latency.distribution],
            verification: core.expectation(contents, file.layout))
    }

    private func measure(
        _ steps: ArraySlice<Plan.Step>, _ told: ToldChanges
    ) throws -> CallTimes {
        let token = observed.results(in: realm).observe { told.note($0) }
        try waitForFirstCall(told)
        var times = CallTimes(core, count: steps.count)
        for (index, step) in steps.enumerated() {
            try commit(step)
            if index == Self.warmUp { times = CallTimes(core, count: steps.count) }
            try times.measure(realm, told)
            guard told.changes == step.changes else {
                throw BenchmarkError(
                    .caseFailed, "\(told.changes) were told, and not \(step.changes).")
            }
            core.progress(fraction: Double(index + 1) / Double(steps.count))
        }
        token.invalidate()
        return times
    }

    /// Measures the control: the Realm moves, and its handler is called without a change set.
    private func measureMoves(
        _ steps: ArraySlice<Plan.Step>, _ told: ToldChanges
    ) throws -> CallTimes {
        let token = realm.observe { _, _ in told.note() }
        var times = CallTimes(core, count: steps.count)
        for step in steps {
            try commit(step)
            try times.measure(realm, told)
        }
        token.invalidate()
        return times
    }

    private func waitForFirstCall(_ told: ToldChanges) throws {
        let start = monotonicNanoseconds()
        while told.calls == 0 {
            guard seconds(from: start, to: monotonicNanoseconds()) < 60 else {
                throw BenchmarkError(.caseFailed, "The observer was not called.")
            }
            realm.refresh()
        }
    }

    private func commit(_ step: Plan.Step) throws {
        try writer.updateAge(number: step.number, to: step.age)
        // Until the thread that waits for versions has noticed this one, and sleeps again. This one
        // stays awake, so that only the work is measured.
        let committed = monotonicNanoseconds()
        while monotonicNanoseconds() - committed < Self.pause {}
    }
}

/// The commits, the same for all results that are observed. Each changes what those younger than
/// the limit are, or one of them.
private struct Plan {
    struct Step {
        var number: Int
        var age: Int
        /// What is to be told.
        var changes: IndexesOfChange
    }

    private(set) var oracle: PersonsOracle
    private var generator: SeededGenerator
    private let observed: ChangeSetWorkload.Observed

    init(_ core: CoreCase, _ file: PersonsFile, _ observed: ChangeSetWorkload.Observed) {
        oracle = file.fixture(of: core).oracle()
        generator = SeededGenerator(seed: core.seed &+ 9)
        self.observed = observed
    }

    mutating func next() -> Step {
        let number = generator.next(below: oracle.size)
        let old = oracle.age(of: number) ?? 0
        let isIn = old < ChangeSetWorkload.Observed.limit
        var age = generator.next(below: isIn ? 100 : ChangeSetWorkload.Observed.limit)
        if age == old { age = (age + 1) % 100 }
        let before = observed.position(of: number, in: oracle)
        oracle.setAge(of: number, to: age)
        let after = observed.position(of: number, in: oracle)
        var changes = IndexesOfChange()
        if let before, before == after {
            changes.modifications = [before]
        } else {
            changes.deletions = before.map { [$0] } ?? []
            changes.insertions = after.map { [$0] } ?? []
        }
        return Step(number: number, age: age, changes: changes)
    }
}

private struct IndexesOfChange: Equatable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
}

/// What a handler was told last, and when.
private final class ToldChanges {
    private(set) var calls = 0
    private(set) var time: UInt64 = 0
    private(set) var changes = IndexesOfChange()

    func note() {
        time = monotonicNanoseconds()
        calls += 1
    }

    func note(_ change: RealmCollectionChange<Results<KeyedPerson>>) {
        note()
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
            return
        }
        changes = IndexesOfChange(
            deletions: deletions, insertions: insertions, modifications: modifications)
    }
}

extension CallTimes {
    /// Measures how long `refresh()` takes until it calls the handler. Allocations are those of all
    /// of it.
    fileprivate mutating func measure(_ realm: Realm, _ told: ToldChanges) throws {
        let before = told.calls
        // The allocation counters run inside the region, because entering and leaving a region
        // counts the threads, which allocates.
        let begun = MeasuredRegion.run {
            beginCounting()
            let begun = monotonicNanoseconds()
            realm.refresh()
            endCounting()
            return begun
        }
        guard told.calls == before + 1 else {
            throw BenchmarkError(.caseFailed, "A commit was told \(told.calls - before) times.")
        }
        record(told.time - begun)
    }
}
