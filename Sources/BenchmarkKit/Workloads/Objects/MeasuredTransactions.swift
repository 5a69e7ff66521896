import ToolSupport

/// The measurement of transactions one after the other: the time, writes and allocations of each.
/// The work between two transactions is excluded.
struct MeasuredTransactions {
    private var latency = LatencyRecorder()
    private var rates: [Double] = []
    private var io: IOMeasurement
    private var allocations: AllocationMeasurement
    private var pages: Int? = 0
    private var elapsed: UInt64 = 0
    private(set) var operations = 0
    private var commits = 0

    /// The system calls of the engine so far.
    var calls: IOCounters { io.total }
    var elapsedSeconds: Double { Double(elapsed) / 1e9 }

    init(_ core: CoreCase) {
        io = IOMeasurement(core.engine)
        allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
    }

    /// Measures `transaction`, which writes `count` objects or elements into `store`, or does as
    /// many other operations; `isCommit` is false if it only reads.
    mutating func run(
        _ count: Int, on store: some MeasuredStore, isCommit: Bool = true,
        _ transaction: () throws -> Void
    ) throws {
        allocations.resume()
        io.resume()
        let start = monotonicNanoseconds()
        try MeasuredRegion.run(transaction)
        let taken = max(1, PlantedDelay.end(of: start) - start)
        io.pause()
        allocations.pause()
        elapsed += taken
        operations += count
        if isCommit { commits += 1 }
        latency.record(taken, count: UInt64(count))
        rates.append(Double(count) * 1e9 / Double(taken))
        pages = store.lastCommit.flatMap { cost in pages.map { $0 + cost.pages } }
    }

    /// Returns the row of a case that wrote into `store`, and its histogram. If `logicalBytes` of
    /// values are all that is in the file, the row has the bytes of one object.
    mutating func row(
        of core: CoreCase, _ store: some MeasuredStore, logicalBytes: Int? = nil
    ) throws -> (result: CaseResult, latency: HistogramData) {
        var result = CaseResult(core.benchmarkCase)
        result.batchSize = core.options.batchSize
        result.operations = operations
        result.elapsedSeconds = elapsedSeconds
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        result.fill(allocations.finish(operations: operations))
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        result.fill(io, commits: commits, pages: pages, logicalBytes: logicalBytes ?? 0)
        let size = try store.size()
        result.fill(size)
        guard let logicalBytes else { return (result, latency.distribution) }
        result.measure("file_bytes_per_object", Double(size.fileBytes) / Double(operations))
        result.measure("payload_bytes_per_object", Double(logicalBytes) / Double(operations))
        return (result, latency.distribution)
    }
}
