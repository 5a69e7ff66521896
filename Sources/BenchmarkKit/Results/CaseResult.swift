/// One row of `summary.csv` and the further measures of the same case. Values that were not
/// measured are nil and stay empty in the file.
public struct CaseResult: Codable, Sendable {
    public enum Status: String, Codable, Sendable {
        case ok, failed, unsupported
        /// A search for the highest rate has found none that is good enough.
        case noRate = "no-rate"

        /// Whether the case did its work.
        var hasRun: Bool { self == .ok || self == .noRate }
    }

    public var identifier: CaseIdentifier
    public var layer: String
    public var threads: Int
    public var batchSize: Int?
    public var seed: UInt64
    public var status = Status.ok
    /// The reason why the case failed, cannot run or found no rate, as text for the user.
    public var failure: String?

    public var operations = 0
    public var elapsedSeconds = 0.0
    public var interval: ThroughputInterval?
    /// The percentiles in microseconds.
    public var latency: LatencySummary?
    public var queueWaitP99: Double?
    public var lockWaitP99: Double?
    public var syncP99: Double?

    public var syncsPerCommit: Double?
    public var bytesWrittenPerCommit: Double?
    public var pagesWrittenPerCommit: Double?
    public var writeAmplification: Double?
    public var fileBytes: Int?
    public var liveBytes: Int?
    public var allocationsPerOperation: Double?
    public var allocatedBytesPerOperation: Double?
    public var peakResidentBytes: Int?
    public var digest: String?

    /// The value of `CaseOptions.rate`.
    public var offeredRate: Double?
    /// The values of `BenchmarkCase.sweep` and, below, of `BenchmarkCase.isDeterministic`.
    public var sweep = ""
    public var isDeterministic = false
    public var writeCallsPerCommit: Double?
    /// The page faults, context switches and threads of the whole process over the measured region.
    public var pageFaults: Int?
    public var contextSwitches: Int?
    public var threadsMax: Int?
    /// The instructions of one operation in the measured region, counted by callgrind on request.
    public var instructions: Double?

    /// The figures that only some cases have; written to `measures.csv`.
    public var measures: [Measure] = []

    public struct Measure: Codable, Equatable, Sendable {
        public var name: String
        public var value: Double
    }

    init(_ benchmarkCase: BenchmarkCase) {
        identifier = benchmarkCase.identifier
        layer = benchmarkCase.layer
        threads = benchmarkCase.options.threads
        seed = benchmarkCase.options.seed
        offeredRate = benchmarkCase.options.rate
        sweep = benchmarkCase.sweep
        isDeterministic = benchmarkCase.isDeterministic
    }

    public var throughput: Double? {
        elapsedSeconds > 0 ? Double(operations) / elapsedSeconds : nil
    }

    public var spaceAmplification: Double? {
        guard let fileBytes, let liveBytes, liveBytes > 0 else { return nil }
        return Double(fileBytes) / Double(liveBytes)
    }

    mutating func measure(_ name: String, _ value: Double?) {
        assert(MeasureCatalogue.all.contains { $0.name == name }, "No measure is named \(name).")
        if let value { measures.append(Measure(name: name, value: value)) }
    }

    func measure(_ name: String) -> Double? { measures.first { $0.name == name }?.value }

    /// Creates an empty control row, which measures the machine without a database and belongs to
    /// the row of `measured`.
    static func control(_ strategy: String, beside measured: BenchmarkCase) -> CaseResult {
        var control = measured
        control.identifier.strategy = strategy
        control.identifier.engine = "control"
        control.layer = "none"
        var result = CaseResult(control)
        // A control repeats the writes of the case, but its own costs are not gated.
        result.isDeterministic = false
        return result
    }

    static func unsupported(_ benchmarkCase: BenchmarkCase, _ reason: String) -> CaseResult {
        var result = CaseResult(benchmarkCase)
        result.status = .unsupported
        result.failure = reason
        return result
    }

    static func failed(_ benchmarkCase: BenchmarkCase, _ reason: String) -> CaseResult {
        var result = CaseResult(benchmarkCase)
        result.status = .failed
        result.failure = reason
        return result
    }
}
