import Foundation
import RealmSwift

// The models of this file are not part of default schemas. The Realm files here name their classes,
// and a program that links this module may have classes of the same names.

/// One measured value of a sensor.
final class Reading: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    /// The number of the reading, counted from 0 for each sensor in the order of production.
    @Persisted var sequence: Int
    @Persisted var date: Date
    @Persisted var value: Double
    @Persisted var payload: Data
}

/// One parameter of one station with its latest readings.
final class Sensor: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var id: String
    @Persisted var city: String
    @Persisted var parameter: String
    /// The number of readings ever written, including deleted ones.
    @Persisted var written: Int
    /// The checksum of the sequence numbers of all readings ever written.
    @Persisted var checksum: Int
    /// The kept readings in commit order.
    @Persisted var readings: List<Reading>

    /// Appends a reading and deletes the oldest beyond the capacity. Requires a write transaction.
    func append(_ produced: ProducedReading, in realm: Realm) {
        let reading = Reading()
        reading.sequence = produced.sequence
        reading.date = Date(timeIntervalSince1970: produced.time)
        reading.value = produced.value
        if !produced.payload.isEmpty { reading.payload = produced.payload }
        readings.append(reading)
        written += 1
        checksum &+= SensorAccount.term(produced.sequence)
        while readings.count > SensorAccount.capacity {
            let oldest = readings[0]
            readings.remove(at: 0)
            realm.delete(oldest)
        }
    }

    var account: SensorAccount { SensorAccount(written: written, checksum: checksum) }
}
