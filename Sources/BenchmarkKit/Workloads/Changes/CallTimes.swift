import ToolSupport

/// The times of calls that are measured one by one, and what they allocate.
struct CallTimes {
    private(set) var latency = LatencyRecorder()
    private var rates: [Double] = []
    private var elapsed: UInt64 = 0
    private var allocations: AllocationMeasurement

    /// - Parameter count: For how many calls there is room, so that none of them allocates some.
    init(_ core: CoreCase, count: Int = 0) {
        rates.reserveCapacity(count)
        allocations = AllocationMeasurement(core.environment.allocations)
        allocations.pause()
    }

    /// Allocations count from here to ``endCounting()``.
    mutating func beginCounting() { allocations.resume() }

    mutating func endCounting() { allocations.pause() }

    /// Adds a call that has taken so many nanoseconds.
    mutating func record(_ nanoseconds: UInt64) {
        let taken = max(1, nanoseconds)
        latency.record(taken)
        rates.append(1e9 / Double(taken))
        elapsed += taken
    }

    func fill(_ result: inout CaseResult) {
        result.operations = Int(latency.count)
        result.elapsedSeconds = Double(elapsed) / 1e9
        result.interval = ThroughputInterval(ratesOfEqualCounts: rates)
        result.latency = latency.summary()
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        var counted = allocations
        result.fill(counted.finish(operations: result.operations))
    }
}
