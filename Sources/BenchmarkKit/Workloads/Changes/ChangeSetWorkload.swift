import Foundation
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
        var plan = Plan(core, file, observed)
        let told = ToldChanges()
        let count = core.options.count ?? Self.usualCount
        let times = try measure(count, &plan, told)
        var result = CaseResult(core.benchmarkCase)
        times.fill(&result)
        let moves = try measureMoves(min(count, Self.longestControl), &plan, told)
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
        _ count: Int, _ plan: inout Plan, _ told: ToldChanges
    ) throws -> RefreshTimes {
        let token = observed.results(in: realm).observe { told.note($0) }
        try waitForFirstCall(told)
        var times = RefreshTimes(core, count: count)
        for index in 0..<Self.warmUp + count {
            let expected = plan.next()
            try commit(plan)
            if index == Self.warmUp { times = RefreshTimes(core, count: count) }
            try times.measure(realm, told)
            guard told.changes == expected else {
                throw BenchmarkError(
                    .caseFailed, "\(told.changes) were told, and not \(expected).")
            }
            core.progress(fraction: Double(max(0, index - Self.warmUp)) / Double(count))
        }
        token.invalidate()
        return times
    }

    /// Measures the control: the Realm moves, and its handler is called without a change set.
    private func measureMoves(
        _ count: Int, _ plan: inout Plan, _ told: ToldChanges
    ) throws -> RefreshTimes {
        let token = realm.observe { _, _ in told.note() }
        var times = RefreshTimes(core, count: count)
        for _ in 0..<count {
            _ = plan.next()
            try commit(plan)
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

    private func commit(_ plan: Plan) throws {
        try writer.updateAge(number: plan.number, to: plan.age)
        // Until the thread that waits for versions has noticed this one, and sleeps again.
        Thread.sleep(forTimeInterval: 0.001)
    }
}

/// The commits, the same for all results that are observed. Each changes what those younger than
/// the limit are, or one of them.
private struct Plan {
    private(set) var oracle: PersonsOracle
    private(set) var number = 0
    private(set) var age = 0
    private var generator: SeededGenerator
    private let observed: ChangeSetWorkload.Observed

    init(_ core: CoreCase, _ file: PersonsFile, _ observed: ChangeSetWorkload.Observed) {
        oracle = file.fixture(of: core).oracle()
        generator = SeededGenerator(seed: core.seed &+ 9)
        self.observed = observed
    }

    /// Goes on to the next commit, and returns what is to be told of it.
    mutating func next() -> IndexesOfChange {
        number = generator.next(below: oracle.size)
        let old = oracle.age(of: number) ?? 0
        let isIn = old < ChangeSetWorkload.Observed.limit
        age = generator.next(below: isIn ? 100 : ChangeSetWorkload.Observed.limit)
        if age == old { age = (age + 1) % 100 }
        let before = observed.position(of: number, in: oracle)
        oracle.setAge(of: number, to: age)
        let after = observed.position(of: number, in: oracle)
        if let before, before == after { return IndexesOfChange(modifications: [before]) }
        return IndexesOfChange(
            deletions: before.map { [$0] } ?? [], insertions: after.map { [$0] } ?? [])
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

/// How long `refresh()` takes until it calls the handler. Allocations are those of all of it.
private struct RefreshTimes {
    private(set) var latency = LatencyRecorder()
    private var rates: [Double] = []
    private var elapsed: UInt64 = 0
    private var allocations: AllocationMeasurement

    init(_ core: CoreCase, count: Int) {
        rates.reserveCapacity(count)
        allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
    }

    mutating func measure(_ realm: Realm, _ told: ToldChanges) throws {
        let calls = told.calls
        // The allocation counters run inside the region, because entering and leaving a region
        // counts the threads, which allocates.
        let begun = MeasuredRegion.run {
            allocations.resume()
            let begun = monotonicNanoseconds()
            realm.refresh()
            allocations.pause()
            return begun
        }
        guard told.calls == calls + 1 else {
            throw BenchmarkError(.caseFailed, "A commit was told \(told.calls - calls) times.")
        }
        let taken = max(1, told.time - begun)
        latency.record(taken)
        rates.append(1e9 / Double(taken))
        elapsed += taken
    }

    func fill(_ result: inout CaseResult) {
        result.operations = Int(latency.count)
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        var counted = allocations
        result.fill(counted.finish(operations: result.operations))
    }
}
