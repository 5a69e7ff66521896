import BenchmarkKit
import Dispatch
import Foundation

/// A connection with the statements that write readings. Belongs to one thread at a time.
final class SQLiteSensorWriter {
    let connection: SQLiteConnection
    let find, update, insert, delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws {
        self.connection = connection
        find = try connection.prepare("SELECT written, checksum FROM sensor WHERE position = ?1")
        update = try connection.prepare(
            "UPDATE sensor SET written = ?2, checksum = ?3 WHERE position = ?1")
        insert = try connection.prepare("INSERT INTO reading VALUES (?1, ?2, ?3, ?4, ?5)")
        delete = try connection.prepare("DELETE FROM reading WHERE id = ?1")
    }
}

/// A pool of open connections that wait for the next session. Opening a connection for each session
/// would dominate the measurement.
///
/// Sharing is safe because `idle` is only accessed with `lock` held, and a taken writer belongs to
/// one session only.
final class SQLiteWriterPool: @unchecked Sendable {
    private let lock = NSLock()
    private var idle: [SQLiteSensorWriter] = []
    private let connect: @Sendable () throws -> SQLiteConnection
    /// The connections that may still be taken; nil if any number may.
    private let left: DispatchSemaphore?

    init(atMost limit: Int? = nil, connect: @escaping @Sendable () throws -> SQLiteConnection) {
        self.connect = connect
        left = limit.map { DispatchSemaphore(value: $0) }
    }

    /// Returns an idle connection or a new one. Waits where no more may be taken.
    func take() throws -> SQLiteSensorWriter {
        left?.wait()
        if let writer = lock.withLock({ idle.popLast() }) { return writer }
        return try SQLiteSensorWriter(connect())
    }

    func giveBack(_ writer: SQLiteSensorWriter) {
        lock.withLock { idle.append(writer) }
        left?.signal()
    }
}

/// A session that writes readings into SQLite.
final class SQLiteSensorSession: SensorSession {
    private let writer: SQLiteSensorWriter
    private let pool: SQLiteWriterPool
    private var accounts = OpenAccounts()

    init(_ writer: SQLiteSensorWriter, of pool: SQLiteWriterPool) {
        self.writer = writer
        self.pool = pool
    }

    deinit {
        cancel()
        pool.giveBack(writer)
    }

    func begin() throws {
        accounts.removeAll()
        try writer.connection.beginWriting()
    }

    func append(_ reading: ProducedReading) throws {
        let number = try accounts.add(reading, stored: account)
        writer.insert.bind(ReadingKey.make(sensor: reading.sensor, number: number), at: 1)
        writer.insert.bind(reading.sequence, at: 2)
        writer.insert.bind(reading.time, at: 3)
        writer.insert.bind(reading.value, at: 4)
        try reading.payload.withUnsafeBytes {
            writer.insert.bind(blob: $0, at: 5)
            try writer.insert.run()
        }
        guard number >= SensorAccount.capacity else { return }
        writer.delete.bind(
            ReadingKey.make(sensor: reading.sensor, number: number - SensorAccount.capacity),
            at: 1)
        try writer.delete.run()
    }

    private func account(_ sensor: Int) throws -> SensorAccount? {
        writer.find.bind(sensor, at: 1)
        guard try writer.find.step() else { return nil }
        defer { writer.find.reset() }
        return SensorAccount(written: writer.find.integer(0), checksum: writer.find.integer(1))
    }

    func commit() throws -> CommitCost? {
        for (sensor, account) in accounts.changed {
            writer.update.bind(sensor, at: 1)
            writer.update.bind(account.written, at: 2)
            writer.update.bind(account.checksum, at: 3)
            try writer.update.run()
        }
        try writer.connection.commitWriting()
        return nil
    }

    func cancel() { writer.connection.cancelWriting() }
}
