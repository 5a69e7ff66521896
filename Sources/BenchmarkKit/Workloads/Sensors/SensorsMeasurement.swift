import ToolSupport

/// The measurements of a run of the sensors, in one process or in several.
struct SensorsMeasurement {
    var state: WriteRecorder.State
    var counted = IOCounters()
    var costs = ProcessCosts()
    var elapsedNanoseconds: UInt64 = 0
    /// The operations a second of each slice.
    var rates: [Double] = []
    var produced: [SensorAccount] = []
    var timeline: [TimelinePoint] = []
    /// The threads of the writing process, or their sum over several processes.
    var threadsMax: Int?
    var peakResidentBytes = 0
    var batchSize = 1
}

extension SensorsSetup {
    /// Returns the row of a run and its expectation. Requires that `store` is still open.
    func outcome(_ measured: SensorsMeasurement, _ store: any SensorStore) throws -> CaseOutcome {
        if let failure = measured.state.failure { throw BenchmarkError(.caseFailed, failure) }
        var result = CaseResult(benchmarkCase)
        result.batchSize = measured.batchSize
        result.operations = measured.state.operations
        result.elapsedSeconds = Double(measured.elapsedNanoseconds) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualTimes: measured.rates)
        result.threadsMax = measured.threadsMax
        measured.costs.fill(&result)
        fillTimes(&result, measured.state)
        fillWrites(&result, measured)
        try fillSpace(&result, measured, store)
        if options.count != nil, options.warmup == 0 {
            result.digest = SensorsExpectation.digest(feed.sensors, measured.produced).text
        }
        result.peakResidentBytes = measured.peakResidentBytes
        var outcome = CaseOutcome(
            results: [result], timeline: measured.timeline,
            histograms: measured.state.histograms)
        outcome.verification = try VerificationRequest(
            try SensorsExpectation(
                benchmarkCase, path: path, sensors: feed.sensors, produced: measured.produced,
                history: measured.state.history))
        return outcome
    }

    private func fillTimes(_ result: inout CaseResult, _ state: WriteRecorder.State) {
        result.latency = state.latency.summary()
        result.queueWaitP99 = state.queueWait.percentile(99)
        result.lockWaitP99 = state.lockWait.percentile(99)
        result.syncP99 = state.sync.percentile(99)
        result.measure("queue_wait_p50_us", state.queueWait.percentile(50))
        result.measure("total_p50_us", state.total.percentile(50))
        result.measure("total_p99_us", state.total.percentile(99))
        // In an open loop, readings were submitted when they were due.
        if options.rate != nil { result.fill(intended: state.total) }
        result.measure("lock_wait_p50_us", state.lockWait.percentile(50))
        result.measure("work_p50_us", state.work.percentile(50))
        result.measure("work_p99_us", state.work.percentile(99))
        result.measure("commit_p50_us", state.commit.percentile(50))
        result.measure("commit_p99_us", state.commit.percentile(99))
        result.measure("sync_p50_us", state.sync.percentile(50))
        result.measure("asking_p50_us", state.asking.percentile(50))
        result.measure("asking_p99_us", state.asking.percentile(99))
        result.measure("commits", Double(state.commits))
        result.measure("total_writes", Double(state.committed))
        result.allocationsPerOperation = state.allocations?.count
        result.allocatedBytesPerOperation = state.allocations?.bytes
    }

    private func fillWrites(_ result: inout CaseResult, _ measured: SensorsMeasurement) {
        let state = measured.state
        if state.toldCommits > 0 {
            let planted = PlantedCost.pages(commits: state.toldCommits)
            result.pagesWrittenPerCommit =
                Double(state.pages + planted) / Double(state.toldCommits)
        }
        guard state.commits > 0, state.operations > 0 else { return }
        let commits = Double(state.commits)
        var counted = measured.counted
        counted.plant(commits: state.commits, engine)
        result.syncsPerCommit = Double(counted.syncs) / commits
        result.bytesWrittenPerCommit = Double(counted.bytesWritten) / commits
        result.writeCallsPerCommit = Double(counted.writeCalls) / commits
        // The logical bytes are sequence number, date and value, of 8 bytes each, and the payload.
        let logical = Double(state.operations * (3 * 8 + options.payload))
        result.writeAmplification = Double(counted.bytesWritten) / logical
    }

    private func fillSpace(
        _ result: inout CaseResult, _ measured: SensorsMeasurement, _ store: any SensorStore
    ) throws {
        let size = try store.size()
        result.fileBytes = size.fileBytes
        result.liveBytes = size.liveBytes
        result.measure("versions_pinned", Double(try store.pinnedVersions()))
        result.measure("file_bytes_max", measured.timeline.map(\.fileBytes).max().map(Double.init))
        let persisted = measured.produced.reduce(0) {
            $0 + min($1.written, SensorAccount.capacity)
        }
        result.measure("objects_persisted", Double(persisted))
        if persisted > 0 {
            result.measure("file_bytes_per_object", Double(size.fileBytes) / Double(persisted))
        }
    }
}
