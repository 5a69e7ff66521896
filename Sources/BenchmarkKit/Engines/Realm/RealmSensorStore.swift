import Foundation
@_spi(Measurement) import RealmSwift
import StorageEngine
import ToolSupport

extension RealmObjectEngine {
    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        try RealmSensorStore(path: path, durability)
    }
}

/// Sensors as objects with a list of readings.
struct RealmSensorStore: SensorStore {
    let configuration: Realm.Configuration
    /// The database, kept open while sessions come and go, as an application does.
    private let database: Database

    init(path: String, _ durability: Durability) throws {
        configuration = Realm.Configuration(
            path: path, durability, objectTypes: [Sensor.self, Reading.self])
        database = try Database.open(path: path, options: .ofCase)
    }

    func create(_ sensors: [SensorDescription]) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            for description in sensors {
                let sensor = Sensor()
                sensor.id = description.identifier
                sensor.city = description.city
                sensor.parameter = description.parameter
                realm.add(sensor)
            }
        }
        // The thread's cache may keep this Realm for its session; without invalidation it would pin
        // the version.
        realm.invalidate()
    }

    func makeSession(_ sensors: [SensorDescription]) throws -> any SensorSession {
        RealmSensorSession(try Realm(configuration: configuration), sensors)
    }

    func contents() throws -> [StoredSensor] {
        let realm = try Realm(configuration: configuration)
        return realm.objects(Sensor.self).map {
            StoredSensor(
                identifier: $0.id, account: $0.account, kept: $0.readings.map(\.sequence))
        }
    }

    func size() throws -> StoreSize {
        let statistics = try database.statistics()
        return StoreSize(
            fileBytes: Int(statistics.fileBytes), liveBytes: Int(statistics.liveBytes),
            freeBytes: Int(statistics.freeBytes))
    }

    func pinnedVersions() throws -> Int { try database.statistics().pinnedVersions.count }

    /// Returns the defects of the file's trees, links and free space, and reports readings without
    /// a sensor.
    func problems() throws -> [String] {
        let realm = try Realm(configuration: configuration)
        let inLists = realm.objects(Sensor.self).reduce(0) { $0 + $1.readings.count }
        let readings = realm.objects(Reading.self).count
        var problems: [String] = []
        if readings != inLists {
            problems.append(
                "The file has \(readings) readings, but its sensors have \(inLists).")
        }
        let defects = try Connection(database).verify()
        return problems + defects.prefix(10).map { "The file is damaged: \($0)" }
    }
}

/// A Realm with the sensors used so far.
final class RealmSensorSession: SensorSession {
    let realm: Realm
    private let descriptions: [SensorDescription]
    private var sensors: [Sensor?]

    init(_ realm: Realm, _ descriptions: [SensorDescription]) {
        self.realm = realm
        self.descriptions = descriptions
        sensors = Array(repeating: nil, count: descriptions.count)
    }

    /// Rolls an open transaction back, as sessions of other databases do when they are dropped. The
    /// Realm alone would stay until the transaction has ended.
    deinit { if realm.isInWriteTransaction { cancel() } }

    func begin() { realm.beginWrite() }

    func append(_ reading: ProducedReading) throws {
        let sensor = try sensors[reading.sensor] ?? find(reading.sensor)
        sensor.append(reading, in: realm)
    }

    func commit() throws -> CommitCost? {
        try realm.commitWrite()
        return realm.lastCommitStatistics.map(CommitCost.init)
    }

    func cancel() { realm.cancelWrite() }

    private func find(_ position: Int) throws -> Sensor {
        let identifier = descriptions[position].identifier
        guard let sensor = realm.object(ofType: Sensor.self, forPrimaryKey: identifier) else {
            throw BenchmarkError(.caseFailed, "The sensor '\(identifier)' is not in the file.")
        }
        sensors[position] = sensor
        return sensor
    }
}
