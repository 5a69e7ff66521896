import BenchmarkKit
import ToolSupport

/// The accounts of the sensors that a transaction writes to. Each is read at the sensor's first
/// reading and stored once at the end of the transaction, as is usual with a key-value interface.
/// For a transaction of one reading this makes no difference.
struct OpenAccounts {
    private(set) var changed: [Int: SensorAccount] = [:]

    mutating func removeAll() { changed.removeAll(keepingCapacity: true) }

    /// Counts a reading and returns its number among those of its sensor, from 0. `stored` reads an
    /// account from the database; nil if the sensor is missing.
    mutating func add(_ reading: ProducedReading, stored: (Int) throws -> SensorAccount?) throws
        -> Int
    {
        let sensor = reading.sensor
        guard var account = try changed[sensor] ?? stored(sensor) else {
            throw BenchmarkError(.caseFailed, "The sensor at position \(sensor) is missing.")
        }
        let number = account.written
        account.add(sequence: reading.sequence)
        changed[sensor] = account
        return number
    }
}
