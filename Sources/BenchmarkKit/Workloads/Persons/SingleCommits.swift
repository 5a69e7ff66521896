import ToolSupport

/// Small transactions one after the other, each durable before the next. For the embedded engine,
/// unless it is compared with others, they are interleaved with a control that writes the same
/// bytes without a database.
final class SingleCommits {
    /// The number of commits between two blocks of the control, and of the warm-up.
    static let block = 200

    private let core: CoreCase
    private let store: any MeasuredStore
    private let control: BareDisk?
    private var latency = LatencyRecorder()
    /// The latencies from when commits were due, in an open loop.
    private var intended = LatencyRecorder()
    private var schedule: OpenLoop?
    private var syncTimes = LatencyRecorder()
    private var rates: [Double] = []
    private var shapes: [CommitShape] = []
    private var io: IOMeasurement
    /// The counters after the last commit.
    private var counted = IOCounters()
    private var pages: Int? = 0
    private var elapsed: UInt64 = 0
    private var operations = 0
    private var allocated: (allocations: Double, bytes: Double)?
    /// The number of commits so far, including those of the warm-up.
    private(set) var performed = 0

    init(_ core: CoreCase, _ store: any MeasuredStore) throws {
        self.core = core
        self.store = store
        control = try core.makeInterleavedControl()
        io = IOMeasurement(core.engine)
        shapes.reserveCapacity(Self.block)
    }

    /// Runs the requested number of commits or seconds. `commit` receives the index of the
    /// transaction, counted from the warm-up on.
    func run(_ commit: (_ index: Int) throws -> Void) throws {
        for _ in 0..<min(Self.block, core.options.count ?? Self.block) {
            try commit(performed)
            performed += 1
        }
        var allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
        schedule = core.options.rate.map { OpenLoop(rate: $0) }
        while Double(elapsed) / 1e9 < core.options.seconds || core.options.count != nil {
            let left = (core.options.count ?? .max) - operations
            if left <= 0 { break }
            allocations.resume()
            try MeasuredRegion.run { try runBlock(min(Self.block, left), commit) }
            allocations.pause()
            try control?.replay(shapes)
            shapes.removeAll(keepingCapacity: true)
            reportProgress()
        }
        allocated = allocations.finish(operations: operations)
    }

    private func runBlock(_ count: Int, _ commit: (Int) throws -> Void) throws {
        io.resume()
        counted = core.engine.counters
        // In an open loop, the time since the commit before counts as well: what is due goes on.
        let start = schedule.map { $0.start + elapsed } ?? monotonicNanoseconds()
        var last = start
        for index in 0..<count {
            let due = schedule?.due(operations + index)
            if let due { last = OpenLoop.wait(until: due) }
            try commit(performed)
            performed += 1
            let now = PlantedDelay.end(of: last)
            latency.record(now - last)
            if let due { intended.record(now - due) }
            last = now
            note()
        }
        io.pause()
        elapsed += last - start
        operations += count
        rates.append(Double(count) / seconds(from: start, to: last))
    }

    private func note() {
        if control != nil { noteShape() }
        guard let told = store.lastCommit else {
            pages = nil
            return
        }
        pages? += told.pages
        syncTimes.record(told.syncNanoseconds)
    }

    /// Records the shape of the last commit for the control, which replays each commit. Only the
    /// embedded engine has a control, and its counters are cheap to read.
    private func noteShape() {
        let now = core.engine.counters
        let cost = now - counted
        counted = now
        shapes.append(
            CommitShape(writeCalls: Int(cost.writeCalls), bytes: Int(cost.bytesWritten)))
    }

    private func reportProgress() {
        let done = Double(elapsed) / 1e9
        let fraction =
            core.options.count.map { Double(operations) / Double($0) }
            ?? done / core.options.seconds
        // The blocks of the control take about as long as the commits.
        let share = control == nil ? 1.0 : 2.0
        core.progress(
            fraction: fraction, rate: rates.last,
            secondsLeft: fraction > 0 ? max(0, done * share * (1 - fraction) / fraction) : nil)
    }

    var histograms: [HistogramKind: HistogramData] {
        var histograms: [HistogramKind: HistogramData] = [
            .latency: latency.distribution, .sync: syncTimes.distribution,
        ]
        if schedule != nil { histograms[.total] = intended.distribution }
        return histograms
    }

    /// Returns the row and its control; `logicalBytes` is the average number of bytes of the values
    /// in one commit, if it is known.
    func results(logicalBytes: Double?) throws -> [CaseResult] {
        var result = CaseResult(core.benchmarkCase)
        result.batchSize = 1
        result.operations = operations
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        result.syncP99 = syncTimes.percentile(99)
        result.fill(allocated)
        result.fill(
            io, commits: operations, pages: pages,
            logicalBytes: logicalBytes.map { Int(Double(operations) * $0) } ?? 0)
        result.measure("sync_p50_us", syncTimes.percentile(50))
        if schedule != nil { result.fill(intended: intended) }
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        guard let control else { return [result] }
        let bare = control.result(
            beside: core.benchmarkCase,
            strategy: core.benchmarkCase.identifier.strategy + "-bare-disk")
        if let own = result.throughput, let rate = bare.throughput {
            result.measure("ratio_to_control", own / rate)
        }
        return [result, bare]
    }
}
