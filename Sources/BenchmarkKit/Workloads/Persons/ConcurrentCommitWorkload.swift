import Synchronization
import ToolSupport

/// Many threads that commit one person each, repeatedly, and wait for each other. Measures how an
/// engine handles concurrent durable writers.
enum ConcurrentCommitWorkload {
    static let workload = Workload.core(
        "concurrent-commit", "--threads writers (64), each one person a durable commit",
        needs: [.persons, .severalStores], threads: 64, run
    ).with {
        $0.defaultSize = 1
        $0.options = [.count, .rate, .seconds, .seed, .threads]
        $0.isDeterministic = Workload.ifCounted
    }

    private static func run(_ core: CoreCase) throws -> CaseOutcome {
        // This store keeps the file open until the last writer has ended.
        let store = try core.create(.unkeyed)
        let course = Course(core.options)
        var io = IOMeasurement(core.engine)
        io.resume()
        let measured = try measure(core, course) {
            let own = try core.open(core.databasePath, .unkeyed)
            return { number in
                try own.insert([PersonValues(number: number, seed: core.seed)][...])
            }
        }
        io.pause()
        var result = CaseResult(core.benchmarkCase)
        measured.fill(&result)
        result.fill(
            io, commits: course.committed, pages: nil,
            logicalBytes: course.committed * (String(course.committed).utf8.count + 16))
        try store.refresh()
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        let contents = PersonsOracle(size: course.committed, seed: core.seed).contents()
        if core.options.count != nil { result.digest = contents.digest }
        var results = [result]
        if core.hasBareDisk {
            let control = try control(core, bytes: result.bytesWrittenPerCommit ?? 0)
            if let own = result.throughput, let bare = control.throughput {
                results[0].measure("ratio_to_control", own / bare)
            }
            results.append(control)
        }
        return try CaseOutcome(
            results: results, timeline: measured.timeline,
            histograms: [.latency: measured.latency.distribution],
            verification: core.expectation(contents, .unkeyed))
    }

    /// The state shared by all writers: the next person's number and the end of the run.
    final class Course: Sendable {
        private let limit: Int?
        private let nanoseconds: UInt64
        private let deadline = Atomic<UInt64>(.max)
        private let next = Atomic<Int>(0)
        private let started = Atomic<UInt64>(0)
        private let rate: Double?

        init(_ options: CaseOptions) {
            limit = options.count
            nanoseconds = UInt64(options.seconds * 1e9)
            rate = options.rate
        }

        /// When a number is to be committed; nil in a closed loop.
        func due(_ number: Int) -> UInt64? {
            rate.map { OpenLoop(rate: $0, start: started.load(ordering: .relaxed)).due(number) }
        }

        func begin() -> UInt64 {
            let now = monotonicNanoseconds()
            started.store(now, ordering: .relaxed)
            if limit == nil { deadline.store(now + nanoseconds, ordering: .relaxed) }
            return now
        }

        /// Takes the next number, which the caller must commit; nil at the end of the run.
        func take(at now: UInt64) -> Int? {
            if now >= deadline.load(ordering: .relaxed) { return nil }
            let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
            if let limit, number >= limit { return nil }
            return number
        }

        /// The number of committed persons; valid once all writers have ended.
        var committed: Int {
            let taken = next.load(ordering: .relaxed)
            return limit.map { min($0, taken) } ?? taken
        }

        func fraction(at now: UInt64, since start: UInt64) -> Double {
            limit.map { Double(committed) / Double($0) }
                ?? Double(now - start) / Double(nanoseconds)
        }
    }

    struct Measured {
        fileprivate var seconds: Double
        fileprivate var committed: Int
        var latency = LatencyRecorder()
        fileprivate var intended = LatencyRecorder()
        var timeline: [TimelinePoint]

        func fill(_ result: inout CaseResult) {
            result.batchSize = 1
            result.operations = committed
            result.elapsedSeconds = seconds
            result.interval = ThroughputInterval(ratesOfEqualTimes: RunSampler.rates(of: timeline))
            result.latency = latency.summary()
            if result.offeredRate != nil { result.fill(intended: intended) }
        }
    }

    /// Measures the writers. `prepare` runs in each thread before the start signal and returns the
    /// function that commits one person.
    static func measure(
        _ core: CoreCase, _ course: Course,
        _ prepare: @escaping @Sendable () throws -> (_ number: Int) throws -> Void
    ) throws -> Measured {
        let workers = WorkerThreads<(latency: LatencyRecorder, intended: LatencyRecorder)>(
            count: core.options.threads, name: "writer"
        ) { _, start in
            let commit = try prepare()
            guard start.wait() else { return nil }
            var latency = LatencyRecorder()
            var intended = LatencyRecorder()
            var last = monotonicNanoseconds()
            while let number = course.take(at: last) {
                let due = course.due(number)
                if let due { last = OpenLoop.wait(until: due) }
                try commit(number)
                let now = monotonicNanoseconds()
                latency.record(now - last)
                if let due { intended.record(now - due) }
                last = now
            }
            return (latency, intended)
        }
        workers.waitUntilReady()
        var timeline: [TimelinePoint] = []
        let start = course.begin()
        var end = start
        let latencies = try MeasuredRegion.run {
            let latencies = try workers.run {
                timeline.append(sample(core, course, since: start))
            }
            end = monotonicNanoseconds()
            return latencies
        }
        var measured = Measured(
            seconds: seconds(from: start, to: end), committed: course.committed,
            timeline: timeline)
        for part in latencies {
            measured.latency.add(part.latency)
            measured.intended.add(part.intended)
        }
        return measured
    }

    /// Runs the control: the same number of threads on the bare disk, for the same number of
    /// commits or seconds and with the same bytes for each commit.
    private static func control(_ core: CoreCase, bytes: Double) throws -> CaseResult {
        let groups = try BareGroups(
            directory: core.environment.directory, recordBytes: Int(bytes.rounded()))
        let course = Course(core.options)
        let measured = try measure(core, course) { { _ in try groups.commit() } }
        var result = CaseResult.control(
            core.benchmarkCase.identifier.strategy + "-bare-groups", beside: core.benchmarkCase)
        measured.fill(&result)
        result.syncsPerCommit = Double(groups.groups) / Double(max(1, measured.committed))
        return result
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
