/// What an engine asks of the operating system in a measured region, which may be in several parts.
struct IOMeasurement {
    private let engine: any BenchmarkEngine
    private var start: IOCounters
    private(set) var total = IOCounters()

    /// Begins as paused.
    init(_ engine: any BenchmarkEngine) {
        self.engine = engine
        start = engine.counters
    }

    mutating func resume() { start = engine.counters }

    mutating func pause() {
        let part = engine.counters - start
        total.syncs += part.syncs
        total.writeCalls += part.writeCalls
        total.bytesWritten += part.bytesWritten
    }
}

extension CaseResult {
    /// What `commits` transactions cost that wrote `logicalBytes` of values. `pages`: nil where the
    /// engine does not tell.
    mutating func fill(_ io: IOCounters, commits: Int, pages: Int?, logicalBytes: Int) {
        guard commits > 0 else { return }
        let divisor = Double(commits)
        syncsPerCommit = Double(io.syncs) / divisor
        bytesWrittenPerCommit = Double(io.bytesWritten) / divisor
        pagesWrittenPerCommit = pages.map { Double($0) / divisor }
        if logicalBytes > 0 { writeAmplification = Double(io.bytesWritten) / Double(logicalBytes) }
        measure("commits", divisor)
        measure("write_calls_per_commit", Double(io.writeCalls) / divisor)
    }

    mutating func fill(_ size: StoreSize) {
        fileBytes = size.fileBytes
        liveBytes = size.liveBytes
    }
}
