import ToolSupport

/// A way for readings to get from their producers into the database. A new strategy is one file
/// with a conforming type and an entry in `SensorsWorkload.strategyTypes`.
///
/// The life cycle: `start` runs on the main thread. `makeSink` runs on each producer's thread,
/// which then submits readings to its sink and finishes it. `drain` and `stop` run on the main
/// thread.
protocol WriterStrategy: AnyObject, Sendable {
    static var name: String { get }
    static var summary: String { get }
    /// Whether a single producer runs on the main thread; if not, the main thread runs its run
    /// loop.
    static var producesOnMainThread: Bool { get }
    /// Whether it takes an ``AsyncSensorStore``, which only the embedded engine has.
    static var isAsynchronous: Bool { get }
    /// Whether one thread writes everything, so that allocations can be attributed to it.
    static func hasOneWriter(producers: Int) -> Bool
    /// Returns the number of readings in one transaction.
    static func batchSize(for options: CaseOptions) -> Int

    init(_ environment: WriterEnvironment)
    func start() throws
    func makeSink() throws -> any ReadingSink
    /// Returns once everything submitted so far is durable, or after a failure.
    func drain()
    func stop()
}

extension WriterStrategy {
    static var producesOnMainThread: Bool { true }
    static var isAsynchronous: Bool { false }
    static func hasOneWriter(producers: Int) -> Bool { true }
    static func batchSize(for options: CaseOptions) -> Int { 1 }
    func start() throws {}
    func stop() {}
}

/// The destination of one producer's readings. Used only on that producer's thread.
protocol ReadingSink: AnyObject {
    func submit(_ reading: ProducedReading)
    func finish()
}

extension ReadingSink {
    func finish() {}
}

/// The environment of every strategy.
struct WriterEnvironment: Sendable {
    var engine: any BenchmarkEngine
    var store: any SensorStore
    /// The sensors in the order of `ProducedReading.sensor`.
    var sensors: [SensorDescription]
    var batchSize: Int
    var recorder: WriteRecorder
    var gate: InFlightGate
    var allocations: AllocationProbe?

    /// Waits while too many readings are in flight, then counts this one and stamps it with the
    /// time, unless it has that at which it was due.
    func admit(_ reading: ProducedReading) -> ProducedReading {
        var stamped = reading
        gate.enter()
        if stamped.submittedAt == 0 { stamped.submittedAt = monotonicNanoseconds() }
        return stamped
    }

    /// The store, if readings can be written to it asynchronously.
    var asyncStore: any AsyncSensorStore {
        get throws {
            if let store = store as? any AsyncSensorStore { return store }
            throw BenchmarkError(
                .internalError, "The engine \(engine.name) writes nothing asynchronously.")
        }
    }

    /// Records a reading that was written in a transaction of its own.
    func finished(_ reading: ProducedReading, _ times: TransactionTimes) {
        recorder.finished(CollectionOfOne(reading), times: times, cost: nil, shape: nil)
        gate.leave()
    }

    /// Reports a failure and releases all waiting threads.
    func fail(_ error: any Error) {
        recorder.fail(error)
        gate.abandon()
    }
}
