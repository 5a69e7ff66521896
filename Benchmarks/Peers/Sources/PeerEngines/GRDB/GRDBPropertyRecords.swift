import BenchmarkKit
import Foundation
import GRDB

/// The target of the links.
struct PropertyTargetRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    var number: Int

    static var databaseTableName: String { "target" }
    static var records: HasManyAssociation<PropertyTargetRecord, PropertyRecord> {
        hasMany(PropertyRecord.self, using: ForeignKey([PropertyColumns.targetNumber]))
    }
}

enum PropertyColumns {
    static let bool = Column("bool")
    static let int = Column("int")
    static let float = Column("float")
    static let double = Column("double")
    static let string = Column("string")
    static let data = Column("data")
    static let date = Column("date")
    static let uuid = Column("uuid")
    static let objectId = Column("objectId")
    static let decimal = Column("decimal")
    static let grade = Column("grade")
    static let any = Column("any")
    static let optionalInt = Column("optionalInt")
    static let targetNumber = Column("targetNumber")
    static let part = Column("part")
}

/// A record with a property of each ``PropertyKind``.
struct PropertyRecord: Codable, FetchableRecord, PersistableRecord, Sendable {
    enum Grade: Int, Codable, DatabaseValueConvertible, Sendable {
        case low, middle, high
    }

    /// The value of a column without a type.
    enum AnyValue: Codable, DatabaseValueConvertible, Sendable {
        case int(Int)
        case text(String)

        var databaseValue: DatabaseValue {
            switch self {
            case .int(let value): value.databaseValue
            case .text(let value): value.databaseValue
            }
        }

        static func fromDatabaseValue(_ value: DatabaseValue) -> AnyValue? {
            switch value.storage {
            case .int64(let value): .int(Int(value))
            case .string(let value): .text(value)
            case .null, .double, .blob: nil
            }
        }
    }

    /// A nested value, stored as JSON as is usual in GRDB.
    struct Part: Codable, DatabaseValueConvertible, Sendable {
        var value: Int
    }

    var number: Int
    var bool: Bool
    var int: Int
    var float: Float
    var double: Double
    var string: String
    var data: Data
    var date: Date
    var uuid: UUID
    var objectId: Data
    var decimal: Decimal
    var grade: Grade
    var any: AnyValue
    var optionalInt: Int?
    var targetNumber: Int
    var part: Part

    static var databaseTableName: String { "property" }

    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .secondsSince1970
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }

    static func createTables(_ database: Database) throws {
        try database.create(
            table: PropertyTargetRecord.databaseTableName, options: .ifNotExists
        ) { table in
            table.primaryKey("number", .integer)
        }
        try database.create(table: databaseTableName, options: .ifNotExists) { table in
            table.primaryKey("number", .integer)
            table.column("bool", .boolean).notNull()
            table.column("int", .integer).notNull()
            table.column("float", .double).notNull()
            table.column("double", .double).notNull()
            table.column("string", .text).notNull()
            table.column("data", .blob).notNull()
            table.column("date", .integer).notNull()
            table.column("uuid", .blob).notNull()
            table.column("objectId", .blob).notNull()
            table.column("decimal", .text).notNull()
            table.column("grade", .integer).notNull()
            table.column("any")
            table.column("optionalInt", .integer)
            table.column("targetNumber", .integer).notNull().indexed()
                .references(PropertyTargetRecord.databaseTableName)
            table.column("part", .jsonText).notNull()
        }
    }

    init(_ values: PropertyValues) {
        number = values.number
        bool = values.bool
        int = values.int
        float = values.float
        double = values.double
        string = values.string
        data = values.data
        date = values.date
        uuid = values.uuid
        objectId = values.objectIdBytes
        decimal = Decimal(string: values.decimal) ?? .nan
        grade = Grade(rawValue: values.grade) ?? .low
        any = .int(values.any)
        optionalInt = values.optionalInt
        targetNumber = values.target
        part = Part(value: values.part)
    }

    /// Returns the hundredths of a number with two digits after the point.
    static func cents(_ decimal: Decimal) -> UInt64 {
        NSDecimalNumber(decimal: decimal * 100).uint64Value
    }

    func assignment(of kind: PropertyKind) -> ColumnAssignment {
        switch kind {
        case .bool: PropertyColumns.bool.set(to: bool)
        case .int: PropertyColumns.int.set(to: int)
        case .float: PropertyColumns.float.set(to: float)
        case .double: PropertyColumns.double.set(to: double)
        case .string: PropertyColumns.string.set(to: string)
        case .data: PropertyColumns.data.set(to: data)
        case .date: PropertyColumns.date.set(to: Int(date.timeIntervalSince1970))
        case .uuid: PropertyColumns.uuid.set(to: uuid)
        case .objectId: PropertyColumns.objectId.set(to: objectId)
        case .decimal: PropertyColumns.decimal.set(to: decimal)
        case .enumeration: PropertyColumns.grade.set(to: grade)
        case .any: PropertyColumns.any.set(to: any)
        case .optionalInt: PropertyColumns.optionalInt.set(to: optionalInt)
        case .link: PropertyColumns.targetNumber.set(to: targetNumber)
        case .embedded: PropertyColumns.part.set(to: part)
        }
    }

    /// Returns the ``PropertyValues/text(of:)`` of a property.
    func text(of kind: PropertyKind) -> String {
        switch kind {
        case .bool: String(bool)
        case .int: String(int)
        case .float: String(float)
        case .double: String(double)
        case .string: string
        case .data: PropertyValues.hexadecimal(data)
        case .date: String(Int(date.timeIntervalSince1970))
        case .uuid: uuid.uuidString
        case .objectId: PropertyValues.hexadecimal(objectId)
        case .decimal: decimal.description
        case .enumeration: String(grade.rawValue)
        case .any: if case .int(let value) = any { String(value) } else { "no integer" }
        case .optionalInt: optionalInt.map { String($0) } ?? "nil"
        case .link: String(targetNumber)
        case .embedded: String(part.value)
        }
    }
}
