import ToolSupport

/// One run of the workload growth: many small commits, with samples of the file between them.
final class GrowthRun {
    /// The period of bursts: in burst strategies, every 100th commit updates all persons.
    static let burstPeriod = 100
    private static let samples = 200

    private let benchmarkCase: BenchmarkCase
    private let environment: CaseEnvironment
    private let engine: any BenchmarkEngine
    private let path: String
    private let isBurst: Bool
    private let isPinned: Bool
    private let isShrinking: Bool
    private var generator: SeededGenerator
    private var persons: [PersonValues]
    private var latency = LatencyRecorder()
    /// The latencies from when commits were due, in an open loop.
    private var intended = LatencyRecorder()
    private var schedule: OpenLoop?
    private var syncTimes = LatencyRecorder()
    private var io: IOMeasurement
    private var pages = 0
    /// The nanoseconds of the commits, without the samples between them.
    private var elapsed: UInt64 = 0
    private var commits = 0
    /// The number of persons updated.
    private var updates = 0
    private var points: [GrowthPoint] = []
    private var timeline: [TimelinePoint] = []
    private var largestFile = 0

    private var options: CaseOptions { benchmarkCase.options }

    init(_ benchmarkCase: BenchmarkCase, _ environment: CaseEnvironment) throws {
        self.benchmarkCase = benchmarkCase
        self.environment = environment
        engine = try benchmarkCase.engine()
        io = IOMeasurement(engine)
        path = environment.directory + "/growth.realm"
        isBurst = benchmarkCase.identifier.strategy.hasPrefix("burst")
        isPinned = benchmarkCase.identifier.strategy.hasSuffix("-pinned")
        isShrinking = benchmarkCase.identifier.strategy == "shrink"
        generator = SeededGenerator(seed: benchmarkCase.options.seed &+ 1)
        var values = PersonGenerator(seed: benchmarkCase.options.seed)
        persons = (0..<benchmarkCase.identifier.size).map { _ in values.next() }
    }

    func run() throws -> CaseOutcome {
        environment.progress(ProgressUpdate(phase: "preparing"))
        let store = try open()
        for first in stride(from: 0, to: persons.count, by: 1000) {
            try store.insert(persons[first..<min(first + 1000, persons.count)])
        }
        let reader = try isPinned ? makeReader() : nil
        defer { reader?.stop() }
        try sample(store)
        if isShrinking { try deleteMost(store) }
        try commitAll(store)
        if points.last?.commits != commits { try sample(store) }
        var result = CaseResult(benchmarkCase)
        try fill(&result, store)
        var histograms: [HistogramKind: HistogramData] = [
            .latency: latency.distribution, .sync: syncTimes.distribution,
        ]
        if schedule != nil { histograms[.total] = intended.distribution }
        return try CaseOutcome(
            results: [result], timeline: timeline, growth: points, histograms: histograms,
            verification: VerificationRequest(expectation(digest: digest())))
    }

    private func open() throws -> any PersonStore {
        try engine.openPersons(at: path, .integerKey, benchmarkCase.identifier.durability)
    }

    private func makeReader() throws -> PinnedReader {
        let (engine, path) = (engine, path)
        let durability = benchmarkCase.identifier.durability
        return try PinnedReader { try engine.openPersons(at: path, .integerKey, durability) }
    }

    // MARK: Commits

    /// Deletes all but the persons inserted last. Those remain because they occupy the end of the
    /// file, which then has to shrink.
    private func deleteMost(_ store: any PersonStore) throws {
        let count = persons.count / 10 * 9
        try store.delete(numbers: persons.prefix(count).map(\.number))
        persons.removeFirst(count)
    }

    private func commitAll(_ store: any PersonStore) throws {
        let total = UInt64(options.seconds * 1e9)
        let period = total / UInt64(Self.samples)
        let commitsPerSample = max(1, (options.count ?? 0) / Self.samples)
        io.resume()
        defer { io.pause() }
        let began = monotonicNanoseconds()
        schedule = options.rate.map { OpenLoop(rate: $0, start: began) }
        var nextSample = began + period
        while true {
            let now = monotonicNanoseconds()
            let isOver = options.count.map { commits == $0 } ?? (now - began >= total)
            if isOver { return }
            let isDue =
                options.count != nil
                ? commits > 0 && commits % commitsPerSample == 0 : now >= nextSample
            if isDue {
                // The cost of sampling is excluded from the I/O counts.
                io.pause()
                try sample(store)
                io.resume()
                nextSample = now + period
                schedule?.postpone(by: monotonicNanoseconds() - now)
            }
            let due = schedule?.due(commits)
            if let due { OpenLoop.wait(until: due) }
            try MeasuredRegion.run { try commitOne(store, due) }
        }
    }

    private func commitOne(_ store: any PersonStore, _ due: UInt64?) throws {
        let updatesAll = isBurst && (commits + 1) % Self.burstPeriod == 0
        let index = generator.next(below: persons.count)
        let age = generator.next(below: 100)
        let start = monotonicNanoseconds()
        if updatesAll {
            try store.updateAllAges(adding: 1 + age % 99)
        } else {
            try store.updateAge(number: persons[index].number, to: age)
        }
        let end = PlantedDelay.end(of: start)
        latency.record(end - start)
        if let schedule, let due {
            // In an open loop, the time between two commits counts as well.
            elapsed = end - schedule.start
            intended.record(end - due)
        } else {
            elapsed += end - start
        }
        if let cost = store.lastCommit {
            pages += cost.pages
            syncTimes.record(cost.syncNanoseconds)
        }
        commits += 1
        guard updatesAll else {
            updates += 1
            persons[index].age = age
            return
        }
        updates += persons.count
        for each in persons.indices {
            persons[each].age = (persons[each].age + 1 + age % 99) % 100
        }
    }

    private func sample(_ store: any PersonStore) throws {
        let size = try store.size()
        let seconds = Double(elapsed) / 1e9
        var point = GrowthPoint(elapsed: seconds, commits: commits, fileBytes: size.fileBytes)
        point.liveBytes = size.liveBytes
        point.freeBytes = size.freeBytes
        if let observed = engine as? any VersionObserving {
            point.fill(try observed.versions(of: path))
        }
        points.append(point)
        timeline.append(
            TimelinePoint(
                elapsed: seconds, operations: updates, fileBytes: point.fileBytes,
                residentBytes: ProcessStatus.residentBytes()))
        largestFile = max(largestFile, point.fileBytes)
        let fraction =
            options.count.map { Double(commits) / Double($0) }
            ?? seconds / options.seconds
        environment.progress(
            ProgressUpdate(
                phase: "running", fraction: min(1, fraction),
                secondsLeft: fraction > 0
                    ? max(0, seconds * (1 - fraction) / fraction) : nil,
                operationsPerSecond: RunSampler.rates(of: Array(timeline.suffix(2))).last))
    }

    // MARK: Results

    private func fill(_ result: inout CaseResult, _ store: any PersonStore) throws {
        result.operations = updates
        result.elapsedSeconds = Double(elapsed) / 1e9
        // Slices are unequal in time and in count: sampling is excluded from the time, and a burst
        // takes long.
        result.interval = ThroughputInterval(
            slices: RunSampler.slices(of: timeline), seed: options.seed)
        result.latency = latency.summary()
        result.syncP99 = syncTimes.percentile(99)
        if schedule != nil { result.fill(intended: intended) }
        // An age is stored in 8 bytes.
        result.fill(
            io, commits: commits, pages: store.lastCommit == nil ? nil : pages,
            logicalBytes: updates * 8)
        if options.count != nil { result.digest = digest() }
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        let (first, last) = (points[0], points[points.count - 1])
        result.fileBytes = last.fileBytes
        result.liveBytes = last.liveBytes
        result.measure("file_bytes_max", Double(largestFile))
        result.measure("versions_pinned", last.pinnedVersions.map { Double($0) })
        if let live = last.liveBytes, let snapshot = first.liveBytes, !isShrinking {
            result.measure("bytes_over_live_and_snapshot", Double(largestFile - live - snapshot))
        }
        guard commits > 0 else { return }
        result.measure(
            "growth_bytes_per_commit",
            Double(last.fileBytes - first.fileBytes) / Double(commits))
    }

    private func digest() -> String {
        var digest = ResultDigest()
        for person in persons {
            digest.add(ResultDigest.Row(person.name, person.birthdate, person.age))
        }
        return digest.text
    }

    private func expectation(digest: String) -> TableExpectation {
        TableExpectation(
            engine: engine.name, layer: engine.layer,
            durability: benchmarkCase.identifier.durability, layout: .integerKey, path: path,
            rows: persons.count, digest: digest)
    }
}
