import BenchmarkKit
import CLMDB
import ToolSupport

/// Sensors and readings in LMDB. Readings have the same keys as in SQLite: the sensor's position
/// above 40 bits of the reading's number.
struct LMDBSensorStore: SensorStore {
    private let lease: LMDBEnvironment.Lease
    private let settings: LMDBSettings
    private let sensors, readings: MDB_dbi

    init(path: String, _ settings: LMDBSettings) throws {
        lease = try LMDBEnvironment.lease(path, settings)
        self.settings = settings
        sensors = try lease.database.database("sensors", MDB_INTEGERKEY)
        readings = try lease.database.database("readings", MDB_INTEGERKEY)
    }

    func create(_ sensors: [SensorDescription]) throws {
        let value = ByteBuffer()
        try LMDBSession(lease.database.path, settings).write { transaction in
            for (position, sensor) in sensors.enumerated() {
                PackedSensor.pack(sensor, into: value)
                try transaction.put(self.sensors, position, value.bytes, MDB_APPEND)
            }
        }
    }

    func makeSession(_ sensors: [SensorDescription]) throws -> any SensorSession {
        LMDBSensorSession(lease, sensors: self.sensors, readings: readings)
    }

    func contents() throws -> [StoredSensor] {
        let transaction = try LMDBTransaction(lease.database, isReading: true)
        defer { transaction.abort() }
        var contents: [StoredSensor] = []
        try transaction.forEach(sensors) { position, sensor in
            let position = position.loadUnaligned(as: Int.self)
            let end = ReadingKey.make(sensor: position + 1, number: 0)
            var kept: [Int] = []
            try withUnsafeBytes(of: ReadingKey.make(sensor: position, number: 0)) {
                try transaction.forEach(readings, from: $0) { key, reading in
                    guard key.loadUnaligned(as: Int.self) < end else { return false }
                    kept.append(PackedSensor.sequence(reading))
                    return true
                }
            }
            contents.append(
                StoredSensor(
                    identifier: PackedSensor.identifier(sensor),
                    account: PackedSensor.account(sensor), kept: kept))
            return true
        }
        return contents
    }

    func size() throws -> StoreSize { try lease.database.size() }
    func pinnedVersions() throws -> Int { try lease.database.pinnedVersions() }

    /// Checks the file by visiting every entry and comparing the trees' counts, since LMDB has no
    /// check of its own.
    func problems() throws -> [String] {
        let transaction = try LMDBTransaction(lease.database, isReading: true)
        defer { transaction.abort() }
        return try [sensors, readings].compactMap { database in
            var found = 0
            try transaction.forEach(database) { _, _ in
                found += 1
                return true
            }
            let counted = try transaction.statistics(database).ms_entries
            return found == counted
                ? nil : "LMDB counts \(counted) entries, but \(found) can be visited."
        }
    }
}

/// A session that writes readings into LMDB.
final class LMDBSensorSession: SensorSession {
    private let lease: LMDBEnvironment.Lease
    private let sensors, readings: MDB_dbi
    private var transaction: LMDBTransaction?
    private var accounts = OpenAccounts()
    private let value = ByteBuffer()

    init(_ lease: LMDBEnvironment.Lease, sensors: MDB_dbi, readings: MDB_dbi) {
        self.lease = lease
        self.sensors = sensors
        self.readings = readings
    }

    deinit { cancel() }

    func begin() throws {
        accounts.removeAll()
        transaction = try LMDBTransaction(lease.database, isReading: false)
    }

    private func begun() throws -> LMDBTransaction {
        guard let transaction else {
            throw BenchmarkError(.internalError, "A reading was written outside a transaction.")
        }
        return transaction
    }

    func append(_ reading: ProducedReading) throws {
        let transaction = try begun()
        let number = try accounts.add(reading) {
            try transaction.get(sensors, $0).map(PackedSensor.account)
        }
        PackedSensor.pack(reading, into: value)
        try transaction.put(
            readings, ReadingKey.make(sensor: reading.sensor, number: number), value.bytes)
        guard number >= SensorAccount.capacity else { return }
        let oldest = ReadingKey.make(
            sensor: reading.sensor, number: number - SensorAccount.capacity)
        try withUnsafeBytes(of: oldest) { _ = try transaction.delete(readings, $0) }
    }

    func commit() throws -> CommitCost? {
        let transaction = try begun()
        for (position, account) in accounts.changed {
            guard let sensor = try transaction.get(sensors, position) else { continue }
            PackedSensor.pack(sensor, account, into: value)
            try transaction.put(sensors, position, value.bytes)
        }
        // The transaction is over whether the commit succeeds or fails.
        self.transaction = nil
        try transaction.commit()
        return nil
    }

    func cancel() {
        transaction?.abort()
        transaction = nil
    }
}
