import BenchmarkKit
import Dispatch
import Foundation
import GRDB

/// Sensors and readings as GRDB records. The ids of readings increase, so that a sensor's readings
/// are in commit order.
struct GRDBSensorStore: SensorStore {
    struct Sensor: Codable, FetchableRecord, PersistableRecord, Sendable {
        var id: Int
        var identifier, city, parameter: String
        var written: Int
        var checksum: Int
        static var databaseTableName: String { "sensor" }
    }

    struct Reading: Codable, FetchableRecord, PersistableRecord, Sendable {
        var id: Int64?
        var sensorId: Int
        var sequence: Int
        var date: Date
        var value: Double
        var payload: Data
        static var databaseTableName: String { "reading" }

        static func databaseDateEncodingStrategy(for column: String)
            -> DatabaseDateEncodingStrategy
        { .timeIntervalSince1970 }

        static func databaseDateDecodingStrategy(for column: String)
            -> DatabaseDateDecodingStrategy
        { .timeIntervalSince1970 }
    }

    private let lease: GRDBDatabase.Lease
    /// The write permission, held from the beginning of a transaction to its end, so that
    /// transactions commit in the order in which they began. It is not a mutex because a
    /// transaction may end on another thread than it began on.
    private let writing = DispatchSemaphore(value: 1)

    init(path: String, _ durability: Durability) throws {
        lease = try GRDBDatabase.lease(path, durability) { database in
            try database.create(table: "sensor", options: .ifNotExists) { table in
                table.primaryKey("id", .integer)
                table.column("identifier", .text).notNull().unique()
                table.column("city", .text).notNull()
                table.column("parameter", .text).notNull()
                table.column("written", .integer).notNull()
                table.column("checksum", .integer).notNull()
            }
            try database.create(table: "reading", options: .ifNotExists) { table in
                table.autoIncrementedPrimaryKey("id")
                table.belongsTo("sensor", onDelete: .cascade).notNull()
                table.column("sequence", .integer).notNull()
                table.column("date", .double).notNull()
                table.column("value", .double).notNull()
                table.column("payload", .blob).notNull()
            }
        }
    }

    func create(_ sensors: [SensorDescription]) throws {
        try lease.database.pool.write { database in
            for (position, sensor) in sensors.enumerated() {
                try Sensor(
                    id: position, identifier: sensor.identifier, city: sensor.city,
                    parameter: sensor.parameter, written: 0, checksum: 0
                ).insert(database)
            }
        }
    }

    func makeSession(_ sensors: [SensorDescription]) throws -> any SensorSession {
        GRDBSensorSession(lease, writing)
    }

    func contents() throws -> [StoredSensor] {
        try lease.database.pool.read { database in
            try Sensor.order(Column("id")).fetchAll(database).map { sensor in
                let kept = try Reading.filter(Column("sensorId") == sensor.id)
                    .order(Column("id")).select(Column("sequence"), as: Int.self)
                    .fetchAll(database)
                return StoredSensor(
                    identifier: sensor.identifier,
                    account: SensorAccount(written: sensor.written, checksum: sensor.checksum),
                    kept: kept)
            }
        }
    }

    func size() throws -> StoreSize { try lease.database.size() }

    /// Returns 0, since no method here leaves a snapshot open.
    func pinnedVersions() throws -> Int { 0 }

    func problems() throws -> [String] { try lease.database.problems() }
}

/// A session that writes readings through GRDB. GRDB's transactions are closures, so readings are
/// collected in memory until the commit, which does all the work.
final class GRDBSensorSession: SensorSession {
    private typealias Sensor = GRDBSensorStore.Sensor
    private typealias Reading = GRDBSensorStore.Reading

    private let lease: GRDBDatabase.Lease
    private let writing: DispatchSemaphore
    private var isWriting = false
    private var readings: [ProducedReading] = []

    init(_ lease: GRDBDatabase.Lease, _ writing: DispatchSemaphore) {
        self.lease = lease
        self.writing = writing
    }

    deinit { cancel() }

    func begin() throws {
        writing.wait()
        isWriting = true
        readings.removeAll(keepingCapacity: true)
    }

    func append(_ reading: ProducedReading) throws { readings.append(reading) }

    func commit() throws -> CommitCost? {
        // The transaction is over whether the commit succeeds or fails.
        defer { cancel() }
        let readings = readings
        try lease.database.pool.write { database in
            for reading in readings { try Self.append(reading, database) }
        }
        return nil
    }

    private static func append(_ produced: ProducedReading, _ database: Database) throws {
        var sensor = try Sensor.find(database, key: produced.sensor)
        try Reading(
            sensorId: sensor.id, sequence: produced.sequence,
            date: Date(timeIntervalSince1970: produced.time), value: produced.value,
            payload: produced.payload
        ).insert(database)
        try sensor.updateChanges(database) {
            var account = SensorAccount(written: $0.written, checksum: $0.checksum)
            account.add(sequence: produced.sequence)
            $0.written = account.written
            $0.checksum = account.checksum
        }
        guard sensor.written > SensorAccount.capacity else { return }
        _ = try Reading.filter(Column("sensorId") == sensor.id).order(Column("id")).limit(1)
            .deleteAll(database)
    }

    func cancel() {
        guard isWriting else { return }
        isWriting = false
        writing.signal()
    }
}
