import BenchmarkKit
import Foundation
import GRDB
import ToolSupport

/// Objects with a property of each kind as GRDB records, with one column for each property. A read
/// fetches only the column that it measures, by the key of the record; a write sets that column.
final class GRDBPropertyStore: PropertyStore, GRDBObjectStore {
    let lease: GRDBDatabase.Lease
    /// The database of the current transaction.
    private var database: Database?

    init(path: String, _ durability: Durability) throws {
        lease = try GRDBDatabase.lease(path, durability) { try PropertyRecord.createTables($0) }
    }

    func add(_ objects: [PropertyValues]) throws {
        try pool.write { database in
            if try PropertyTargetRecord.fetchCount(database) == 0 {
                for number in 0..<PropertyValues.targets {
                    try PropertyTargetRecord(number: number).insert(database)
                }
            }
            for values in objects { try PropertyRecord(values).insert(database) }
        }
    }

    func forEach(_ body: (_ number: Int, _ texts: [String]) -> Void) throws {
        try pool.read { database in
            let records = try PropertyRecord.fetchCursor(database)
            while let record = try records.next() {
                body(record.number, PropertyKind.allCases.map { record.text(of: $0) })
            }
        }
    }

    /// Does nothing, since each call finds its record by key.
    func hold(_ count: Int) {}

    // MARK: Reading

    func sum(of kind: PropertyKind, object number: Int, times: Int) throws -> UInt64 {
        try pool.read { database in
            var sum: UInt64 = 0
            for _ in 0..<times { sum &+= try Self.word(of: kind, number, database) }
            return sum
        }
    }

    private static func word(
        of kind: PropertyKind, _ number: Int, _ database: Database
    ) throws -> UInt64 {
        func value<Value: DatabaseValueConvertible>(_ column: some SQLSelectable) throws -> Value {
            let request = PropertyRecord.filter(key: number).select(column, as: Value.self)
            guard let value = try request.fetchOne(database) else {
                throw missingRecord(String(number))
            }
            return value
        }
        switch kind {
        case .bool: return try value(PropertyColumns.bool) as Bool ? 1 : 0
        case .int: return UInt64(try value(PropertyColumns.int) as Int)
        case .float: return UInt64((try value(PropertyColumns.float) as Float).bitPattern)
        case .double: return (try value(PropertyColumns.double) as Double).bitPattern
        case .string: return UInt64((try value(PropertyColumns.string) as String).utf8.last ?? 0)
        case .data: return UInt64((try value(PropertyColumns.data) as Data).first ?? 0)
        case .date: return UInt64(try value(PropertyColumns.date) as Int)
        case .uuid: return UInt64((try value(PropertyColumns.uuid) as UUID).uuid.15)
        case .objectId:
            return (try value(PropertyColumns.objectId) as Data).prefix(4)
                .reduce(0) { $0 << 8 | UInt64($1) }
        case .decimal: return PropertyRecord.cents(try value(PropertyColumns.decimal))
        case .enumeration:
            return UInt64((try value(PropertyColumns.grade) as PropertyRecord.Grade).rawValue)
        case .any:
            guard case .int(let found) = try value(PropertyColumns.any) as PropertyRecord.AnyValue
            else { return 0 }
            return UInt64(found)
        case .optionalInt:
            let request = PropertyRecord.filter(key: number)
                .select(PropertyColumns.optionalInt, as: Int?.self)
            return UInt64((try request.fetchOne(database) ?? nil) ?? 0)
        case .link:
            let records = PropertyTargetRecord.records.filter(key: number)
            let target = try PropertyTargetRecord.joining(required: records).fetchOne(database)
            return UInt64(target?.number ?? 0)
        case .embedded:
            return UInt64((try value(PropertyColumns.part) as PropertyRecord.Part).value)
        }
    }

    // MARK: Writing

    func write(_ body: () throws -> Void) throws {
        try pool.write { database in
            self.database = database
            defer { self.database = nil }
            try body()
        }
    }

    func set(
        _ kind: PropertyKind, object number: Int, to values: (PropertyValues, PropertyValues),
        times: Int
    ) throws {
        guard let database else {
            throw BenchmarkError(.internalError, "A property was set outside of a transaction.")
        }
        let assignments = (
            PropertyRecord(values.0).assignment(of: kind),
            PropertyRecord(values.1).assignment(of: kind)
        )
        for time in 0..<times {
            let updated = try PropertyRecord.filter(key: number)
                .updateAll(database, time % 2 == 0 ? assignments.0 : assignments.1)
            guard updated == 1 else { throw missingRecord(String(number)) }
        }
    }
}
