/// The system calls of an engine in a measured region, which may consist of several parts, and the
/// costs of the region to the process.
struct IOMeasurement {
    private let engine: any BenchmarkEngine
    private var start: IOCounters
    private(set) var total = IOCounters()
    private(set) var costs = ProcessCosts()

    /// Whether the engine counts its system calls.
    var countsCalls: Bool { engine.countsCalls }

    /// Creates a measurement that is paused.
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

    /// Returns the system calls, with those that `selftest` has planted and this makes.
    func finish(commits: Int) -> IOCounters {
        var finished = total
        finished.plant(commits: commits, engine)
        return finished
    }
}

extension IOCounters {
    /// Makes the writes that `selftest` has planted, and counts them.
    mutating func plant(commits: Int, _ engine: any BenchmarkEngine) {
        guard PlantedCost.current == .write else { return }
        let start = engine.counters
        PlantedCost.write(commits: commits)
        add(engine.counters - start)
    }
}

extension CaseResult {
    /// Fills in the costs of `commits` transactions that wrote `logicalBytes` of values. `pages` is
    /// nil if the engine does not report them.
    mutating func fill(
        _ measured: IOMeasurement, commits: Int, pages: Int?, logicalBytes: Int
    ) {
        measured.costs.fill(&self)
        guard commits > 0 else { return }
        measure("commits", Double(commits))
        guard measured.countsCalls else { return }
        let io = measured.finish(commits: commits)
        let pages = pages.map { $0 + PlantedCost.pages(commits: commits) }
        let divisor = Double(commits)
        syncsPerCommit = Double(io.syncs) / divisor
        bytesWrittenPerCommit = Double(io.bytesWritten) / divisor
        pagesWrittenPerCommit = pages.map { Double($0) / divisor }
        if logicalBytes > 0 { writeAmplification = Double(io.bytesWritten) / Double(logicalBytes) }
        writeCallsPerCommit = Double(io.writeCalls) / divisor
    }

    mutating func fill(_ size: StoreSize) {
        fileBytes = size.fileBytes
        liveBytes = size.liveBytes
    }
}
