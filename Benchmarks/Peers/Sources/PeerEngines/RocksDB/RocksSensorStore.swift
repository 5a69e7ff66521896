import BenchmarkKit
import ToolSupport

/// Sensors and readings in RocksDB. The key of a reading is its sensor's position above 40 bits of
/// the reading's number.
struct RocksSensorStore: SensorStore {
    private let lease: RocksDatabase.Lease
    private let settings: RocksSettings

    init(path: String, _ settings: RocksSettings) throws {
        lease = try RocksDatabase.lease(path, settings.writing)
        self.settings = settings
    }

    private func session() throws -> RocksSession {
        try RocksSession(lease.database.path, settings)
    }

    func create(_ sensors: [SensorDescription]) throws {
        let session = try session()
        try session.write { batch in
            for (position, sensor) in sensors.enumerated() {
                session.key.setKey(RocksKind.sensor, position)
                PackedSensor.pack(sensor, into: session.value)
                batch.put(session.key, session.value)
            }
        }
    }

    func makeSession(_ sensors: [SensorDescription]) throws -> any SensorSession {
        RocksSensorSession(try session())
    }

    func contents() throws -> [StoredSensor] {
        let session = try session()
        session.pin()
        var contents: [StoredSensor] = []
        try session.forEach(prefix: RocksKind.sensor) { key, sensor in
            let position = key.bigEndian(Int.self, at: 1)
            let end = ReadingKey.make(sensor: position + 1, number: 0)
            session.key.setKey(
                RocksKind.reading, ReadingKey.make(sensor: position, number: 0))
            var kept: [Int] = []
            try session.forEach(prefix: RocksKind.reading, from: session.key.bytes) {
                key, reading in
                guard key.bigEndian(Int.self, at: 1) < end else { return false }
                kept.append(PackedSensor.sequence(reading))
                return true
            }
            contents.append(
                StoredSensor(
                    identifier: PackedSensor.identifier(sensor),
                    account: PackedSensor.account(sensor), kept: kept))
            return true
        }
        return contents
    }

    func size() throws -> StoreSize { lease.database.size() }
    func pinnedVersions() throws -> Int { try lease.database.snapshots() }
    func problems() throws -> [String] { try lease.database.problems() }
}

/// A session that writes readings into RocksDB.
final class RocksSensorSession: SensorSession {
    private let session: RocksSession
    private var batch: RocksBatch?
    private var accounts = OpenAccounts()

    init(_ session: RocksSession) { self.session = session }

    deinit { cancel() }

    func begin() throws {
        session.database.beginWriting()
        accounts.removeAll()
        batch = RocksBatch()
    }

    private func begun() throws -> RocksBatch {
        guard let batch else {
            throw BenchmarkError(.internalError, "A reading was written outside a transaction.")
        }
        return batch
    }

    func append(_ reading: ProducedReading) throws {
        let batch = try begun()
        let number = try accounts.add(reading) { position in
            session.key.setKey(RocksKind.sensor, position)
            return try session.get(session.key.bytes, PackedSensor.account)
        }
        session.key.setKey(
            RocksKind.reading, ReadingKey.make(sensor: reading.sensor, number: number))
        PackedSensor.pack(reading, into: session.value)
        batch.put(session.key, session.value)
        guard number >= SensorAccount.capacity else { return }
        let oldest = ReadingKey.make(
            sensor: reading.sensor, number: number - SensorAccount.capacity)
        session.key.setKey(RocksKind.reading, oldest)
        batch.deleteWrittenOnce(session.key.bytes)
    }

    func commit() throws -> CommitCost? {
        let batch = try begun()
        for (position, account) in accounts.changed {
            session.key.setKey(RocksKind.sensor, position)
            _ = try session.get(session.key.bytes) { sensor in
                PackedSensor.pack(sensor, account, into: session.value)
                batch.put(session.key, session.value)
            }
        }
        // The transaction is over whether the commit succeeds or fails.
        defer { cancel() }
        try session.commit(batch)
        return nil
    }

    func cancel() {
        guard batch != nil else { return }
        batch = nil
        session.database.endWriting()
    }
}
