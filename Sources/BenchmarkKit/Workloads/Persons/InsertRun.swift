import RealmSwift
import ToolSupport

/// One bulk insert of the same persons in transactions of the same size for every engine. For the
/// embedded engine, unless it is compared with others, the inserts are interleaved with a control
/// that writes the same bytes without a database.
final class InsertRun {
    /// The number of transactions between two blocks of the control.
    private static let block = 20
    /// The largest number of progress reports and timeline samples of a run, taken after equal
    /// shares of the objects. Reporting makes the runtime instantiate types and thereby changes the
    /// allocations of the measured code; if reports depended on time, so would the counts.
    private static let moments = 100

    private let core: CoreCase
    private let layout: PersonLayout
    private let names: PersonNames
    private let store: any PersonStore
    private var generator: PersonGenerator
    private var batch: [PersonValues] = []
    private let control: BareDisk?
    private var latency = LatencyRecorder()
    /// The latencies from when transactions were due, in an open loop.
    private var intended = LatencyRecorder()
    private var schedule: OpenLoop?
    private var syncTimes = LatencyRecorder()
    private var rates: [Double] = []
    private var shapes: [CommitShape] = []
    private var io: IOMeasurement
    private var pages: Int? = 0
    private var commits = 0
    private var elapsed: UInt64 = 0
    private var timeline: [TimelinePoint] = []

    private var batchSize: Int { core.options.batchSize }

    init(_ core: CoreCase, _ layout: PersonLayout, _ names: PersonNames) throws {
        self.core = core
        self.layout = layout
        self.names = names
        store = try core.create(layout)
        generator = PersonGenerator(seed: core.seed, names: names)
        control = try core.makeInterleavedControl()
        io = IOMeasurement(core.engine)
        batch.reserveCapacity(core.options.batchSize)
        shapes.reserveCapacity(Self.block)
    }

    func run() throws -> CaseOutcome {
        ProcessStatus.resetPeakResidentBytes()
        let allocated = try insertAll()
        let peak = ProcessStatus.peakResidentBytes()
        core.environment.progress(ProgressUpdate(phase: "closing"))
        var result = CaseResult(core.benchmarkCase)
        result.batchSize = batchSize
        result.operations = core.size
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        result.syncP99 = syncTimes.percentile(99)
        result.fill(allocated)
        if schedule != nil { result.fill(intended: intended) }
        result.peakResidentBytes = peak
        if let control, control.elapsedNanoseconds > 0 {
            result.measure(
                "ratio_to_control", Double(control.elapsedNanoseconds) / Double(elapsed))
        }
        let contents = try fill(&result)
        var histograms: [HistogramKind: HistogramData] = [
            .latency: latency.distribution, .sync: syncTimes.distribution,
        ]
        if schedule != nil { histograms[.total] = intended.distribution }
        return try CaseOutcome(
            results: [result] + controlResults(), timeline: timeline, histograms: histograms,
            verification: core.expectation(contents, layout))
    }

    private func fill(_ result: inout CaseResult) throws -> (rows: Int, digest: String) {
        let oracle = PersonsOracle(size: core.size, seed: core.seed, names: names)
        let contents = oracle.contents()
        var logicalBytes = 0
        oracle.forEach { logicalBytes += $0.logicalBytes(layout) }
        result.digest = contents.digest
        result.fill(io, commits: commits, pages: pages, logicalBytes: logicalBytes)
        let size = try store.size()
        result.fill(size)
        result.measure("file_bytes_per_object", Double(size.fileBytes) / Double(core.size))
        result.measure("payload_bytes_per_object", Double(logicalBytes) / Double(core.size))
        return contents
    }

    // MARK: Controls

    private func controlResults() -> [CaseResult] {
        var results: [CaseResult] = []
        if let control {
            let strategy = core.benchmarkCase.identifier.strategy + "-bare-disk"
            results.append(
                control.result(
                    beside: core.benchmarkCase, strategy: strategy, operations: core.size))
        }
        if core.hasControls, schedule == nil, core.engine.layer == .api {
            results.append(constructionResult())
        }
        return results
    }

    /// Runs the control, which creates the same objects without adding them to a Realm.
    private func constructionResult() -> CaseResult {
        let strategy = core.benchmarkCase.identifier.strategy + "-unmanaged"
        var result = CaseResult.control(strategy, beside: core.benchmarkCase)
        generator = PersonGenerator(seed: core.seed, names: names)
        var timer = BatchTimer(batchSize: 1000)
        for _ in 0..<min(1000, max(1, core.size / 1000)) {
            makeBatch(1000)
            timer.beginBatch()
            for values in batch { withExtendedLifetime(object(values)) {} }
            timer.endBatch()
        }
        timer.fill(&result)
        result.peakResidentBytes = nil
        return result
    }

    private func object(_ values: PersonValues) -> Object {
        switch layout {
        case .integerKey: KeyedPerson(values)
        case .stringKey: NamedPerson(values)
        case .indexed: IndexedPerson(values)
        case .indexedNumber: IndexedNumberPerson(values)
        case .unkeyed: Person(values)
        }
    }

    // MARK: Inserting

    private func insertAll() throws -> (allocations: Double, bytes: Double)? {
        var allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
        var inserted = 0
        var nextMoment = 0
        schedule = core.options.rate.map { OpenLoop(rate: $0) }
        while inserted < core.size {
            for _ in 0..<Self.block where inserted < core.size {
                makeBatch(min(batchSize, core.size - inserted))
                // A transaction is due with the first of its persons.
                let due = schedule?.due(inserted)
                if let due { OpenLoop.wait(until: due) }
                allocations.resume()
                io.resume()
                let before = io.total
                try MeasuredRegion.run { try insertBatch(due) }
                io.pause()
                allocations.pause()
                noteCommit(io.total - before)
                inserted += batch.count
            }
            try control?.replay(shapes)
            shapes.removeAll(keepingCapacity: true)
            if inserted >= nextMoment {
                nextMoment = inserted + core.size / Self.moments
                let start = monotonicNanoseconds()
                try sample(inserted)
                schedule?.postpone(by: monotonicNanoseconds() - start)
            }
        }
        return allocations.finish(operations: core.size)
    }

    private func makeBatch(_ count: Int) {
        batch.removeAll(keepingCapacity: true)
        for _ in 0..<count { batch.append(generator.next()) }
    }

    private func insertBatch(_ due: UInt64?) throws {
        let start = monotonicNanoseconds()
        try store.insert(batch[...])
        let end = PlantedDelay.end(of: start)
        let taken = max(1, end - start)
        latency.record(taken, count: UInt64(batch.count))
        commits += 1
        guard let schedule, let due else {
            elapsed += taken
            rates.append(Double(batch.count) * 1e9 / Double(taken))
            return
        }
        // In an open loop, the time between two transactions counts as well.
        let former = elapsed
        elapsed = end - schedule.start
        rates.append(Double(batch.count) * 1e9 / Double(max(1, elapsed - former)))
        intended.record(end - due, count: UInt64(batch.count))
    }

    private func noteCommit(_ cost: IOCounters) {
        if control != nil {
            shapes.append(
                CommitShape(writeCalls: Int(cost.writeCalls), bytes: Int(cost.bytesWritten)))
        }
        guard let told = store.lastCommit else {
            pages = nil
            return
        }
        pages? += told.pages
        syncTimes.record(told.syncNanoseconds)
    }

    private func sample(_ inserted: Int) throws {
        let seconds = Double(elapsed) / 1e9
        timeline.append(
            TimelinePoint(
                elapsed: seconds, operations: inserted, fileBytes: try store.size().fileBytes,
                residentBytes: ProcessStatus.residentBytes()))
        let fraction = Double(inserted) / Double(core.size)
        core.progress(
            fraction: fraction, rate: Double(inserted) / seconds,
            secondsLeft: seconds * (1 - fraction) / fraction)
    }
}

extension Workload {
    /// A bulk insert of persons in durable transactions.
    static func insert(
        _ name: String, _ summary: String, layout: PersonLayout = .unkeyed,
        names: PersonNames = .numbers
    ) -> Workload {
        core(name, summary, needs: [.persons] + layout.features) { core in
            try SystemAllocatorProgram.check(core.benchmarkCase)
            return try InsertRun(core, layout, names).run()
        }.with {
            $0.countIsSize = true
            $0.options.formUnion([.batchSize, .rate])
        }
    }

    /// A bulk insert without a key, with a control for the effect of jemalloc: the work of `api`
    /// with the C library's allocator. Only the embedded engine has the control, since the program
    /// without jemalloc contains no other engine, and it is informative only.
    static let insertWithoutKey = insert(
        "insert", "bulk insert of persons (name, birth date, age), no key"
    ).with {
        $0.strategies.append(
            Strategy(
                name: SystemAllocatorProgram.strategy,
                summary: "api in a program without jemalloc: what the allocator itself changes",
                layer: "api", usesSystemAllocator: true))
        $0.isDeterministic = { $0.identifier.strategy != SystemAllocatorProgram.strategy }
    }
}
