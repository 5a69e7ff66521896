/// One way to get readings from their producer into the database. A new strategy is one file with
/// a type that conforms to this, and a line in `SensorsWorkload.strategyTypes`.
///
/// Life: `start` on the main thread; `makeSink` on each producer's thread, which submits readings
/// to its sink and finishes it; `drain` and `stop` on the main thread.
protocol WriterStrategy: AnyObject, Sendable {
    static var name: String { get }
    static var summary: String { get }
    /// Whether one producer runs on the main thread; if not, the main thread runs its run loop.
    static var producesOnMainThread: Bool { get }
    /// Whether one thread writes everything, so that allocations can be attributed to it.
    static func hasOneWriter(producers: Int) -> Bool
    /// Readings in one transaction.
    static func batchSize(for options: CaseOptions) -> Int

    init(_ environment: WriterEnvironment)
    func start() throws
    func makeSink() throws -> any ReadingSink
    /// Returns when everything submitted so far is durable, or something failed.
    func drain()
    func stop()
}

extension WriterStrategy {
    static var producesOnMainThread: Bool { true }
    static func hasOneWriter(producers: Int) -> Bool { true }
    static func batchSize(for options: CaseOptions) -> Int { 1 }
    func start() throws {}
    func stop() {}
}

/// Where one producer puts its readings. Used on that producer's thread only.
protocol ReadingSink: AnyObject {
    func submit(_ reading: ProducedReading)
    func finish()
}

extension ReadingSink {
    func finish() {}
}

/// What every strategy works with.
struct WriterEnvironment: Sendable {
    var engine: any BenchmarkEngine
    var store: any SensorStore
    /// In the order of `ProducedReading.sensor`.
    var sensors: [SensorDescription]
    var batchSize: Int
    var recorder: WriteRecorder
    var gate: InFlightGate
    var allocations: AllocationProbe?

    /// Counts a reading as in flight, waiting while too many are, and stamps it.
    func admit(_ reading: ProducedReading) -> ProducedReading {
        var stamped = reading
        gate.enter()
        stamped.submittedAt = monotonicNanoseconds()
        return stamped
    }

    /// Reports a failure and lets all who wait go on.
    func fail(_ error: any Error) {
        recorder.fail(error)
        gate.abandon()
    }
}
