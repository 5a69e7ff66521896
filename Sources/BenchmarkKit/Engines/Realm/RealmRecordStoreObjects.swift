import Foundation
import RealmSwift
import StorageEngine
import ToolSupport

/// A record of YCSB.
final class StoredRecord: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var key: String
    @Persisted var field0: Data
    @Persisted var field1: Data
    @Persisted var field2: Data
    @Persisted var field3: Data
    @Persisted var field4: Data
    @Persisted var field5: Data
    @Persisted var field6: Data
    @Persisted var field7: Data
    @Persisted var field8: Data
    @Persisted var field9: Data

    convenience init(key: String, fields: [[UInt8]]) {
        self.init()
        self.key = key
        for (number, field) in fields.enumerated() { self[number] = Data(field) }
    }

    /// The field with that number.
    subscript(number: Int) -> Data {
        get {
            switch number {
            case 0: field0
            case 1: field1
            case 2: field2
            case 3: field3
            case 4: field4
            case 5: field5
            case 6: field6
            case 7: field7
            case 8: field8
            case 9: field9
            default: preconditionFailure("a record has ten fields")
            }
        }
        set {
            switch number {
            case 0: field0 = newValue
            case 1: field1 = newValue
            case 2: field2 = newValue
            case 3: field3 = newValue
            case 4: field4 = newValue
            case 5: field5 = newValue
            case 6: field6 = newValue
            case 7: field7 = newValue
            case 8: field8 = newValue
            case 9: field9 = newValue
            default: preconditionFailure("a record has ten fields")
            }
        }
    }

    /// Reads all fields and returns the sum of their first bytes.
    func sumOfFirstBytes() -> Int {
        var sum = 0
        for number in 0..<YCSBRecord.fieldCount { sum += Int(self[number].first ?? 0) }
        return sum
    }
}

extension RealmObjectEngine {
    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try RealmObjectRecordStore(path: path, durability)
    }
}

/// Records through objects, as an application uses them.
private final class RealmObjectRecordStore: RecordStore {
    private let path: String
    private let realm: Realm

    init(path: String, _ durability: Durability) throws {
        self.path = path
        realm = try Realm(
            configuration: Realm.Configuration(
                path: path, durability, objectTypes: [StoredRecord.self]))
    }

    private func find(_ key: String) -> StoredRecord? {
        realm.object(ofType: StoredRecord.self, forPrimaryKey: key)
    }

    func load(_ records: [(key: String, fields: [[UInt8]])]) throws {
        try realm.write {
            for record in records {
                realm.add(StoredRecord(key: record.key, fields: record.fields))
            }
        }
    }

    func read(_ key: String) throws -> Int? {
        realm.refresh()
        return find(key)?.sumOfFirstBytes()
    }

    func update(_ key: String, field: Int, to value: [UInt8]) throws {
        try realm.write {
            guard let record = find(key) else { throw missing(key) }
            record[field] = Data(value)
        }
    }

    func insert(_ key: String, _ fields: [[UInt8]]) throws {
        try realm.write { realm.add(StoredRecord(key: key, fields: fields)) }
    }

    func scan(from key: String, count: Int) throws -> Int {
        realm.refresh()
        let records = realm.objects(StoredRecord.self).filter("key >= %@", key)
            .sorted(byKeyPath: "key")
        var found = 0
        for record in records.prefix(count) {
            blackHole(record.sumOfFirstBytes())
            found += 1
        }
        return found
    }

    func readModifyWrite(_ key: String, field: Int, to value: [UInt8]) throws {
        try realm.write {
            guard let record = find(key) else { throw missing(key) }
            blackHole(record.sumOfFirstBytes())
            record[field] = Data(value)
        }
    }

    func forEach(_ body: (String, [[UInt8]]) -> Void) throws {
        realm.refresh()
        for record in realm.objects(StoredRecord.self) {
            body(record.key, (0..<YCSBRecord.fieldCount).map { Array(record[$0]) })
        }
    }

    func size() throws -> StoreSize {
        StoreSize(try Database.open(path: path, options: .ofCase).statistics())
    }

    private func missing(_ key: String) -> BenchmarkError { RealmRecords.missing(key) }
}

/// The error that both layers share.
enum RealmRecords {
    static func missing(_ key: String) -> BenchmarkError {
        BenchmarkError(.caseFailed, "There is no record with the key '\(key)'.")
    }
}

/// Keeps the optimiser from removing the computation of a value.
@inline(never) @_optimize(none)
func blackHole(_ value: Int) {}
