import Dispatch
import RealmSwift
import StorageEngine
import ToolSupport

/// An object or a query that one thread makes a reference to, and another thread resolves.
enum ReferenceWorkload {
    static let workload = Workload.persons(
        "thread-safe-reference",
        "a reference is made, passed to another thread and resolved, and a property read there",
        run
    ).with {
        $0.strategies = [
            Workload.Strategy(name: "object", summary: "a reference to an object", layer: "api"),
            Workload.Strategy(
                name: ReferenceRun.results, summary: "a reference to results that have one object",
                layer: "api"),
        ]
        $0.countedOperations = nil
    }

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        try ReferenceRun(core, file).run()
    }
}

private struct ReferenceRun {
    static let results = "results"
    private static let usualCount = 20_000
    private static let longestControl = 5000

    private let core: CoreCase
    private let file: PersonsFile
    private let path: String
    private let realm: Realm
    private let resolver: Resolver

    init(_ core: CoreCase, _ file: PersonsFile) throws {
        self.core = core
        self.file = file
        path = try file.path(core)
        let configuration = Realm.Configuration(
            path: path, core.durability, objectTypes: [KeyedPerson.self])
        realm = try Realm(configuration: configuration)
        resolver = Resolver { try Realm(configuration: configuration) }
    }

    func run() throws -> CaseOutcome {
        let count = core.options.count ?? Self.usualCount
        core.progress(fraction: 0)
        try measure(min(100, count))
        let times = try MeasuredRegion.run { try measure(count) }
        try prove(times.sum, count)
        var result = CaseResult(core.benchmarkCase)
        times.calls.fill(&result)
        result.measure("make_p50_us", times.making.percentile(50))
        result.measure("resolve_p50_us", times.resolving.percentile(50))
        result.fill(StoreSize(try Database.open(path: path, options: .ofCase).statistics()))
        result.digest = ResultDigest.text(of: UInt64(times.sum))
        var control = CaseResult.control(
            "\(core.strategy)-number", beside: core.benchmarkCase)
        var plain = PassingTimes(core)
        for number in 0..<min(count, Self.longestControl) {
            try plain.measure(resolver) { .number(number) }
        }
        plain.calls.fill(&control)
        try resolver.stop()
        return CaseOutcome(
            results: [result, control], histograms: [.latency: times.calls.latency.distribution])
    }

    /// Passes random persons, the same in each call.
    @discardableResult
    private func measure(_ count: Int) throws -> PassingTimes {
        var times = PassingTimes(core)
        var generator = SeededGenerator(seed: core.seed)
        let persons = realm.objects(KeyedPerson.self)
        for _ in 0..<count {
            let number = generator.next(below: core.size)
            if core.strategy == Self.results {
                let found = persons.filter("number == %@", number)
                try times.measure(resolver) { .results(ThreadSafeReference(to: found)) }
            } else if let found = realm.object(ofType: KeyedPerson.self, forPrimaryKey: number) {
                try times.measure(resolver) { .object(ThreadSafeReference(to: found)) }
            }
        }
        return times
    }

    private func prove(_ sum: Int, _ count: Int) throws {
        let oracle = file.fixture(of: core).oracle()
        var generator = SeededGenerator(seed: core.seed)
        var expected = 0
        for _ in 0..<count { expected += oracle.person(generator.next(below: core.size)).age }
        guard sum == expected else {
            throw BenchmarkError(.caseFailed, "The references led to other persons.")
        }
    }
}

/// What one thread passes to another.
private enum Passed: Sendable {
    case object(ThreadSafeReference<KeyedPerson>)
    case results(ThreadSafeReference<Results<KeyedPerson>>)
    /// The control: a value that needs no reference.
    case number(Int)
}

/// A thread with a Realm of its own that resolves what it is given.
private final class Resolver: Sendable {
    /// The value behind what was passed, and when the thread began and ended to find it.
    struct Answer: Sendable {
        var value = 0
        var begun: UInt64 = 0
        var ended: UInt64 = 0
    }

    private let passed = Locked<Passed?>(nil)
    private let answer = Locked<Answer?>(nil)
    private let isPassed = DispatchSemaphore(value: 0)
    private let isAnswered = DispatchSemaphore(value: 0)
    private let thread: BackgroundThread<Void>

    init(_ open: @escaping @Sendable () throws -> Realm) {
        thread = BackgroundThread(name: "resolver") {
            [passed, answer, isPassed, isAnswered] _ in
            // Without an answer, the other thread waits for the error.
            defer { isAnswered.signal() }
            let realm = try open()
            while true {
                isPassed.wait()
                let begun = monotonicNanoseconds()
                let value: Int
                switch passed.withLock({ $0.take() }) {
                case .object(let reference)?: value = realm.resolve(reference)?.age ?? -1
                case .results(let reference)?: value = realm.resolve(reference)?.first?.age ?? -1
                case .number(let number)?: value = number
                case nil: return
                }
                let ended = monotonicNanoseconds()
                answer.withLock { $0 = Answer(value: value, begun: begun, ended: ended) }
                isAnswered.signal()
            }
        }
    }

    func resolve(_ value: Passed) throws -> Answer {
        passed.withLock { $0 = value }
        isPassed.signal()
        isAnswered.wait()
        if let found = answer.withLock({ $0.take() }) { return found }
        try thread.wait()
        throw BenchmarkError(.internalError, "The resolving thread has ended.")
    }

    func stop() throws {
        isPassed.signal()
        try thread.wait()
    }
}

/// The times of values on their way to another thread. Allocations are those of the thread that
/// passes them.
private struct PassingTimes {
    private(set) var calls: CallTimes
    private(set) var making = LatencyRecorder()
    private(set) var resolving = LatencyRecorder()
    private(set) var sum = 0

    init(_ core: CoreCase) { calls = CallTimes(core) }

    mutating func measure(_ resolver: Resolver, _ make: () -> Passed) throws {
        calls.beginCounting()
        let begun = monotonicNanoseconds()
        let passed = make()
        let made = monotonicNanoseconds()
        let answer = try resolver.resolve(passed)
        calls.endCounting()
        calls.record(difference(answer.ended, begun))
        making.record(made - begun)
        resolving.record(answer.ended - answer.begun)
        sum += answer.value
    }
}
