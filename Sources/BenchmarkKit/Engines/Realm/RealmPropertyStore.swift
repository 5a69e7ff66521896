import Foundation
import RealmSwift
import ToolSupport

enum PropertyGrade: Int, PersistableEnum {
    case low, middle, high
}

/// The target of the links.
final class PropertyTarget: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var number: Int
}

final class PropertyPart: EmbeddedObject {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var value: Int

    convenience init(value: Int) {
        self.init()
        self.value = value
    }
}

/// An object with a property of each ``PropertyKind``.
final class PropertyObject: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var number: Int
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var decimal: RealmSwift.Decimal128
    @Persisted var grade: PropertyGrade
    @Persisted var any: AnyRealmValue
    @Persisted var optionalInt: Int?
    @Persisted var link: PropertyTarget?
    @Persisted var part: PropertyPart?

    convenience init(_ values: PropertyValues, link: PropertyTarget) {
        self.init()
        number = values.number
        bool = values.bool
        int = values.int
        float = values.float
        double = values.double
        string = values.string
        data = values.data
        date = values.date
        uuid = values.uuid
        objectId = values.realmObjectId
        decimal = values.realmDecimal
        grade = values.realmGrade
        any = .int(values.any)
        optionalInt = values.optionalInt
        self.link = link
        part = PropertyPart(value: values.part)
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
        case .objectId: objectId.stringValue
        case .decimal: decimal.stringValue
        case .enumeration: String(grade.rawValue)
        case .any: any.intValue.map { String($0) } ?? "no integer"
        case .optionalInt: optionalInt.map { String($0) } ?? "nil"
        case .link: link.map { String($0.number) } ?? "nil"
        case .embedded: part.map { String($0.value) } ?? "nil"
        }
    }
}

extension PropertyValues {
    // The conversions cannot fail, since the texts are generated for these types.

    fileprivate var realmObjectId: ObjectId {
        guard let value = try? ObjectId(string: objectId) else {
            preconditionFailure("'\(objectId)' is no object id")
        }
        return value
    }

    fileprivate var realmDecimal: RealmSwift.Decimal128 {
        guard let value = try? RealmSwift.Decimal128(string: decimal) else {
            preconditionFailure("'\(decimal)' is no decimal number")
        }
        return value
    }

    fileprivate var realmGrade: PropertyGrade { PropertyGrade(rawValue: grade) ?? .low }
}

/// The objects with a property of each kind.
final class RealmPropertyStore: PropertyStore, RealmObjectStore {
    let realm: Realm
    let path: String
    private var held: [PropertyObject] = []

    init(path: String, _ durability: Durability) throws {
        self.path = path
        realm = try Realm(
            configuration: Realm.Configuration(
                path: path, durability,
                objectTypes: [PropertyObject.self, PropertyTarget.self, PropertyPart.self]))
    }

    func add(_ objects: [PropertyValues]) throws {
        try realm.write {
            if realm.isEmpty {
                for number in 0..<PropertyValues.targets {
                    realm.create(PropertyTarget.self, value: [number])
                }
            }
            for values in objects {
                realm.add(PropertyObject(values, link: try target(values.target)))
            }
        }
    }

    private func target(_ number: Int) throws -> PropertyTarget {
        guard let target = realm.object(ofType: PropertyTarget.self, forPrimaryKey: number) else {
            throw BenchmarkError(.caseFailed, "There is no target with the key \(number).")
        }
        return target
    }

    func hold(_ count: Int) throws {
        held = try (0..<count).map { number in
            guard let object = realm.object(ofType: PropertyObject.self, forPrimaryKey: number)
            else { throw BenchmarkError(.caseFailed, "There is no object with the key \(number).") }
            return object
        }
    }

    func write(_ body: () throws -> Void) throws { try realm.write(body) }

    func forEach(_ body: (_ number: Int, _ texts: [String]) -> Void) {
        for object in realm.objects(PropertyObject.self) {
            body(object.number, PropertyKind.allCases.map { object.text(of: $0) })
        }
    }

    // MARK: Reading

    func sum(of kind: PropertyKind, object number: Int, times: Int) -> UInt64 {
        let object = held[number]
        return switch kind {
        case .bool: sum(object, times) { $0.bool ? 1 : 0 }
        case .int: sum(object, times) { UInt64($0.int) }
        case .float: sum(object, times) { UInt64($0.float.bitPattern) }
        case .double: sum(object, times) { $0.double.bitPattern }
        case .string: sum(object, times) { UInt64($0.string.utf8.last ?? 0) }
        case .data: sum(object, times) { UInt64($0.data.first ?? 0) }
        case .date: sum(object, times) { UInt64($0.date.timeIntervalSince1970) }
        case .uuid: sum(object, times) { UInt64($0.uuid.uuid.15) }
        case .objectId: sum(object, times) { UInt64($0.objectId.timestamp.timeIntervalSince1970) }
        case .decimal: sum(object, times) { Self.coefficient($0.decimal) }
        case .enumeration: sum(object, times) { UInt64($0.grade.rawValue) }
        case .any: sum(object, times) { UInt64($0.any.intValue ?? 0) }
        case .optionalInt: sum(object, times) { UInt64($0.optionalInt ?? 0) }
        case .link: sum(object, times) { UInt64($0.link?.number ?? 0) }
        case .embedded: sum(object, times) { UInt64($0.part?.value ?? 0) }
        }
    }

    @inline(__always)
    private func sum(
        _ object: PropertyObject, _ times: Int, _ word: (PropertyObject) -> UInt64
    ) -> UInt64 {
        var sum: UInt64 = 0
        for _ in 0..<times { sum &+= word(object) }
        return sum
    }

    /// Returns the lower half of a decimal in memory, which is the coefficient of a small number.
    /// Any arithmetic on the decimal would take longer than reading it.
    @inline(__always)
    private static func coefficient(_ decimal: RealmSwift.Decimal128) -> UInt64 {
        withUnsafeBytes(of: decimal) { $0.loadUnaligned(as: UInt64.self) }
    }

    // MARK: Writing

    func set(
        _ kind: PropertyKind, object number: Int, to values: (PropertyValues, PropertyValues),
        times: Int
    ) throws {
        let object = held[number]
        let (first, second) = values
        switch kind {
        case .bool: set(object, first.bool, second.bool, times) { $0.bool = $1 }
        case .int: set(object, first.int, second.int, times) { $0.int = $1 }
        case .float: set(object, first.float, second.float, times) { $0.float = $1 }
        case .double: set(object, first.double, second.double, times) { $0.double = $1 }
        case .string: set(object, first.string, second.string, times) { $0.string = $1 }
        case .data: set(object, first.data, second.data, times) { $0.data = $1 }
        case .date: set(object, first.date, second.date, times) { $0.date = $1 }
        case .uuid: set(object, first.uuid, second.uuid, times) { $0.uuid = $1 }
        case .objectId:
            set(object, first.realmObjectId, second.realmObjectId, times) { $0.objectId = $1 }
        case .decimal:
            set(object, first.realmDecimal, second.realmDecimal, times) { $0.decimal = $1 }
        case .enumeration:
            set(object, first.realmGrade, second.realmGrade, times) { $0.grade = $1 }
        case .any:
            set(object, AnyRealmValue.int(first.any), .int(second.any), times) { $0.any = $1 }
        case .optionalInt:
            set(object, first.optionalInt, second.optionalInt, times) { $0.optionalInt = $1 }
        case .link:
            set(object, try target(first.target), try target(second.target), times) { $0.link = $1 }
        case .embedded:
            set(object, first.part, second.part, times) { $0.part = PropertyPart(value: $1) }
        }
    }

    @inline(__always)
    private func set<Value>(
        _ object: PropertyObject, _ first: Value, _ second: Value, _ times: Int,
        _ write: (PropertyObject, Value) -> Void
    ) {
        for time in 0..<times { write(object, time % 2 == 0 ? first : second) }
    }
}
