/// What an engine asks of the operating system in a measured region, which may be in several parts,
/// and what the region costs the process.
struct IOMeasurement {
    private let engine: any BenchmarkEngine
    private var start: IOCounters
    private(set) var total = IOCounters()
    private(set) var costs = ProcessCosts()

    /// Begins as paused.
    init(_ engine: any BenchmarkEngine) {
        self.engine = engine
        start = engine.counters
    }

    mutating func resume() {
        costs.resume()
        start = engine.counters
    }

    mutating func pause() {
        total.add(engine.counters - start)
        costs.pause()
    }
}

extension CaseResult {
    /// What `commits` transactions cost that wrote `logicalBytes` of values. `pages`: nil where the
    /// engine does not tell.
    mutating func fill(
        _ measured: IOMeasurement, commits: Int, pages: Int?, logicalBytes: Int
    ) {
        measured.costs.fill(&self)
        guard commits > 0 else { return }
        let io = measured.total
        let divisor = Double(commits)
        syncsPerCommit = Double(io.syncs) / divisor
        bytesWrittenPerCommit = Double(io.bytesWritten) / divisor
        pagesWrittenPerCommit = pages.map { Double($0) / divisor }
        if logicalBytes > 0 { writeAmplification = Double(io.bytesWritten) / Double(logicalBytes) }
        measure("commits", divisor)
        writeCallsPerCommit = Double(io.writeCalls) / divisor
    }

    mutating func fill(_ size: StoreSize) {
        fileBytes = size.fileBytes
        liveBytes = size.liveBytes
    }
}
