import BenchmarkKit
import CLMDB

/// Records in LMDB: the key maps to all fields. Each read uses a read transaction of its own and
/// sees the newest version.
final class LMDBRecordStore: RecordStore {
    private let session: LMDBSession
    private let records: MDB_dbi
    private let value = ByteBuffer()

    init(path: String, _ settings: LMDBSettings) throws {
        session = try LMDBSession(path, settings)
        records = try session.environment.database("records")
    }

    func load(_ records: [(key: String, fields: [[UInt8]])]) throws {
        try session.write { transaction in
            for record in records { try put(record.key, record.fields, transaction) }
        }
    }

    func insert(_ key: String, _ fields: [[UInt8]]) throws {
        try session.write { try put(key, fields, $0) }
    }

    private func put(_ key: String, _ fields: [[UInt8]], _ transaction: LMDBTransaction) throws {
        PackedRecord.pack(fields, into: value)
        try withBytes(key) { try transaction.put(records, $0, value.bytes, MDB_NOOVERWRITE) }
    }

    private func withBytes<Result>(
        _ key: String, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        var key = key
        return try key.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }

    func read(_ key: String) throws -> Int? {
        let transaction = try session.reading()
        defer { session.endReading() }
        return try withBytes(key) { try transaction.get(records, $0).map(PackedRecord.firstBytes) }
    }

    func update(_ key: String, field: Int, to value: [UInt8]) throws {
        try session.write { try set(key, field, value, $0) }
    }

    func readModifyWrite(_ key: String, field: Int, to value: [UInt8]) throws {
        try session.write { transaction in
            try withBytes(key) {
                guard let record = try transaction.get(records, $0) else {
                    throw missingRecord(key)
                }
                keep(PackedRecord.firstBytes(record))
            }
            try set(key, field, value, transaction)
        }
    }

    private func set(
        _ key: String, _ field: Int, _ bytes: [UInt8], _ transaction: LMDBTransaction
    ) throws {
        try withBytes(key) {
            guard let record = try transaction.get(records, $0) else { throw missingRecord(key) }
            PackedRecord.pack(record, field: field, value: bytes, into: value)
            try transaction.put(records, $0, value.bytes)
        }
    }

    func scan(from key: String, count: Int) throws -> Int {
        guard count > 0 else { return 0 }
        let transaction = try session.reading()
        defer { session.endReading() }
        var found = 0
        var sum = 0
        try withBytes(key) { start in
            try transaction.forEach(records, from: start) { _, record in
                sum &+= PackedRecord.firstBytes(record)
                found += 1
                return found < count
            }
        }
        keep(sum)
        return found
    }

    func forEach(_ body: (_ key: String, _ fields: [[UInt8]]) -> Void) throws {
        let transaction = try session.reading()
        defer { session.endReading() }
        try transaction.forEach(records) { key, record in
            body(String(decoding: key, as: UTF8.self), PackedRecord.fields(record))
            return true
        }
    }

    func size() throws -> StoreSize { try session.environment.size() }
}
