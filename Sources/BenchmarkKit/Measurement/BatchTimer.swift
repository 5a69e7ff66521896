import ToolSupport

/// A timer for operations too short to be timed singly: it times batches and divides.
struct BatchTimer {
    private var latency = LatencyRecorder()
    private var rates: [Double] = []
    private(set) var operations = 0
    private var elapsed: UInt64 = 0
    private var last: UInt64
    private let batchSize: Int

    /// Starts the clock and reserves memory, so that the next `batches` batches allocate nothing.
    init(batchSize: Int, batches: Int = 0) {
        self.batchSize = batchSize
        rates.reserveCapacity(batches)
        last = monotonicNanoseconds()
    }

    /// Restarts the clock, where unmeasured work lies between two batches.
    mutating func beginBatch() { last = monotonicNanoseconds() }

    /// Ends a batch and begins the next one.
    mutating func endBatch() {
        let now = PlantedDelay.end(of: last)
        latency.record(now - last)
        if now > last { rates.append(Double(batchSize) / seconds(from: last, to: now)) }
        elapsed += now - last
        last = now
        operations += batchSize
    }

    var batchMedian: Double? { latency.percentile(50) }

    /// The distribution of the time of one operation.
    var distribution: HistogramData { latency.distribution.divided(by: Double(batchSize)) }

    func fill(_ result: inout CaseResult) {
        result.operations = operations
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()?.divided(by: Double(batchSize))
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
    }
}
