import Foundation
import RealmSwift
import StorageEngine

/// One run of one strategy: sets up the file, drives the producers, measures.
final class SensorsRun {
    /// Operations of a strategy before its control row gets its turn.
    private static let controlBlock = 200

    private let benchmarkCase: BenchmarkCase
    private let options: CaseOptions
    private let caseEnvironment: CaseEnvironment
    private let path: String
    private let configuration: Realm.Configuration
    private let feed: ReadingFeed
    private let recorder: WriteRecorder
    private let gate: InFlightGate
    private let strategy: any WriterStrategy
    private let strategyType: any WriterStrategy.Type

    /// Nanoseconds of the strategy's own turns, and the rates of these.
    private var elapsedNanoseconds: UInt64 = 0
    private var blockRates: [Double] = []
    private var control: BareDisk?

    init(
        _ benchmarkCase: BenchmarkCase, _ type: any WriterStrategy.Type,
        _ environment: CaseEnvironment
    ) throws {
        self.benchmarkCase = benchmarkCase
        options = benchmarkCase.options
        caseEnvironment = environment
        strategyType = type
        path = environment.directory + "/sensors.realm"
        configuration = sensorsConfiguration(path: path)
        feed = ReadingFeed(
            source: try SensorsWorkload.source(of: options), sensors: options.sensors,
            payloadBytes: options.payload, seed: options.seed, limit: options.count)
        let hasControl = type == DedicatedThreadStrategy.self && options.threads == 1
        recorder = WriteRecorder(sensors: feed.sensors.count, recordsShapes: hasControl)
        // Four batches, so that a buffer that waits for its last reading never blocks the producer.
        gate = InFlightGate(capacity: max(1024, 4 * options.batchSize))
        strategy = type.init(
            WriterEnvironment(
                configuration: configuration, sensorIdentifiers: feed.sensors.map(\.identifier),
                batchSize: options.batchSize, recorder: recorder, gate: gate,
                allocations: type.hasOneWriter(producers: options.threads)
                    ? environment.allocations : nil))
        if hasControl { control = try BareDisk(directory: environment.directory) }
    }

    func run() throws -> CaseOutcome {
        let keeper = try createSensors()
        try strategy.start()
        let sampler = RunSampler(
            path: path, expectedSeconds: options.count == nil ? expectedSeconds : nil,
            expectedOperations: options.count, progress: caseEnvironment.progress
        ) { [recorder] in recorder.committed }
        let countersBefore: SystemCounters
        do {
            try warmUp()
            countersBefore = SystemCounters.current
            recorder.beginMeasuring()
            try measure()
        } catch {
            _ = sampler.stop()
            throw error
        }
        let counted = SystemCounters.current - countersBefore
        strategy.stop()
        let course = sampler.stop()
        if let failure = recorder.snapshot().failure {
            throw BenchmarkError(.caseFailed, failure)
        }
        caseEnvironment.progress(ProgressUpdate(phase: "closing"))
        return try withExtendedLifetime(keeper) { try outcome(course, counted) }
    }

    /// The file stays open for the whole run, as in an application; `invalidate` lets go of the
    /// version that creating the sensors left pinned on this thread.
    private func createSensors() throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for description in feed.sensors {
                let sensor = Sensor()
                sensor.id = description.identifier
                sensor.city = description.city
                sensor.parameter = description.parameter
                realm.add(sensor)
            }
        }
        realm.invalidate()
        return realm
    }

    private var expectedSeconds: Double {
        options.warmup + options.seconds * (control == nil ? 1 : 2)
    }

    private func warmUp() throws {
        guard options.warmup > 0 else { return }
        try produce(until: monotonicNanoseconds() + UInt64(options.warmup * 1e9), atMost: nil)
        strategy.drain()
    }

    private func measure() throws {
        guard let control else {
            let start = monotonicNanoseconds()
            try produce(until: deadline(after: start, leftOf: options.seconds), atMost: nil)
            strategy.drain()
            elapsedNanoseconds = monotonicNanoseconds() - start
            return
        }
        // In turns: a block of readings, then the same commits on the bare disk.
        while !recorder.hasFailed {
            let left = options.seconds - Double(elapsedNanoseconds) / 1e9
            if options.count == nil, left <= 0 { break }
            let before = recorder.committed
            let start = monotonicNanoseconds()
            try produce(until: deadline(after: start, leftOf: left), atMost: Self.controlBlock)
            strategy.drain()
            let end = monotonicNanoseconds()
            let done = recorder.committed - before
            if done == 0 { break }
            elapsedNanoseconds += end - start
            blockRates.append(Double(done) / seconds(from: start, to: end))
            try control.replay(recorder.takeShapes())
        }
    }

    /// Nil when the run ends by count.
    private func deadline(after start: UInt64, leftOf seconds: Double) -> UInt64? {
        options.count == nil ? start + UInt64(max(0, seconds) * 1e9) : nil
    }

    /// Hands readings over until the time or the readings are up; on the main thread where the
    /// strategy allows and there is one producer.
    private func produce(until deadline: UInt64?, atMost limit: Int?) throws {
        if options.threads == 1, strategyType.producesOnMainThread {
            Self.produce(strategy, feed, recorder, gate, until: deadline, atMost: limit)
            return
        }
        let finished = ThreadGroup()
        for number in 0..<options.threads {
            finished.start(name: "producer-\(number)") { [strategy, feed, recorder, gate] in
                Self.produce(strategy, feed, recorder, gate, until: deadline, atMost: limit)
            }
        }
        while !finished.isFinished {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
    }

    private static func produce(
        _ strategy: any WriterStrategy, _ feed: ReadingFeed, _ recorder: WriteRecorder,
        _ gate: InFlightGate, until deadline: UInt64?, atMost limit: Int?
    ) {
        do {
            let sink = try strategy.makeSink()
            var left = limit ?? .max
            while left > 0, !recorder.hasFailed {
                if let deadline, monotonicNanoseconds() >= deadline { break }
                guard let reading = feed.next() else { break }
                sink.submit(reading)
                left -= 1
            }
            sink.finish()
        } catch {
            recorder.fail(error)
            gate.abandon()
        }
    }

    // MARK: Results

    private func outcome(
        _ course: (points: [TimelinePoint], mostThreads: Int), _ counted: SystemCounters
    ) throws -> CaseOutcome {
        let state = recorder.snapshot()
        var result = CaseResult(benchmarkCase)
        result.batchSize = strategyType == BatchedStrategy.self ? options.batchSize : 1
        result.operations = state.operations
        result.elapsedSeconds = Double(elapsedNanoseconds) / 1e9
        if control == nil {
            blockRates = RunSampler.rates(
                of: course.points.filter { $0.elapsed >= options.warmup })
        }
        result.interval = ThroughputInterval(samples: blockRates)
        fill(&result, from: state)
        fill(&result, counted, commits: state.commits)
        result.measure("threads_reached", Double(course.mostThreads))
        try fillSpace(&result, course.points)
        let produced = feed.produced()
        if options.count != nil, options.warmup == 0 {
            result.digest = SensorsExpectation.digest(feed.sensors, produced).text
        }
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        var results = [result]
        if let control {
            let controlResult = control.result(beside: benchmarkCase)
            if let own = result.throughput, let bare = controlResult.throughput {
                results[0].measure("ratio_to_control", own / bare)
            }
            results.append(controlResult)
        }
        return CaseOutcome(
            results: results, timeline: course.points, histograms: state.histograms,
            verification: .sensors(
                SensorsExpectation(
                    path: path, sensors: feed.sensors, produced: produced,
                    history: state.history)))
    }

    private func fill(_ result: inout CaseResult, from state: WriteRecorder.State) {
        result.latency = state.latency.summary()
        result.queueWaitP99 = state.queueWait.percentile(99)
        result.lockWaitP99 = state.lockWait.percentile(99)
        result.syncP99 = state.sync.percentile(99)
        result.measure("queue_wait_p50_us", state.queueWait.percentile(50))
        result.measure("total_p50_us", state.total.percentile(50))
        result.measure("total_p99_us", state.total.percentile(99))
        result.measure("lock_wait_p50_us", state.lockWait.percentile(50))
        result.measure("work_p50_us", state.work.percentile(50))
        result.measure("work_p99_us", state.work.percentile(99))
        result.measure("commit_p50_us", state.commit.percentile(50))
        result.measure("commit_p99_us", state.commit.percentile(99))
        result.measure("sync_p50_us", state.sync.percentile(50))
        if state.commits > 0 {
            result.pagesWrittenPerCommit = Double(state.pages) / Double(state.commits)
        }
        result.measure("commits", Double(state.commits))
        result.measure("total_writes", Double(state.committed))
        if let allocations = state.allocations {
            result.allocationsPerOperation = allocations.allocations
            result.allocatedBytesPerOperation = allocations.bytes
        }
    }

    private func fill(_ result: inout CaseResult, _ counted: SystemCounters, commits: Int) {
        guard commits > 0 else { return }
        let commits = Double(commits)
        result.syncsPerCommit = Double(counted.syncs) / commits
        result.bytesWrittenPerCommit = Double(counted.bytesWritten) / commits
        result.measure("write_calls_per_commit", Double(counted.writeCalls) / commits)
        // Sequence number, date and value, 8 bytes each, and the payload.
        let logical = Double(result.operations * (3 * 8 + options.payload))
        result.writeAmplification = Double(counted.bytesWritten) / logical
    }

    private func fillSpace(_ result: inout CaseResult, _ points: [TimelinePoint]) throws {
        let statistics = try Database.open(path: path).statistics()
        result.fileBytes = Int(statistics.fileBytes)
        result.liveBytes = Int(statistics.liveBytes)
        result.measure("versions_pinned", Double(statistics.pinnedVersions.count))
        result.measure("file_bytes_max", points.map(\.fileBytes).max().map(Double.init))
        let persisted = feed.produced().reduce(0) { $0 + min($1.written, SensorAccount.capacity) }
        result.measure("objects_persisted", Double(persisted))
        if persisted > 0 {
            result.measure(
                "file_bytes_per_object", Double(statistics.fileBytes) / Double(persisted))
        }
    }
}
