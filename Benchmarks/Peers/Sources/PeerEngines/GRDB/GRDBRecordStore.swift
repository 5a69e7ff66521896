import BenchmarkKit
import Foundation
import GRDB

/// Records of ten fields as GRDB records.
final class GRDBRecordStore: RecordStore {
    private struct Entry: Codable, FetchableRecord, PersistableRecord, Sendable {
        var key: String
        var field0, field1, field2, field3, field4, field5, field6, field7, field8, field9: Data

        static var databaseTableName: String { "record" }

        init(_ key: String, _ fields: [[UInt8]]) {
            self.key = key
            field0 = Data(fields[0])
            field1 = Data(fields[1])
            field2 = Data(fields[2])
            field3 = Data(fields[3])
            field4 = Data(fields[4])
            field5 = Data(fields[5])
            field6 = Data(fields[6])
            field7 = Data(fields[7])
            field8 = Data(fields[8])
            field9 = Data(fields[9])
        }

        var fields: [Data] {
            [field0, field1, field2, field3, field4, field5, field6, field7, field8, field9]
        }

        mutating func set(_ field: Int, to value: Data) {
            switch field {
            case 0: field0 = value
            case 1: field1 = value
            case 2: field2 = value
            case 3: field3 = value
            case 4: field4 = value
            case 5: field5 = value
            case 6: field6 = value
            case 7: field7 = value
            case 8: field8 = value
            default: field9 = value
            }
        }

        var sumOfFirstBytes: Int { fields.reduce(0) { $0 + Int($1.first ?? 0) } }
    }

    private let lease: GRDBDatabase.Lease

    init(path: String, _ durability: Durability) throws {
        lease = try GRDBDatabase.lease(path, durability) { database in
            try database.create(table: Entry.databaseTableName, options: .ifNotExists) { table in
                table.primaryKey("key", .text)
                for field in 0..<10 { table.column("field\(field)", .blob).notNull() }
            }
        }
    }

    private var pool: DatabasePool { lease.database.pool }

    func load(_ records: [(key: String, fields: [[UInt8]])]) throws {
        try pool.write { database in
            for record in records { try Entry(record.key, record.fields).insert(database) }
        }
    }

    func insert(_ key: String, _ fields: [[UInt8]]) throws {
        try pool.write { try Entry(key, fields).insert($0) }
    }

    func read(_ key: String) throws -> Int? {
        try pool.read { try Entry.fetchOne($0, key: key) }?.sumOfFirstBytes
    }

    func update(_ key: String, field: Int, to value: [UInt8]) throws {
        let updated = try pool.write {
            try Entry.filter(key: key)
                .updateAll($0, Column("field\(field)").set(to: Data(value)))
        }
        guard updated == 1 else { throw missingRecord(key) }
    }

    func scan(from key: String, count: Int) throws -> Int {
        let found = try pool.read {
            try Entry.filter(Column("key") >= key).order(Column("key")).limit(count).fetchAll($0)
        }
        keep(found.reduce(0) { $0 + $1.sumOfFirstBytes })
        return found.count
    }

    func readModifyWrite(_ key: String, field: Int, to value: [UInt8]) throws {
        try pool.write { database in
            var entry = try Entry.find(database, key: key)
            keep(entry.sumOfFirstBytes)
            try entry.updateChanges(database) { $0.set(field, to: Data(value)) }
        }
    }

    func forEach(_ body: (_ key: String, _ fields: [[UInt8]]) -> Void) throws {
        try pool.read { database in
            let entries = try Entry.fetchCursor(database)
            while let entry = try entries.next() {
                body(entry.key, entry.fields.map { Array($0) })
            }
        }
    }

    func size() throws -> StoreSize { try lease.database.size() }
}
