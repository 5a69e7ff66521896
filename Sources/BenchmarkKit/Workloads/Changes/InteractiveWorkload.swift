import Foundation
import RealmSwift
import StorageEngine
import ToolSupport

/// A main thread that has to answer every 16 ms while another thread writes, and results are
/// observed.
enum InteractiveWorkload {
    static let name = "interactive"
    static let results = "results"
    static let workload = Workload.persons(
        name,
        "a main thread that answers every 16 ms while another writes and 20 results are observed",
        needs: [.updates, .observers], on: .changed, run
    ).with {
        $0.strategies = [
            Workload.Strategy(
                name: results, summary: "20 results of four kinds, of which a screen is read",
                layer: "api")
        ]
        $0.defaultSize = 100_000
        $0.options.formUnion([.seconds, .batchSize])
        $0.isDeterministic = Workload.never
    }

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        try CallerRunLoop.run { try InteractiveRun(core, file).run() }
    }
}

private struct InteractiveRun {
    /// When the main thread has to answer: 60 times a second, as a screen is drawn.
    private static let interval: UInt64 = 16_000_000

    private let core: CoreCase
    private let file: PersonsFile

    init(_ core: CoreCase, _ file: PersonsFile) {
        self.core = core
        self.file = file
    }

    private var duration: UInt64 {
        core.options.count.map { UInt64($0) * Self.interval }
            ?? UInt64(core.options.seconds * 1e9)
    }

    func run() throws -> CaseOutcome {
        core.progress(fraction: 0)
        let screen = try ObservedScreen(file.path(core), core.durability)
        let start = monotonicNanoseconds()
        while screen.calls < ObservedScreen.results {
            guard seconds(from: start, to: monotonicNanoseconds()) < 60 else {
                throw BenchmarkError(.caseFailed, "The observers were not called.")
            }
            CallerRunLoop.turn(seconds: 0.01)
        }
        var oracle = file.fixture(of: core).oracle()
        let calls = screen.calls
        let (answers, written) = try answer(for: duration, firstBatch: 0)
        var result = CaseResult(core.benchmarkCase)
        answers.fill(&result)
        result.batchSize = core.options.batchSize
        result.measure("calls", Double(screen.calls - calls))
        result.measure("batches_per_s", Double(written) / result.elapsedSeconds)
        try screen.prove()
        screen.close()
        // The control: the same, and nothing is observed.
        let (unobserved, more) = try answer(
            for: max(1_000_000_000, duration / 4), firstBatch: written)
        var control = CaseResult.control(
            "\(core.strategy)-unobserved", beside: core.benchmarkCase)
        unobserved.fill(&control)
        control.measure("batches_per_s", Double(more) / control.elapsedSeconds)
        var plan = BatchPlan(core)
        for _ in 0..<written + more {
            let batch = plan.next()
            for number in batch.numbers { oracle.setAge(of: number, to: batch.age) }
        }
        try result.fill(file.open(core).size())
        return try CaseOutcome(
            results: [result, control], histograms: [.latency: answers.latency.distribution],
            verification: core.expectation(oracle.contents(), file.layout))
    }

    /// Answers on this thread while another writes. Returns how many batches that one has written.
    private func answer(
        for duration: UInt64, firstBatch: Int
    ) throws -> (AnsweringTimes, batches: Int) {
        let writer = BackgroundThread(name: "writer") { [core, file] isStopped in
            let store = try file.open(core)
            var plan = BatchPlan(core)
            for _ in 0..<firstBatch { _ = plan.next() }
            var written = 0
            while !isStopped() {
                let batch = plan.next()
                try store.setAges(of: batch.numbers, to: batch.age)
                written += 1
            }
            return written
        }
        var times = AnsweringTimes()
        let busy = BusyTimes()
        MeasuredRegion.run {
            let start = monotonicNanoseconds()
            var due = start + Self.interval
            var now = start
            while now - start < duration, !writer.isDone {
                CallerRunLoop.turn(seconds: due > now ? seconds(from: now, to: due) : 0)
                now = monotonicNanoseconds()
                guard due <= now else { continue }
                while due <= now {
                    times.answer(now - due, isLate: now - due > Self.interval)
                    due += Self.interval
                }
                core.progress(fraction: Double(now - start) / Double(duration))
            }
            times.elapsed = now - start
        }
        times.busy = busy.stop()
        return (times, try writer.finish())
    }
}

/// The transactions of the writer, the same in every run.
private struct BatchPlan {
    private var generator: SeededGenerator
    private let size: Int
    private let count: Int

    init(_ core: CoreCase) {
        generator = SeededGenerator(seed: core.seed &+ 6)
        size = core.size
        count = min(core.options.batchSize, core.size)
    }

    mutating func next() -> (numbers: Range<Int>, age: Int) {
        let first = generator.next(below: size - count + 1)
        return (first..<first + count, generator.next(below: 100))
    }
}

/// How late a thread answers, and for how long it is busy at a time.
private struct AnsweringTimes {
    private(set) var latency = LatencyRecorder()
    private var late = 0
    var busy = LatencyRecorder()
    var elapsed: UInt64 = 0

    mutating func answer(_ lateness: UInt64, isLate: Bool) {
        latency.record(lateness)
        if isLate { late += 1 }
    }

    func fill(_ result: inout CaseResult) {
        result.operations = Int(latency.count)
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.latency = latency.summary()
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        result.measure("late_answers", Double(late))
        result.measure("pause_p50_us", busy.percentile(50))
        result.measure("pause_p99_us", busy.percentile(99))
        result.measure("pause_max_us", busy.summary()?.max)
    }
}

/// Results of four kinds that the caller's thread observes. Each handler reads as much as a screen
/// shows.
private final class ObservedScreen {
    static let results = 20
    private static let rows = 20

    private let realm: Realm
    private var observed: [Results<KeyedPerson>] = []
    private var tokens: [NotificationToken] = []
    private(set) var calls = 0
    /// A checksum of what was read, so that it is read.
    private var sum = 0

    init(_ path: String, _ durability: BenchmarkKit.Durability) throws {
        realm = try Realm(
            configuration: Realm.Configuration(
                path: path, durability, objectTypes: [KeyedPerson.self]))
        let persons = realm.objects(KeyedPerson.self)
        for number in 0..<Self.results {
            let limit = 20 + number
            let results =
                switch number % 4 {
                case 0: persons
                case 1: persons.filter("age < %@", limit)
                case 2: persons.filter("age < %@", limit).sorted(byKeyPath: "birthdate")
                default:
                    persons.filter("name BEGINSWITH %@", "\(number / 4 + 1)")
                        .sorted(byKeyPath: "age")
                }
            observed.append(results)
            tokens.append(
                results.observe { [unowned self] change in
                    calls += 1
                    switch change {
                    case .initial(let persons), .update(let persons, _, _, _): show(persons)
                    case .error: break
                    }
                })
        }
    }

    private func show(_ persons: Results<KeyedPerson>) {
        for person in persons.prefix(Self.rows) { sum &+= person.name.byteSum &+ person.age }
    }

    /// Compares what the results show with queries that are made anew.
    func prove() throws {
        for (number, results) in observed.enumerated() where number % 4 == 1 {
            let ages = results.map(\.age)
            let limit = 20 + number
            let matching = realm.objects(KeyedPerson.self).filter("age < %@", limit).count
            guard ages.count == matching, ages.allSatisfy({ $0 < limit }) else {
                throw BenchmarkError(.caseFailed, "The observed results are not those of a query.")
            }
        }
    }

    func close() {
        tokens = []
        observed = []
        realm.invalidate()
    }
}
