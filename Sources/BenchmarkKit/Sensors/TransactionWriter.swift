import Foundation
@_spi(Measurement) import RealmSwift
import StorageEngine

/// Writes readings in transactions and measures them. Belongs to one thread.
final class TransactionWriter {
    private let environment: WriterEnvironment
    private var measurement: AllocationMeasurement?
    private var operationsAtStart = 0
    private var operations = 0

    init(_ environment: WriterEnvironment) { self.environment = environment }

    /// One transaction for all of `readings`. `sensor` gives the object at a sensor's position. A
    /// failure goes to the recorder and lets all who wait go on.
    func write(
        _ readings: some Collection<ProducedReading>, to realm: Realm, takenAt taken: UInt64,
        sensor: (Int) throws -> Sensor
    ) {
        beginCountingAllocations()
        do {
            let before = SystemCounters.current
            realm.beginWrite()
            let begun = monotonicNanoseconds()
            do {
                for reading in readings {
                    try sensor(reading.sensor).append(reading, in: realm)
                }
                environment.recorder.ordered(readings)
            } catch {
                realm.cancelWrite()
                throw error
            }
            let worked = monotonicNanoseconds()
            try realm.commitWrite()
            let durable = monotonicNanoseconds()
            let counted = SystemCounters.current - before
            guard let statistics = realm.lastCommitStatistics else {
                throw BenchmarkError(.caseFailed, "A commit left no statistics.")
            }
            operations += readings.count
            environment.recorder.finished(
                readings,
                times: TransactionTimes(
                    taken: taken, begun: begun, worked: worked, durable: durable),
                statistics: statistics,
                shape: CommitShape(
                    writeCalls: Int(counted.writeCalls), bytes: Int(counted.bytesWritten)))
            environment.gate.leave(readings.count)
        } catch {
            environment.recorder.fail(error)
            environment.gate.abandon()
        }
    }

    func findSensor(_ position: Int, in realm: Realm) throws -> Sensor {
        let identifier = environment.sensorIdentifiers[position]
        guard let sensor = realm.object(ofType: Sensor.self, forPrimaryKey: identifier) else {
            throw BenchmarkError(.caseFailed, "The sensor '\(identifier)' is not in the file.")
        }
        return sensor
    }

    /// From the second measured transaction on: the first one fills caches.
    private func beginCountingAllocations() {
        guard measurement == nil, environment.recorder.isMeasuring, operations > 0 else { return }
        measurement = AllocationMeasurement(environment.allocations)
        operationsAtStart = operations
    }

    /// On the writer's thread, after its last transaction.
    func finish() {
        let counted = operations - operationsAtStart
        if let result = measurement?.finish(operations: counted) {
            environment.recorder.record(allocations: result, operations: counted)
        }
    }
}
