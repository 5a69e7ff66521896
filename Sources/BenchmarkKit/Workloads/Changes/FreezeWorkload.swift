import RealmSwift
import ToolSupport

/// Objects that are frozen, and of which one property is read.
enum FreezeWorkload {
    static let name = "freeze"
    static let object = "object"
    static let threads = "threads"
    static let readers = "readers"
    static let first = "first"
    static let workload = Workload.persons(
        name, "freezes an object and reads one property of what any thread may read",
        on: .changed, run
    ).with {
        $0.strategies = [
            Workload.Strategy(
                name: object, summary: "one of a thousand live objects, in turn", layer: "api"),
            Workload.Strategy(
                name: threads, summary: "the same by --threads threads, each with its own Realm",
                layer: "api", threads: 2, furtherOptions: [.threads]),
            Workload.Strategy(
                name: readers,
                summary: "frozen once; --threads threads read one property of the same objects",
                layer: "api", threads: 2, furtherOptions: [.threads]),
            Workload.Strategy(
                name: first, summary: "the first one after a commit, which freezes its Realm",
                layer: "api"),
        ]
        $0.strategiesDoTheSameWork = false
        $0.isDeterministic = { ![threads, readers].contains($0.identifier.strategy) }
    }

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        let run = try FreezeRun(core, file)
        return switch core.strategy {
        case object: try run.byOneThread()
        case threads: try run.freezingByThreads()
        case readers: try run.readingByThreads()
        default: try run.afterCommits()
        }
    }
}

private struct FreezeRun {
    static let batchSize = 32
    private static let usualCount = 1_000_000
    private static let usualReads = 10_000_000
    private static let usualCommits = 1000

    private let core: CoreCase
    private let file: PersonsFile
    private let configuration: Realm.Configuration

    init(_ core: CoreCase, _ file: PersonsFile) throws {
        self.core = core
        self.file = file
        configuration = Realm.Configuration(
            path: try file.path(core), core.durability, objectTypes: [KeyedPerson.self])
    }

    func byOneThread() throws -> CaseOutcome {
        core.progress(fraction: 0)
        let batches = max(1, (core.options.count ?? Self.usualCount) / Self.batchSize)
        var live = try LivePersons(core, configuration)
        var timer = BatchTimer(batchSize: Self.batchSize, batches: batches)
        var allocations = AllocationMeasurement(core.environment.allocations)
        timer.beginBatch()
        MeasuredRegion.run {
            for _ in 0..<batches {
                live.runBatch()
                timer.endBatch()
            }
        }
        var result = CaseResult(core.benchmarkCase)
        result.fill(allocations.finish(operations: timer.operations))
        timer.fill(&result)
        try live.prove(timer.operations, file.fixture(of: core).oracle())
        result.digest = ResultDigest.text(of: UInt64(live.sum))
        return CaseOutcome(results: [result], histograms: [.latency: timer.distribution])
    }

    // MARK: Several threads

    /// What one of several threads has measured.
    private struct Part: Sendable {
        var interval: ClockInterval
        var latency = LatencyRecorder()
    }

    func freezingByThreads() throws -> CaseOutcome {
        try byThreads(Self.usualCount) { try LivePersons(core, configuration) }
    }

    func readingByThreads() throws -> CaseOutcome {
        let frozen = FrozenPersons(of: try LivePersons(core, configuration))
        return try byThreads(Self.usualReads) { frozen }
    }

    /// Every thread makes its own reader and reads an equal share of `count`.
    private func byThreads(
        _ count: Int, _ makeReader: @escaping @Sendable () throws -> any PersonReader
    ) throws -> CaseOutcome {
        core.progress(fraction: 0)
        let threads = core.options.threads
        let batches = max(1, (core.options.count ?? count) / threads / Self.batchSize)
        let workers = WorkerThreads<Part>(count: threads, name: "freezer") { _, start in
            try read(batches, with: makeReader(), from: start)
        }
        workers.waitUntilReady()
        let parts = try MeasuredRegion.run { try workers.run() }
        var latency = LatencyRecorder()
        for part in parts { latency.add(part.latency) }
        var result = CaseResult(core.benchmarkCase)
        result.operations = threads * batches * Self.batchSize
        result.elapsedSeconds = ClockInterval.covering(parts.map(\.interval))?.seconds ?? 0
        result.latency = latency.summary()?.divided(by: Double(Self.batchSize))
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        return CaseOutcome(
            results: [result],
            histograms: [.latency: latency.distribution.divided(by: Double(Self.batchSize))])
    }

    /// Reads on the calling thread when all threads begin; returns nil if one of them has failed.
    private func read(
        _ batches: Int, with reader: any PersonReader, from start: WorkerThreads<Part>.Start
    ) throws -> Part? {
        var reader = reader
        guard start.wait() else { return nil }
        let begun = monotonicNanoseconds()
        var part = Part(interval: ClockInterval(start: begun, end: begun))
        for _ in 0..<batches {
            reader.runBatch()
            let now = PlantedDelay.end(of: part.interval.end)
            part.latency.record(now - part.interval.end)
            part.interval.end = now
        }
        try reader.prove(batches * Self.batchSize, file.fixture(of: core).oracle())
        return part
    }

    // MARK: The first of each version

    func afterCommits() throws -> CaseOutcome {
        core.progress(fraction: 0)
        let live = try LivePersons(core, configuration)
        var oracle = file.fixture(of: core).oracle()
        var generator = SeededGenerator(seed: core.seed &+ 7)
        let count = core.options.count ?? Self.usualCommits
        var timer = BatchTimer(batchSize: 1, batches: count)
        var allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
        for index in 0..<count {
            let chosen = generator.next(below: LivePersons.count)
            let age = generator.next(below: 100)
            let person = live.persons[chosen]
            try live.realm.write { person.age = age }
            oracle.setAge(of: live.numbers[chosen], to: age)
            // The allocation counters run inside the region, because entering and leaving a region
            // counts the threads, which allocates.
            let found = MeasuredRegion.run {
                allocations.resume()
                timer.beginBatch()
                let found = person.freeze().age
                timer.endBatch()
                allocations.pause()
                return found
            }
            guard found == age else { throw LivePersons.failure }
            core.progress(fraction: Double(index + 1) / Double(count))
        }
        var result = CaseResult(core.benchmarkCase)
        timer.fill(&result)
        result.fill(allocations.finish(operations: timer.operations))
        try result.fill(file.open(core).size())
        let contents = oracle.contents()
        result.digest = contents.digest
        return try CaseOutcome(
            results: [result], histograms: [.latency: timer.distribution],
            verification: core.expectation(contents, file.layout))
    }
}

/// What reads one property of frozen objects, of the same thousand in each run, in turn.
private protocol PersonReader {
    var numbers: [Int] { get }
    /// The sum of the ages that were read.
    var sum: Int { get }
    mutating func runBatch()
}

extension PersonReader {
    /// Compares the sum after so many reads with that of the values in the file.
    func prove(_ reads: Int, _ oracle: PersonsOracle) throws {
        let ages = numbers.map { oracle.person($0).age }
        let expected = (0..<reads).reduce(0) { $0 + ages[$1 % ages.count] }
        guard sum == expected else { throw LivePersons.failure }
    }
}

/// Live objects of one thread, each of which is frozen before it is read.
private struct LivePersons: PersonReader {
    static let count = 1000

    let realm: Realm
    let numbers: [Int]
    let persons: [KeyedPerson]
    private var next = 0
    /// The sum of the ages that were read from frozen objects.
    private(set) var sum = 0

    /// Finds the objects, and freezes one, whose Realm is from then on there for all.
    init(_ core: CoreCase, _ configuration: Realm.Configuration) throws {
        realm = try Realm(configuration: configuration)
        var generator = SeededGenerator(seed: core.seed)
        numbers = (0..<Self.count).map { _ in generator.next(below: core.size) }
        persons = try numbers.map { [realm] in
            guard let person = realm.object(ofType: KeyedPerson.self, forPrimaryKey: $0) else {
                throw BenchmarkError(.caseFailed, "There is no person with the key \($0).")
            }
            return person
        }
        guard persons[0].freeze().isFrozen else { throw Self.failure }
    }

    mutating func runBatch() {
        for _ in 0..<FreezeRun.batchSize {
            sum += persons[next].freeze().age
            next = next + 1 == persons.count ? 0 : next + 1
        }
    }

    static var failure: BenchmarkError {
        BenchmarkError(.caseFailed, "The frozen objects are not those of the file.")
    }
}

/// Objects that were frozen once, which any number of threads read.
private struct FrozenPersons: PersonReader, @unchecked Sendable {
    // Safe because frozen objects may be read by any thread, and the rest are values.
    private let persons: [KeyedPerson]
    let numbers: [Int]
    private var next = 0
    private(set) var sum = 0

    init(of live: LivePersons) {
        persons = live.persons.map { $0.freeze() }
        numbers = live.numbers
    }

    mutating func runBatch() {
        for _ in 0..<FreezeRun.batchSize {
            sum += persons[next].age
            next = next + 1 == persons.count ? 0 : next + 1
        }
    }
}
