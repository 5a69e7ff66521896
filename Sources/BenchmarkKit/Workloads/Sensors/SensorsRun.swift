import Foundation
import ToolSupport

/// One run of one strategy in this process: it sets up the file, drives the producers and measures.
final class SensorsRun {
    /// The number of operations of a strategy between two blocks of its control.
    private static let controlBlock = 200

    private let setup: SensorsSetup
    private let caseEnvironment: CaseEnvironment
    private let store: any SensorStore
    private let environment: WriterEnvironment
    private let strategy: any WriterStrategy
    private let strategyType: any WriterStrategy.Type

    /// The nanoseconds of the strategy's own blocks, without those of the control.
    private var elapsedNanoseconds: UInt64 = 0
    private var blockRates: [Double] = []
    private var counted = IOCounters()
    private var costs = ProcessCosts()
    private var control: BareDisk?

    private var options: CaseOptions { setup.options }
    private var recorder: WriteRecorder { environment.recorder }

    init(
        _ benchmarkCase: BenchmarkCase, _ type: any WriterStrategy.Type,
        _ caseEnvironment: CaseEnvironment
    ) throws {
        let setup = try SensorsSetup(benchmarkCase, directory: caseEnvironment.directory)
        self.setup = setup
        self.caseEnvironment = caseEnvironment
        strategyType = type
        let identifier = benchmarkCase.identifier
        let options = benchmarkCase.options
        let hasControl =
            options.hasControl && options.rate == nil
            && type == DedicatedThreadStrategy.self && options.threads == 1
            && identifier.engine == "realm" && identifier.durability == .full
        store = try setup.openStore()
        environment = setup.environment(
            store, batchSize: type.batchSize(for: options), recordsShapes: hasControl,
            allocations: type.hasOneWriter(producers: options.threads)
                ? caseEnvironment.allocations : nil)
        strategy = type.init(environment)
        if hasControl { control = try BareDisk(directory: caseEnvironment.directory) }
    }

    func run() throws -> CaseOutcome {
        ProcessStatus.resetPeakResidentBytes()
        try store.create(setup.feed.sensors)
        try strategy.start()
        let sampler = RunSampler(
            path: setup.path, expectedSeconds: options.count == nil ? expectedSeconds : nil,
            expectedOperations: options.count, progress: caseEnvironment.progress
        ) { [recorder] in recorder.committed }
        do {
            try warmUp()
            recorder.beginMeasuring()
            try measure()
        } catch {
            _ = sampler.stop()
            throw error
        }
        strategy.stop()
        let course = sampler.stop()
        caseEnvironment.progress(ProgressUpdate(phase: "closing"))
        if control == nil {
            blockRates = RunSampler.rates(
                of: course.points.filter { $0.elapsed >= options.warmup })
        }
        var outcome = try setup.outcome(
            SensorsMeasurement(
                state: recorder.snapshot(), counted: counted, costs: costs,
                elapsedNanoseconds: elapsedNanoseconds, rates: blockRates,
                produced: setup.feed.produced(), timeline: course.points,
                threadsMax: course.mostThreads,
                peakResidentBytes: setup.peakResidentBytes(),
                batchSize: environment.batchSize), store)
        if let control { add(control, to: &outcome) }
        return outcome
    }

    private func add(_ control: BareDisk, to outcome: inout CaseOutcome) {
        let result = control.result(beside: setup.benchmarkCase)
        if let own = outcome.results[0].throughput, let bare = result.throughput {
            outcome.results[0].measure("ratio_to_control", own / bare)
        }
        outcome.results.append(result)
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
            try turn(leftOf: options.seconds, atMost: nil)
            return
        }
        // The control is interleaved: a block of readings, then the same commits on the bare disk.
        while !recorder.hasFailed {
            let left = options.seconds - Double(elapsedNanoseconds) / 1e9
            if options.count == nil, left <= 0 { break }
            let before = recorder.committed
            let elapsed = try turn(leftOf: left, atMost: Self.controlBlock)
            let done = recorder.committed - before
            if done == 0 { break }
            blockRates.append(Double(done) / (Double(elapsed) / 1e9))
            try control.replay(recorder.takeShapes())
        }
    }

    /// Produces and writes one block. Returns the elapsed nanoseconds.
    @discardableResult
    private func turn(leftOf seconds: Double, atMost limit: Int?) throws -> UInt64 {
        let before = setup.engine.counters
        costs.resume()
        let start = monotonicNanoseconds()
        try MeasuredRegion.run {
            try produce(until: deadline(after: start, leftOf: seconds), atMost: limit)
            strategy.drain()
        }
        let elapsed = monotonicNanoseconds() - start
        costs.pause()
        elapsedNanoseconds += elapsed
        counted.add(setup.engine.counters - before)
        return elapsed
    }

    /// Returns the end of a block; nil if the run ends by count.
    private func deadline(after start: UInt64, leftOf seconds: Double) -> UInt64? {
        options.count == nil ? start + UInt64(max(0, seconds) * 1e9) : nil
    }

    /// Submits readings until the time or the limit is reached. A single producer runs on the main
    /// thread if the strategy allows it.
    private func produce(until deadline: UInt64?, atMost limit: Int?) throws {
        if options.threads == 1, strategyType.producesOnMainThread {
            Self.produce(
                strategy, setup.feed, environment, until: deadline, atMost: limit,
                rate: options.rate)
            return
        }
        // Together the producers begin as many readings as were asked for.
        let rate = options.rate.map { $0 / Double(options.threads) }
        let producers = (0..<options.threads).map { number in
            BackgroundThread(name: "producer-\(number)") {
                [strategy, feed = setup.feed, environment] _ in
                Self.produce(
                    strategy, feed, environment, until: deadline, atMost: limit, rate: rate)
            }
        }
        while !producers.allSatisfy(\.isDone) {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
    }

    private static func produce(
        _ strategy: any WriterStrategy, _ feed: ReadingFeed, _ environment: WriterEnvironment,
        until deadline: UInt64?, atMost limit: Int?, rate: Double?
    ) {
        do {
            let sink = try strategy.makeSink()
            var left = limit ?? .max
            let schedule = rate.map { OpenLoop(rate: $0) }
            var number = 0
            while left > 0, !environment.recorder.hasFailed {
                let due = schedule?.due(number)
                number += 1
                if let deadline, due ?? 0 >= deadline || monotonicNanoseconds() >= deadline {
                    break
                }
                guard var reading = feed.next() else { break }
                if let due {
                    OpenLoop.wait(until: due)
                    reading.submittedAt = due
                }
                sink.submit(reading)
                left -= 1
            }
            sink.finish()
        } catch {
            environment.fail(error)
        }
    }
}
