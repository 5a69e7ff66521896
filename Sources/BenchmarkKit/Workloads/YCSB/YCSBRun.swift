import Foundation
import ToolSupport

/// One run of a YCSB mix: it loads the records, runs the clients and collects the results.
final class YCSBRun {
    private static let loadBatch = 1000

    private let mix: YCSBMix
    private let benchmarkCase: BenchmarkCase
    private let environment: CaseEnvironment
    private let engine: any BenchmarkEngine
    private let path: String
    private let sequence: InsertSequence
    private var progress: YCSBProgress
    private var intended: LatencyRecorder?
    private var search: SustainableRate?
    /// The slice with the highest rate that passed.
    private var best: YCSBSliceTotals?
    /// The rate of the slice without a schedule, if other slices have one.
    private var unthrottled: Double?

    private var options: CaseOptions { benchmarkCase.options }
    private var records: Int { benchmarkCase.identifier.size }
    private var searchesRate: Bool { benchmarkCase.identifier.strategy.hasSuffix("-rate") }
    /// Whether every run with these options leaves the same records.
    private var isDeterministic: Bool {
        options.threads == 1 && options.count != nil && options.warmup == 0
    }

    init(_ mix: YCSBMix, _ benchmarkCase: BenchmarkCase, _ environment: CaseEnvironment) throws {
        self.mix = mix
        self.benchmarkCase = benchmarkCase
        self.environment = environment
        engine = try benchmarkCase.engine()
        path = environment.directory + "/records.realm"
        sequence = InsertSequence(records: benchmarkCase.identifier.size)
        progress = YCSBProgress(path: path, options: benchmarkCase.options, environment)
    }

    func run() throws -> CaseOutcome {
        let loadSeconds = try load()
        let clients = try makeClients()
        defer { clients.stop() }
        if options.warmup > 0 {
            _ = try clients.run { [options] _ in
                YCSBSlice(count: nil, seconds: options.warmup, isMeasured: false)
            }
        }
        ProcessStatus.resetPeakResidentBytes()
        var io = IOMeasurement(engine)
        var allocations = AllocationMeasurement(
            options.threads == 1 ? environment.allocations : nil)
        io.resume()
        let totals = try MeasuredRegion.run {
            try searchesRate ? searchRate(clients) : runWhole(clients)
        }
        io.pause()
        var result = CaseResult(benchmarkCase)
        result.batchSize = 1
        // The slices of a search ran at different rates; the row is the one that the search found,
        // if any.
        result.operations = searchesRate ? best?.operations ?? 0 : totals.operations
        result.elapsedSeconds = searchesRate ? best?.seconds ?? 0 : totals.seconds
        if let allocated = allocations.finish(operations: totals.operations) {
            result.allocationsPerOperation = allocated.allocations
            result.allocatedBytesPerOperation = allocated.bytes
        }
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        result.interval = ThroughputInterval(ratesOfEqualTimes: progress.rates)
        result.measure("load_records_per_s", Double(records) / loadSeconds)
        try fill(&result, clients, io)
        let expectation = try expectation(&result, clients)
        return try CaseOutcome(
            results: [result], timeline: progress.points, histograms: try histograms(clients),
            verification: VerificationRequest(expectation))
    }

    // MARK: Parts of the run

    private func load() throws -> Double {
        let store = try engine.openRecords(at: path, benchmarkCase.identifier.durability)
        let start = monotonicNanoseconds()
        for first in stride(from: 0, to: records, by: Self.loadBatch) {
            let batch = (first..<min(first + Self.loadBatch, records)).map { number in
                (
                    key: YCSBRecord.key(number),
                    fields: YCSBRecord.fields(
                        record: number, stamp: YCSBRecord.loaded, seed: options.seed)
                )
            }
            try store.load(batch)
            environment.progress(
                ProgressUpdate(phase: "preparing", fraction: Double(first) / Double(records)))
        }
        return seconds(from: start, to: monotonicNanoseconds())
    }

    private func makeClients() throws -> YCSBClients {
        // As in YCSB, the expected number is twice the mean number of inserts. For a run by time,
        // the number of operations is unknown, and a tenth of the records is assumed.
        let expectedInserts =
            mix.share(of: .insert) == 0
            ? 0
            : options.count.map { Int(Double($0) * mix.share(of: .insert) * 2) + 1 }
                ?? records / 10 + 1
        return try YCSBClients(count: options.threads) {
            [mix, options, records, engine, path, sequence, benchmarkCase] index in
            YCSBClient(
                mix, index: index, records: records,
                expectedInserts: expectedInserts, seed: options.seed,
                store: try engine.openRecords(at: path, benchmarkCase.identifier.durability),
                sequence: sequence)
        }
    }

    private func runWhole(_ clients: YCSBClients) throws -> YCSBTotals {
        var totals = YCSBTotals()
        if case .inline(let client) = clients {
            progress.start()
            client.sample = { [unowned self] in progress.sample($0) }
        }
        defer { if case .inline(let client) = clients { client.sample = nil } }
        let done = try slice(
            clients, count: options.count, seconds: options.seconds, rate: options.rate)
        if options.rate != nil { intended = done.intended }
        totals.add(done)
        return totals
    }

    /// Runs a slice without a schedule, then slices at the target rates of the bisection.
    private func searchRate(_ clients: YCSBClients) throws -> YCSBTotals {
        let slices = SustainableRate.steps + 1
        var totals = YCSBTotals()
        func part(_ index: Int) -> (count: Int?, seconds: Double) {
            (
                options.count.map { $0 * (index + 1) / slices - $0 * index / slices },
                options.seconds / Double(slices)
            )
        }
        let free = try slice(clients, count: part(0).count, seconds: part(0).seconds)
        totals.add(free)
        var search = SustainableRate(unthrottled: free.rate)
        var lastTrial: LatencyRecorder?
        for step in 1..<slices {
            environment.progress(
                ProgressUpdate(
                    phase: "running", fraction: Double(step) / Double(slices),
                    operationsPerSecond: search.target))
            let target = search.target
            let done = try slice(
                clients, count: part(step).count, seconds: part(step).seconds, rate: target)
            totals.add(done)
            let trial = SustainableRate.Trial(
                target: target, achieved: done.rate,
                p99: done.intended.percentile(99) ?? .infinity)
            search.record(trial)
            if trial.passes { best = done }
            lastTrial = done.intended
        }
        intended = best?.intended ?? lastTrial
        unthrottled = free.rate
        self.search = search
        return totals
    }

    private func slice(
        _ clients: YCSBClients, count: Int?, seconds: Double, rate: Double? = nil
    ) throws -> YCSBSliceTotals {
        let threads = options.threads
        let outcomes = try clients.run { index in
            YCSBSlice(
                count: count.map { $0 * (index + 1) / threads - $0 * index / threads },
                seconds: seconds, rate: rate.map { $0 / Double(threads) })
        }
        return YCSBSliceTotals(outcomes)
    }

    // MARK: Results

    private func fill(
        _ result: inout CaseResult, _ clients: YCSBClients, _ io: IOMeasurement
    ) throws {
        result.latency = try service(clients).summary()
        for operation in mix.shares.map({ $0.operation }) {
            let latency = try merged(clients) { $0.latencies[operation] ?? LatencyRecorder() }
            result.measure("\(operation.rawValue)_p50_us", latency.percentile(50))
            result.measure("\(operation.rawValue)_p99_us", latency.percentile(99))
        }
        result.measure("unthrottled_ops_per_s", unthrottled)
        if let search {
            if let reason = search.reason {
                result.status = .noRate
                result.failure = reason
            }
            result.measure("sustainable_ops_per_s", search.operationsPerSecond)
        }
        if let intended { result.fill(intended: intended) }
        let writes = try clients.collect { $0.writes }.reduce(0, +)
        let payload = try clients.collect { $0.payloadBytes }.reduce(0, +)
        result.fill(io, commits: writes, pages: nil, logicalBytes: payload)
        let size = try engine.openRecords(at: path, benchmarkCase.identifier.durability).size()
        result.fill(size)
        result.measure("file_bytes_per_object", Double(size.fileBytes) / Double(sequence.stored))
    }

    private func histograms(_ clients: YCSBClients) throws -> [HistogramKind: HistogramData] {
        var histograms = [
            HistogramKind.latency: try service(clients).distribution
        ]
        if let intended { histograms[.total] = intended.distribution }
        return histograms
    }

    /// Returns the service times of the operations that the row counts.
    private func service(_ clients: YCSBClients) throws -> LatencyRecorder {
        guard searchesRate else { return try merged(clients) { $0.service } }
        return best?.service ?? LatencyRecorder()
    }

    private func merged(
        _ clients: YCSBClients, _ read: @escaping @Sendable (YCSBClient) -> LatencyRecorder
    ) throws -> LatencyRecorder {
        try clients.collect(read).reduce(into: LatencyRecorder()) { $0.add($1) }
    }

    private func expectation(_ result: inout CaseResult, _ clients: YCSBClients) throws
        -> RecordsExpectation
    {
        if case .inline(let client) = clients, isDeterministic {
            var digest = client.model.digest()
            // The digest also covers the values read.
            var reads = ResultDigest.Row()
            reads.combine(client.readSum)
            digest.add(reads)
            result.digest = digest.text
        }
        return RecordsExpectation(
            path: path, engine: engine.name, layer: engine.layer,
            durability: benchmarkCase.identifier.durability, records: sequence.stored,
            seed: options.seed,
            lastStamps: try clients.collect { $0.model.lastStamps }.flatMap { $0 })
    }
}

/// The totals of all clients in one slice.
struct YCSBSliceTotals {
    var operations: Int
    var seconds: Double
    var service = LatencyRecorder()
    var intended = LatencyRecorder()

    init(_ outcomes: [YCSBSliceOutcome]) {
        operations = outcomes.reduce(0) { $0 + $1.operations }
        seconds = ClockInterval.covering(outcomes.map(\.interval))?.seconds ?? 0
        for outcome in outcomes {
            if let recorder = outcome.service { service.add(recorder) }
            if let recorder = outcome.intended { intended.add(recorder) }
        }
    }

    var rate: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}

/// The totals of all clients in all slices.
struct YCSBTotals {
    private(set) var operations = 0
    private(set) var seconds = 0.0

    mutating func add(_ slice: YCSBSliceTotals) {
        operations += slice.operations
        seconds += slice.seconds
    }
}
