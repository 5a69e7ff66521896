import ToolSupport

/// One run of a user's workload that only reads.
struct OwnReadRun {
    /// The operations before the measurement, from whose time the size of the batches follows.
    private static let warmup = 200
    /// The shortest batch that is timed, against which two reads of the clock are negligible.
    private static let shortestBatchNanoseconds = 20_000.0
    private static let mostOfBatch = 1000

    private let strategy: BenchmarkReadStrategy
    private let file: OwnFile
    private var core: CoreCase { file.core }

    init(_ strategy: BenchmarkReadStrategy, _ file: OwnFile) {
        self.strategy = strategy
        self.file = file
    }

    func run() throws -> CaseOutcome {
        let store = try file.open()
        core.progress(fraction: 0)
        let read = store.reader(strategy)
        let size = try batchSize(read)
        let batches = core.options.count.map { $0 / size }
        var timer = BatchTimer(batchSize: size, batches: batches ?? 0)
        var allocations = AllocationMeasurement(core.environment.allocations)
        var digest = ResultDigest()
        let end = monotonicNanoseconds() + UInt64(core.options.seconds * 1e9)
        timer.beginBatch()
        try MeasuredRegion.run {
            while batches.map({ timer.operations < $0 * size }) ?? (monotonicNanoseconds() < end) {
                for number in timer.operations..<timer.operations + size {
                    try digest.add(answer(number, read))
                }
                timer.endBatch()
            }
        }
        let allocated = allocations.finish(operations: timer.operations)
        var result = CaseResult(core.benchmarkCase)
        timer.fill(&result)
        result.fill(allocated)
        if core.options.count != nil { result.digest = digest.text }
        if !file.isInMemory { result.fill(try store.size()) }
        return CaseOutcome(results: [result], histograms: [.latency: timer.distribution])
    }

    @inline(__always)
    private func answer(
        _ number: Int, _ read: (BenchmarkOperation) throws -> Int
    ) throws -> ResultDigest.Row {
        var row = ResultDigest.Row()
        row.combine(number)
        row.combine(try read(file.operation(number)))
        return row
    }

    /// Returns how many operations are timed at once: as few as take long enough. Of a count, it is
    /// a divisor, so that every strategy does as many.
    private func batchSize(_ read: (BenchmarkOperation) throws -> Int) throws -> Int {
        let warmup = min(Self.warmup, core.options.count ?? Self.warmup)
        let start = monotonicNanoseconds()
        for number in 0..<warmup { _ = try answer(number, read) }
        let each = Double(monotonicNanoseconds() - start) / Double(warmup)
        let candidates = (1...Self.mostOfBatch).filter {
            (core.options.count ?? 0).isMultiple(of: $0)
        }
        return candidates.first { Double($0) * each >= Self.shortestBatchNanoseconds }
            ?? candidates[candidates.count - 1]
    }
}
