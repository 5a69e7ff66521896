import Synchronization
import ToolSupport

/// Readers that look up persons while a writer commits. Measures how much each slows the other.
enum ReadWhileWritingWorkload {
    static let workload = Workload.persons(
        "read-while-writing",
        "--threads readers (2) look up by integer key while one writer commits",
        needs: [.updates, .severalStores], on: .changed, threads: 2, run
    ).with {
        $0.options.formUnion([.seconds, .threads])
        $0.isDeterministic = Workload.never
    }

    /// The number of lookups after which a reader moves to the newest version.
    private static let batchSize = 32

    private static func run(_ core: CoreCase, _ file: PersonsFile) throws -> CaseOutcome {
        let path = try file.path(core)
        // This store keeps the file open.
        let store = try core.open(path, file.layout)
        let course = Course(readers: core.options.threads, lookups: core.options.count)
        // The last worker writes, the others read.
        let workers = WorkerThreads<Part>(count: core.options.threads + 1, name: "worker") {
            number, start in
            let own = try core.open(path, file.layout)
            guard start.wait() else { return nil }
            return number == core.options.threads
                ? try write(own, core, course) : try read(own, core, course, reader: number)
        }
        workers.waitUntilReady()
        var timeline: [TimelinePoint] = []
        let start = monotonicNanoseconds()
        let parts = try MeasuredRegion.run {
            try workers.run {
                timeline.append(sample(core, course, since: start))
                // With `--count` the readers end by themselves.
                let elapsed = seconds(from: start, to: monotonicNanoseconds())
                let isTimeUp = core.options.count == nil && elapsed >= core.options.seconds
                if isTimeUp || workers.hasFailed { course.stop() }
            }
        }
        let written = parts[core.options.threads]
        var result = CaseResult(core.benchmarkCase)
        fill(&result, with: Array(parts.dropLast()))
        result.interval = ThroughputInterval(ratesOfEqualTimes: RunSampler.rates(of: timeline))
        result.measure("writer_commits_per_s", written.rate)
        result.measure("writer_p50_us", written.latency.percentile(50))
        result.measure("writer_p99_us", written.latency.percentile(99))
        result.measure("commits", Double(written.operations))
        try store.refresh()
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        var oracle = file.fixture(of: core).oracle()
        var updates = RandomUpdates(size: core.size, seed: core.seed)
        for _ in 0..<written.operations {
            let update = updates.next()
            oracle.setAge(of: update.number, to: update.age)
        }
        return try CaseOutcome(
            results: [result], timeline: timeline,
            verification: core.expectation(oracle.contents(), file.layout))
    }

    /// Fills in what the readers did, all of them in the time that they have in common.
    static func fill(_ result: inout CaseResult, with readers: [Part]) {
        var latency = LatencyRecorder()
        for reader in readers { latency.add(reader.latency) }
        result.operations = readers.reduce(0) { $0 + $1.operations }
        result.elapsedSeconds = ClockInterval.covering(readers.map(\.interval))?.seconds ?? 0
        result.latency = latency.summary()?.divided(by: Double(batchSize))
    }

    /// The measurements of one thread.
    struct Part: Sendable {
        var operations = 0
        var interval: ClockInterval
        var latency = LatencyRecorder()

        /// Begins now.
        init() {
            let now = monotonicNanoseconds()
            interval = ClockInterval(start: now, end: now)
        }

        /// Notes so many operations that took from the last ones until now.
        mutating func note(_ count: Int) {
            let now = monotonicNanoseconds()
            latency.record(now - interval.end)
            interval.end = now
            operations += count
        }

        var rate: Double { operations == 0 ? 0 : Double(operations) / interval.seconds }
    }

    /// The state shared by all threads.
    private final class Course: Sendable {
        let lookupsPerReader: Int?
        private let readersLeft: Atomic<Int>
        private let isStopped = Atomic<Bool>(false)
        private let lookups = Atomic<Int>(0)

        init(readers: Int, lookups: Int?) {
            readersLeft = Atomic(readers)
            lookupsPerReader = lookups.map { max(batchSize, $0 / readers) }
        }

        /// Notes the end of a reader; the writer continues until the last reader has ended.
        func readerEnded() {
            if readersLeft.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { stop() }
        }

        func stop() { isStopped.store(true, ordering: .relaxed) }
        var mayGoOn: Bool { !isStopped.load(ordering: .relaxed) }
        func note(_ count: Int) { lookups.wrappingAdd(count, ordering: .relaxed) }
        var done: Int { lookups.load(ordering: .relaxed) }
    }

    private static func read(
        _ store: any PersonStore, _ core: CoreCase, _ course: Course, reader: Int
    ) throws -> Part {
        defer { course.readerEnded() }
        var generator = SeededGenerator(seed: core.seed &+ 100 &+ UInt64(reader))
        var part = Part()
        while course.mayGoOn && part.operations < course.lookupsPerReader ?? .max {
            try store.refresh()
            for _ in 0..<batchSize {
                let key = generator.next(below: core.size)
                guard let found = try store.person(number: key), (0..<100).contains(found.age)
                else {
                    throw BenchmarkError(.caseFailed, "There is no person with the key \(key).")
                }
            }
            part.note(batchSize)
            course.note(batchSize)
        }
        return part
    }

    private static func write(_ store: any PersonStore, _ core: CoreCase, _ course: Course) throws
        -> Part
    {
        var updates = RandomUpdates(size: core.size, seed: core.seed)
        var part = Part()
        while course.mayGoOn {
            let update = updates.next()
            try store.updateAge(number: update.number, to: update.age)
            part.note(1)
        }
        return part
    }

    private static func sample(_ core: CoreCase, _ course: Course, since start: UInt64)
        -> TimelinePoint
    {
        let elapsed = seconds(from: start, to: monotonicNanoseconds())
        let fraction =
            core.options.count.map { Double(course.done) / Double($0) }
            ?? elapsed / core.options.seconds
        core.progress(fraction: fraction, rate: Double(course.done) / elapsed)
        return TimelinePoint(
            elapsed: elapsed, operations: course.done,
            fileBytes: FolderFiles.diskBytes(below: core.databaseFolder),
            residentBytes: ProcessStatus.residentBytes())
    }
}
