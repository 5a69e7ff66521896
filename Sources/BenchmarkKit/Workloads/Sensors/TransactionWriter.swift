import ToolSupport

/// A writer of readings in transactions, which it measures. Belongs to the thread that created it.
final class TransactionWriter {
    private let environment: WriterEnvironment
    private let session: any SensorSession
    private var measurement: AllocationMeasurement?
    private var operationsAtStart = 0
    private var operations = 0

    init(_ environment: WriterEnvironment) throws {
        self.environment = environment
        session = try environment.store.makeSession(environment.sensors)
    }

    /// Writes all `readings` in one transaction. A failure is reported to the recorder and releases
    /// all waiting threads.
    func write(_ readings: some Collection<ProducedReading>, takenAt taken: UInt64) {
        beginCountingAllocations()
        do {
            let before = environment.recorder.recordsShapes ? environment.engine.counters : nil
            try session.begin()
            let begun = monotonicNanoseconds()
            do {
                for reading in readings { try session.append(reading) }
                environment.recorder.ordered(readings)
            } catch {
                session.cancel()
                throw error
            }
            let worked = monotonicNanoseconds()
            let cost = try session.commit()
            let durable = PlantedDelay.end(of: taken)
            operations += readings.count
            environment.recorder.finished(
                readings,
                times: TransactionTimes(
                    taken: taken, begun: begun, worked: worked, durable: durable),
                cost: cost,
                shape: before.map { CommitShape(environment.engine.counters - $0) })
            environment.gate.leave(readings.count)
        } catch {
            environment.fail(error)
        }
    }

    /// Starts counting allocations at the second measured transaction, since the first one fills
    /// caches.
    private func beginCountingAllocations() {
        guard measurement == nil, environment.recorder.isMeasuring, operations > 0 else { return }
        measurement = AllocationMeasurement(environment.allocations)
        operationsAtStart = operations
    }

    /// Records the allocations. Called on the writer's thread after its last transaction.
    func finish() {
        let counted = operations - operationsAtStart
        if let result = measurement?.finish(operations: counted) {
            environment.recorder.record(allocations: result)
        }
    }
}

extension CommitShape {
    fileprivate init(_ counted: IOCounters) {
        self.init(writeCalls: Int(counted.writeCalls), bytes: Int(counted.bytesWritten))
    }
}
