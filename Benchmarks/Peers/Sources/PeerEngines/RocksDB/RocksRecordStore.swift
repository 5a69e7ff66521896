import BenchmarkKit

/// Records in RocksDB: the key maps to all fields.
final class RocksRecordStore: RecordStore {
    private let session: RocksSession

    init(path: String, _ settings: RocksSettings) throws {
        session = try RocksSession(path, settings)
    }

    func load(_ records: [(key: String, fields: [[UInt8]])]) throws {
        try session.insert { batch in
            for record in records { put(record.key, record.fields, batch) }
        }
    }

    func insert(_ key: String, _ fields: [[UInt8]]) throws {
        try session.insert { put(key, fields, $0) }
    }

    private func put(_ key: String, _ fields: [[UInt8]], _ batch: RocksBatch) {
        session.key.setKey(RocksKind.record, key)
        PackedRecord.pack(fields, into: session.value)
        batch.put(session.key, session.value)
    }

    func read(_ key: String) throws -> Int? {
        session.key.setKey(RocksKind.record, key)
        return try session.get(session.key.bytes, PackedRecord.firstBytes)
    }

    func update(_ key: String, field: Int, to value: [UInt8]) throws {
        try session.write { try set(key, field, value, $0) }
    }

    func readModifyWrite(_ key: String, field: Int, to value: [UInt8]) throws {
        try session.write { batch in
            guard let sum = try read(key) else { throw missingRecord(key) }
            keep(sum)
            try set(key, field, value, batch)
        }
    }

    private func set(_ key: String, _ field: Int, _ value: [UInt8], _ batch: RocksBatch) throws {
        session.key.setKey(RocksKind.record, key)
        let found: Void? = try session.get(session.key.bytes) { record in
            PackedRecord.pack(record, field: field, value: value, into: session.value)
            batch.put(session.key, session.value)
        }
        guard found != nil else { throw missingRecord(key) }
    }

    func scan(from key: String, count: Int) throws -> Int {
        guard count > 0 else { return 0 }
        session.key.setKey(RocksKind.record, key)
        var found = 0
        var sum = 0
        try session.forEach(prefix: RocksKind.record, from: session.key.bytes) { _, record in
            sum &+= PackedRecord.firstBytes(record)
            found += 1
            return found < count
        }
        keep(sum)
        return found
    }

    func forEach(_ body: (_ key: String, _ fields: [[UInt8]]) -> Void) throws {
        try session.forEach(prefix: RocksKind.record) { key, record in
            body(String(decoding: key.dropFirst(), as: UTF8.self), PackedRecord.fields(record))
            return true
        }
    }

    func size() throws -> StoreSize { session.database.size() }
}
