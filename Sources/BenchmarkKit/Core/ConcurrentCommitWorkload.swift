import Synchronization

/// Many threads that commit one person each, over and over, so that they wait for each other: what
/// an engine makes of concurrent durable writers.
enum ConcurrentCommitWorkload: CoreWorkload {
    static let name = "concurrent-commit"
    static let summary = "--threads writers (64), each one person a durable commit"
    static let features: [EngineFeature] = [.persons]
    static let defaultSize = 1
    static func defaultThreads(of strategy: String) -> Int { 64 }
    static func isDeterministic(_ benchmarkCase: BenchmarkCase) -> Bool {
        benchmarkCase.options.count != nil
    }

    static func run(_ benchmarkCase: BenchmarkCase, in environment: CaseEnvironment) throws
        -> CaseOutcome
    {
        let core = try CoreCase(benchmarkCase, environment)
        // Stays open, so that the file does until the last has written.
        let store = try core.create(.unkeyed)
        let course = Course(limit: core.options.count, seconds: core.options.seconds)
        let workers = WorkerThreads<LatencyRecorder>(
            count: core.options.threads, name: "writer"
        ) { _, start in
            let own = try core.open(core.databasePath, .unkeyed)
            guard start.wait() else { return nil }
            return try write(own, course, core.seed)
        }
        workers.waitUntilReady()
        var io = IOMeasurement(core.engine)
        var timeline: [TimelinePoint] = []
        io.resume()
        let start = course.begin()
        var end = start
        let latencies = try MeasuredRegion.run {
            let latencies = try workers.run {
                timeline.append(sample(core, course, since: start))
            }
            end = monotonicNanoseconds()
            return latencies
        }
        io.pause()
        var result = CaseResult(benchmarkCase)
        result.batchSize = 1
        result.operations = course.committed
        result.elapsedSeconds = seconds(from: start, to: end)
        result.interval = ThroughputInterval(ratesOfEqualTimes: RunSampler.rates(of: timeline))
        var latency = LatencyRecorder()
        for part in latencies { latency.add(part) }
        result.latency = latency.summary()
        result.fill(
            io, commits: course.committed, pages: nil,
            logicalBytes: course.committed * (String(course.committed).utf8.count + 16))
        try store.refresh()
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        let contents = PersonsOracle(size: course.committed, seed: core.seed).contents()
        if core.options.count != nil { result.digest = contents.digest }
        return CaseOutcome(
            results: [result], timeline: timeline,
            histograms: [.latency: latency.distribution],
            verification: core.expectation(contents, .unkeyed))
    }

    /// What all writers share: whose turn which person is, and when it is enough.
    private final class Course: Sendable {
        private let limit: Int?
        private let nanoseconds: UInt64
        private let deadline = Atomic<UInt64>(.max)
        private let next = Atomic<Int>(0)

        init(limit: Int?, seconds: Double) {
            self.limit = limit
            nanoseconds = UInt64(seconds * 1e9)
        }

        func begin() -> UInt64 {
            let now = monotonicNanoseconds()
            if limit == nil { deadline.store(now + nanoseconds, ordering: .relaxed) }
            return now
        }

        /// Whoever takes a number must commit that person.
        func take(at now: UInt64) -> Int? {
            if now >= deadline.load(ordering: .relaxed) { return nil }
            let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
            if let limit, number >= limit { return nil }
            return number
        }

        /// Once all writers have ended.
        var committed: Int {
            let taken = next.load(ordering: .relaxed)
            return limit.map { min($0, taken) } ?? taken
        }

        func fraction(at now: UInt64, since start: UInt64) -> Double {
            limit.map { Double(committed) / Double($0) }
                ?? Double(now - start) / Double(nanoseconds)
        }
    }

    private static func write(_ store: any PersonStore, _ course: Course, _ seed: UInt64) throws
        -> LatencyRecorder
    {
        var latency = LatencyRecorder()
        var last = monotonicNanoseconds()
        var person: [PersonValues] = []
        while let number = course.take(at: last) {
            person = [PersonValues(number: number, seed: seed)]
            try store.insert(person[...])
            let now = monotonicNanoseconds()
            latency.record(now - last)
            last = now
        }
        return latency
    }

    private static func sample(_ core: CoreCase, _ course: Course, since start: UInt64)
        -> TimelinePoint
    {
        let now = monotonicNanoseconds()
        core.progress(
            fraction: course.fraction(at: now, since: start),
            rate: Double(course.committed) / seconds(from: start, to: now))
        return TimelinePoint(
            elapsed: seconds(from: start, to: now), operations: course.committed,
            fileBytes: FolderFiles.diskBytes(below: core.databaseFolder),
            residentBytes: ProcessStatus.residentBytes())
    }
}
