import Dispatch

/// Sensors to which readings are written without a thread that waits for the lock or the disk.
protocol AsyncSensorStore: SensorStore {
    /// Creates a session for the blocks of a serial queue; called in one of them.
    func makeSession(
        on queue: DispatchQueue, _ sensors: [SensorDescription]
    ) throws -> any AsyncSensorSession

    func makeActor(_ sensors: [SensorDescription]) async throws -> any SensorActor
}

/// How far an asynchronous transaction has got.
enum AsyncWriteStep {
    case begun
    case appended
    case durable
    case failed(any Error)
}

/// A session that is used in the blocks of its queue.
protocol AsyncSensorSession: AnyObject {
    /// Writes a reading in a transaction of its own, and calls `reached` at each step.
    ///
    /// - Parameter isGrouped: Whether the transaction may share its sync with others.
    func write(
        _ reading: ProducedReading, isGrouped: Bool,
        reached: @escaping (AsyncWriteStep) -> Void)
}

/// An actor that writes readings.
protocol SensorActor: Actor {
    /// Writes a reading in a transaction of its own, calls `ordered` inside of it, and returns once
    /// it is durable. Returns when it had begun and when its last change was made.
    func write(
        _ reading: ProducedReading, ordered: @Sendable () -> Void
    ) async throws -> (begun: UInt64, worked: UInt64)

    /// Lets go of the database.
    func close()
}
