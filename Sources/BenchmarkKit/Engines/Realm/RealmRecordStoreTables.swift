import StorageEngine
import ToolSupport

extension RealmTableEngine {
    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        try RealmTableRecordStore(path: path, durability)
    }
}

/// Records through the engine's tables, in the same table as the objects.
private final class RealmTableRecordStore: RecordStore {
    private let connection: Connection
    private let table: Table
    private let durability: Durability

    /// The definition of the table that the object layer creates for its class.
    private static var definition: TableDefinition {
        let key = ColumnDefinition(name: "key", type: .string, isPrimaryKey: true)
        let fields = (0..<YCSBRecord.fieldCount).map {
            ColumnDefinition(name: "field\($0)", type: .data)
        }
        return TableDefinition(name: "StoredRecord", columns: [key] + fields)
    }

    init(path: String, _ durability: Durability) throws {
        self.durability = durability
        connection = try Connection(Database.open(path: path, options: .ofCase))
        table = try RealmTablePersonStore.table(connection, Self.definition)
    }

    // MARK: Values

    private func withScalar<R>(_ key: String, _ body: (Scalar) throws -> R) rethrows -> R {
        var key = key
        return try key.withUTF8 { try body(.bytes(UnsafeRawBufferPointer($0))) }
    }

    private func find(_ key: String) throws -> ObjectKey? {
        try withScalar(key) { try table.find(primaryKey: $0) }
    }

    /// Returns the bytes of a column. The column of a field is its number + 1, after the key.
    private func bytes(
        _ column: Int, at location: RowLocation
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        guard case .bytes(let bytes) = try table.value(column, at: location) else {
            throw connection.incomplete("A column of a record is not of bytes.")
        }
        return bytes
    }

    private func sumOfFirstBytes(_ object: ObjectKey) throws -> Int? {
        try table.location(of: object).map(sumOfFirstBytes)
    }

    private func sumOfFirstBytes(at location: RowLocation) throws(StorageError) -> Int {
        var sum = 0
        for field in 0..<YCSBRecord.fieldCount {
            sum += Int(try bytes(field + 1, at: location).first ?? 0)
        }
        return sum
    }

    private func insertRow(_ key: String, _ fields: [[UInt8]]) throws {
        try withScalar(key) { key in
            try withUnsafeTemporaryAllocation(of: Scalar.self, capacity: fields.count + 1) { row in
                row.initializeElement(at: 0, to: key)
                try insertRow(row, fields, from: 0)
            }
        }
    }

    /// Inserts a row by recursion over the fields, so that the bytes of every field stay valid
    /// until the row is inserted.
    private func insertRow(
        _ row: UnsafeMutableBufferPointer<Scalar>, _ fields: [[UInt8]], from field: Int
    ) throws {
        guard field < fields.count else {
            _ = try table.insert(UnsafeBufferPointer(row))
            return
        }
        try fields[field].withUnsafeBytes { bytes in
            row.initializeElement(at: field + 1, to: .bytes(bytes))
            try insertRow(row, fields, from: field + 1)
        }
    }

    private func write(_ body: () throws -> Void) throws {
        try connection.beginWrite()
        do {
            try body()
        } catch {
            connection.rollback()
            throw error
        }
        try connection.commit(durability.ofCommit)
    }

    private func setField(_ field: Int, of object: ObjectKey, to value: [UInt8]) throws {
        try value.withUnsafeBytes { try table.set(field + 1, of: object, to: .bytes($0)) }
    }

    // MARK: RecordStore

    func load(_ records: [(key: String, fields: [[UInt8]])]) throws {
        try write {
            for record in records { try insertRow(record.key, record.fields) }
        }
    }

    func read(_ key: String) throws -> Int? {
        try connection.refresh()
        guard let object = try find(key) else { return nil }
        return try sumOfFirstBytes(object)
    }

    func update(_ key: String, field: Int, to value: [UInt8]) throws {
        try write {
            guard let object = try find(key) else { throw RealmRecords.missing(key) }
            try setField(field, of: object, to: value)
        }
    }

    func insert(_ key: String, _ fields: [[UInt8]]) throws {
        try write { try insertRow(key, fields) }
    }

    func scan(from key: String, count: Int) throws -> Int {
        guard count > 0 else { return 0 }
        try connection.refresh()
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        try withScalar(key) { start in
            try table.forEachInPrimaryKeyOrder(from: start) { object in
                keys.append(object)
                return keys.count < count
            }
        }
        var found = 0
        try table.forEachRow(of: keys) { _, location throws(StorageError) in
            blackHole(try sumOfFirstBytes(at: location))
            found += 1
            return true
        }
        guard found == keys.count else {
            throw BenchmarkError(.caseFailed, "A key leads to no record.")
        }
        return found
    }

    func readModifyWrite(_ key: String, field: Int, to value: [UInt8]) throws {
        try write {
            guard let object = try find(key), let sum = try sumOfFirstBytes(object) else {
                throw RealmRecords.missing(key)
            }
            blackHole(sum)
            try setField(field, of: object, to: value)
        }
    }

    func forEach(_ body: (String, [[UInt8]]) -> Void) throws {
        try connection.refresh()
        try table.forEachLeaf { leaf, _ throws(StorageError) in
            for row in 0..<leaf.rowCount {
                let location = RowLocation(leaf: leaf, row: row)
                body(
                    String(decoding: try bytes(0, at: location), as: UTF8.self),
                    try (0..<YCSBRecord.fieldCount).map { field throws(StorageError) in
                        Array(try bytes(field + 1, at: location))
                    })
            }
            return true
        }
    }

    func size() throws -> StoreSize { StoreSize(try connection.database.statistics()) }
}
