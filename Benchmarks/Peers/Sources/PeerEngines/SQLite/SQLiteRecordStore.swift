import BenchmarkKit

/// Records in a table with row ids and an index on the key. A table without row ids would save a
/// lookup, but its tree keeps at most a quarter of a page of a row, which is less than a record.
///
/// Each reading statement is a read transaction of its own and sees the newest version.
final class SQLiteRecordStore: RecordStore {
    private static let fieldCount = 10

    private let connection: SQLiteConnection
    private let insertOne, find, scanFrom, all: SQLiteStatement
    private let updates: [SQLiteStatement]
    private let scratch = ByteBuffer()

    init(path: String, _ settings: SQLiteSettings) throws {
        let columns = (0..<Self.fieldCount).map { "field\($0)" }
        let definitions = columns.map { "\($0) BLOB NOT NULL" }.joined(separator: ", ")
        let list = columns.joined(separator: ", ")
        let parameters = (2...Self.fieldCount + 1).map { "?\($0)" }.joined(separator: ", ")
        let connection = try SQLiteConnection(
            path: path, settings,
            schema: ["CREATE TABLE IF NOT EXISTS record (key TEXT PRIMARY KEY, \(definitions))"])
        self.connection = connection
        insertOne = try connection.prepare(
            "INSERT INTO record (key, \(list)) VALUES (?1, \(parameters))")
        find = try connection.prepare("SELECT \(list) FROM record WHERE key = ?1")
        scanFrom = try connection.prepare(
            "SELECT \(list) FROM record WHERE key >= ?1 ORDER BY key LIMIT ?2")
        all = try connection.prepare("SELECT \(list), key FROM record")
        updates = try columns.map {
            try connection.prepare("UPDATE record SET \($0) = ?2 WHERE key = ?1 RETURNING 1")
        }
    }

    func load(_ records: [(key: String, fields: [[UInt8]])]) throws {
        try connection.write {
            for record in records { try add(record.key, record.fields) }
        }
    }

    func insert(_ key: String, _ fields: [[UInt8]]) throws {
        try connection.write { try add(key, fields) }
    }

    private func add(_ key: String, _ fields: [[UInt8]]) throws {
        // One buffer holds all fields, because they must stay valid until the statement has run.
        scratch.removeAll()
        for field in fields { scratch.append(field) }
        var start = 0
        for (position, field) in fields.enumerated() {
            let bytes = scratch.bytes[start..<start + field.count]
            insertOne.bind(blob: UnsafeRawBufferPointer(rebasing: bytes), at: Int32(position + 2))
            start += field.count
        }
        try insertOne.withText(key, at: 1) { try insertOne.run() }
    }

    func read(_ key: String) throws -> Int? {
        try find.withText(key, at: 1) {
            guard try find.step() else { return nil }
            defer { find.reset() }
            return Self.firstBytes(find)
        }
    }

    private static func firstBytes(_ row: SQLiteStatement) -> Int {
        var sum = 0
        for column in 0..<Int32(fieldCount) { sum += Int(row.bytes(column).first ?? 0) }
        return sum
    }

    func update(_ key: String, field: Int, to value: [UInt8]) throws {
        try connection.write { try set(key, field, value) }
    }

    private func set(_ key: String, _ field: Int, _ value: [UInt8]) throws {
        let update = updates[field]
        let found = try value.withUnsafeBytes { bytes in
            update.bind(blob: bytes, at: 2)
            return try update.withText(key, at: 1) { try update.runForInteger() }
        }
        guard found == 1 else { throw missingRecord(key) }
    }

    func scan(from key: String, count: Int) throws -> Int {
        scanFrom.bind(count, at: 2)
        return try scanFrom.withText(key, at: 1) {
            var found = 0
            var sum = 0
            while try scanFrom.step() {
                sum &+= Self.firstBytes(scanFrom)
                found += 1
            }
            keep(sum)
            return found
        }
    }

    func readModifyWrite(_ key: String, field: Int, to value: [UInt8]) throws {
        try connection.write {
            let sum: Int? = try find.withText(key, at: 1) {
                guard try find.step() else { return nil }
                defer { find.reset() }
                return Self.firstBytes(find)
            }
            guard let sum else { throw missingRecord(key) }
            keep(sum)
            try set(key, field, value)
        }
    }

    func forEach(_ body: (_ key: String, _ fields: [[UInt8]]) -> Void) throws {
        let keyColumn = Int32(Self.fieldCount)
        while try all.step() {
            body(all.text(keyColumn), (0..<keyColumn).map { Array(all.bytes($0)) })
        }
    }

    func size() throws -> StoreSize { try connection.size() }
}
