import BenchmarkKit
import Foundation

/// Sensors and readings in SQLite. The row id of a reading is its sensor's position above 40 bits
/// of its own, so that a sensor's readings lie together and the oldest is found without an index.
struct SQLiteSensorStore: SensorStore {
    let path: String
    let durability: Durability

    static let schema = [
        """
        CREATE TABLE IF NOT EXISTS sensor (
            position INTEGER PRIMARY KEY, identifier TEXT NOT NULL UNIQUE, city TEXT NOT NULL,
            parameter TEXT NOT NULL, written INTEGER NOT NULL, checksum INTEGER NOT NULL
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS reading (
            id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, date REAL NOT NULL,
            value REAL NOT NULL, payload BLOB NOT NULL
        )
        """,
    ]

    init(path: String, _ durability: Durability) throws {
        self.path = path
        self.durability = durability
    }

    private func connect() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, durability: durability, schema: Self.schema)
    }

    func create(_ sensors: [SensorDescription]) throws {
        let connection = try connect()
        let insert = try connection.prepare(
            "INSERT INTO sensor VALUES (?1, ?2, ?3, ?4, 0, 0)")
        try connection.write {
            for (position, sensor) in sensors.enumerated() {
                insert.bind(position, at: 1)
                try insert.withText(sensor.identifier, at: 2) {
                    try insert.withText(sensor.city, at: 3) {
                        try insert.withText(sensor.parameter, at: 4) { try insert.run() }
                    }
                }
            }
        }
    }

    func makeSession(_ sensors: [SensorDescription]) throws -> any SensorSession {
        try SQLiteSensorSession(connect())
    }

    func contents() throws -> [StoredSensor] {
        let connection = try connect()
        let sensors = try connection.prepare(
            "SELECT position, identifier, written, checksum FROM sensor ORDER BY position")
        let readings = try connection.prepare(
            "SELECT sequence FROM reading WHERE id >= ?1 AND id < ?2 ORDER BY id")
        try connection.read()
        var contents: [StoredSensor] = []
        while try sensors.step() {
            let position = sensors.integer(0)
            readings.bind(ReadingKey.make(sensor: position, number: 0), at: 1)
            readings.bind(ReadingKey.make(sensor: position + 1, number: 0), at: 2)
            var kept: [Int] = []
            while try readings.step() { kept.append(readings.integer(0)) }
            contents.append(
                StoredSensor(
                    identifier: sensors.text(1),
                    account: SensorAccount(
                        written: sensors.integer(2), checksum: sensors.integer(3)),
                    kept: kept))
        }
        return contents
    }

    func size() throws -> StoreSize { try connect().size() }

    /// No method here leaves a read transaction open.
    func pinnedVersions() throws -> Int { 0 }

    func problems() throws -> [String] { try connect().problems() }
}

/// Readings are numbered for each sensor, from 0 and in order of their commits.
enum ReadingKey {
    static func make(sensor: Int, number: Int) -> Int { sensor << 40 | number }
}

/// Writes readings into SQLite.
final class SQLiteSensorSession: SensorSession {
    private let connection: SQLiteConnection
    private let find, update, insert, delete: SQLiteStatement
    private var accounts = OpenAccounts()

    init(_ connection: SQLiteConnection) throws {
        self.connection = connection
        find = try connection.prepare("SELECT written, checksum FROM sensor WHERE position = ?1")
        update = try connection.prepare(
            "UPDATE sensor SET written = ?2, checksum = ?3 WHERE position = ?1")
        insert = try connection.prepare("INSERT INTO reading VALUES (?1, ?2, ?3, ?4, ?5)")
        delete = try connection.prepare("DELETE FROM reading WHERE id = ?1")
    }

    func begin() throws {
        accounts.removeAll()
        try connection.beginWriting()
    }

    func append(_ reading: ProducedReading) throws {
        let number = try accounts.add(reading, stored: account)
        insert.bind(ReadingKey.make(sensor: reading.sensor, number: number), at: 1)
        insert.bind(reading.sequence, at: 2)
        insert.bind(reading.time, at: 3)
        insert.bind(reading.value, at: 4)
        try reading.payload.withUnsafeBytes {
            insert.bind(blob: $0, at: 5)
            try insert.run()
        }
        guard number >= SensorAccount.capacity else { return }
        delete.bind(
            ReadingKey.make(sensor: reading.sensor, number: number - SensorAccount.capacity),
            at: 1)
        try delete.run()
    }

    private func account(_ sensor: Int) throws -> SensorAccount? {
        find.bind(sensor, at: 1)
        guard try find.step() else { return nil }
        defer { find.reset() }
        return SensorAccount(written: find.integer(0), checksum: find.integer(1))
    }

    func commit() throws -> CommitCost? {
        for (sensor, account) in accounts.changed {
            update.bind(sensor, at: 1)
            update.bind(account.written, at: 2)
            update.bind(account.checksum, at: 3)
            try update.run()
        }
        try connection.commitWriting()
        return nil
    }

    func cancel() { connection.cancelWriting() }
}
