import Foundation
import RealmSwift
import StorageEngine

/// What a Sensors file must hold after a run. Written down by the process that produced the
/// readings, checked by a fresh one that only knows this and the file.
struct SensorsExpectation: Codable, Sendable {
    struct ExpectedSensor: Codable, Sendable {
        var identifier: String
        /// Of all readings that were produced.
        var account: SensorAccount
        /// Sequence numbers of the kept readings in commit order.
        var kept: [Int]
    }

    var path: String
    var sensors: [ExpectedSensor]

    init(
        path: String, sensors: [Recording.Sensor], produced: [SensorAccount],
        history: [CommitHistory]
    ) {
        self.path = path
        self.sensors = sensors.indices.map {
            ExpectedSensor(
                identifier: sensors[$0].identifier, account: produced[$0],
                kept: history[$0].kept)
        }
    }

    /// Of the sensors' names, counts and checksums.
    static func digest(_ sensors: [Recording.Sensor], _ accounts: [SensorAccount]) -> ResultDigest {
        var digest = ResultDigest()
        for (sensor, account) in zip(sensors, accounts) {
            var row = ResultDigest.Row()
            row.combine(sensor.identifier.utf8)
            row.combine(account.written)
            row.combine(account.checksum)
            digest.add(row)
        }
        return digest
    }

    /// Every difference between the file and this, in sentences; empty if there is none.
    func problems() throws -> [String] {
        var problems: [String] = []
        do {
            let realm = try Realm(configuration: sensorsConfiguration(path: path))
            let count = realm.objects(Sensor.self).count
            if count != sensors.count {
                problems.append("The file has \(count) sensors instead of \(sensors.count).")
            }
            let kept = sensors.reduce(0) { $0 + $1.kept.count }
            let readings = realm.objects(Reading.self).count
            if readings != kept {
                problems.append("The file has \(readings) readings instead of \(kept).")
            }
            for expected in sensors { problems += Self.problems(of: expected, in: realm) }
        }
        // The structure as well: trees, links, free space.
        let connection = try Connection(Database.open(path: path))
        problems += try connection.verify().prefix(10).map { "The file is damaged: \($0)" }
        return problems
    }

    private static func problems(of expected: ExpectedSensor, in realm: Realm) -> [String] {
        let name = expected.identifier
        guard let sensor = realm.object(ofType: Sensor.self, forPrimaryKey: name) else {
            return ["The sensor '\(name)' is missing."]
        }
        return differences(
            name: name, expected: expected, account: sensor.account,
            kept: sensor.readings.map(\.sequence))
    }

    /// Compares one sensor with what was produced.
    static func differences(
        name: String, expected: ExpectedSensor, account: SensorAccount, kept: [Int]
    ) -> [String] {
        var problems: [String] = []
        if account.written != expected.account.written {
            problems.append(
                "The sensor '\(name)' counts \(account.written) readings; "
                    + "\(expected.account.written) were produced.")
        }
        if account.checksum != expected.account.checksum {
            problems.append("The checksum of the sensor '\(name)' is not that of its readings.")
        }
        let size = min(expected.account.written, SensorAccount.capacity)
        if kept.count != size || expected.kept.count != size {
            problems.append("The sensor '\(name)' keeps \(kept.count) readings instead of \(size).")
        }
        if let position = zip(kept, expected.kept).enumerated().first(where: { $1.0 != $1.1 })?
            .offset
        {
            problems.append(
                "The sensor '\(name)' has reading \(kept[position]) at position \(position) "
                    + "where \(expected.kept[position]) was committed.")
        }
        return problems
    }
}
