import BenchmarkKit

/// Accounts of the sensors that a transaction writes to: read when it first does, stored once when
/// it ends. Whoever writes with a key-value interface keeps them like this; what a transaction of
/// one reading does is the same either way.
struct OpenAccounts {
    private(set) var changed: [Int: SensorAccount] = [:]

    mutating func removeAll() { changed.removeAll(keepingCapacity: true) }

    /// Counts a reading; returns its number, from 0, among those of its sensor. `stored` reads an
    /// account from the database, nil if the sensor is missing.
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
