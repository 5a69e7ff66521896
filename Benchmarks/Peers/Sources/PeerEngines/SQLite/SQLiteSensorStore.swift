import BenchmarkKit
import Foundation

/// Sensors and readings in SQLite. The row id of a reading is its sensor's position above 40 bits
/// of the reading's number. A sensor's readings are thus adjacent, and the oldest is found without
/// an index.
struct SQLiteSensorStore: SensorStore {
    private let writers: SQLiteWriterPool

    private static let schema = [
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

    init(path: String, _ settings: SQLiteSettings) throws {
        writers = SQLiteWriterPool(atMost: settings.isExclusive ? 1 : nil) {
            try SQLiteConnection(path: path, settings, schema: Self.schema)
        }
        // One connection stays open from the start, because closing the last one of a file empties
        // and removes its log.
        writers.giveBack(try writers.take())
    }

    private func withConnection<Result>(_ body: (SQLiteConnection) throws -> Result) throws
        -> Result
    {
        let writer = try writers.take()
        defer { writers.giveBack(writer) }
        return try body(writer.connection)
    }

    func create(_ sensors: [SensorDescription]) throws {
        try withConnection { try Self.create(sensors, $0) }
    }

    private static func create(
        _ sensors: [SensorDescription], _ connection: SQLiteConnection
    ) throws {
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
        SQLiteSensorSession(try writers.take(), of: writers)
    }

    func contents() throws -> [StoredSensor] { try withConnection(Self.contents) }

    private static func contents(_ connection: SQLiteConnection) throws -> [StoredSensor] {
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
        try connection.endReading()
        return contents
    }

    func size() throws -> StoreSize { try withConnection { try $0.size() } }

    /// Returns 0, since no method here leaves a read transaction open.
    func pinnedVersions() throws -> Int { 0 }

    func problems() throws -> [String] { try withConnection { try $0.problems() } }
}

/// The keys of readings, which are numbered for each sensor, from 0 and in commit order.
enum ReadingKey {
    static func make(sensor: Int, number: Int) -> Int { sensor << 40 | number }
}
