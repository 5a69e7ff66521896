import Foundation
import StorageEngine

/// A constant of a comparison, given as a literal or an argument. It is independent of the Swift
/// type in which it was given.
enum PredicateValue {
    case null
    case scalar(ValueType, OwnedScalar)
    case object(ObjectBase)
    /// A value of a custom type that is stored as an embedded object. It equals every object with
    /// the same properties.
    case members(EmbeddedObject)
    case list([PredicateValue])
    /// A map, as entries in ascending order of the bytes of their keys.
    case map([(key: [UInt8], value: PredicateValue)])

    /// Creates a value; nil if it cannot be compared with anything, or if its lists and maps are
    /// nested too deeply.
    ///
    /// - Parameter depth: The number of lists and maps that contain the value. A list of several
    ///   values counts as well.
    init?(_ given: Any?, depth: Int = 0) {
        if let given, let common = Self(common: given) {
            self = common
            return
        }
        guard let given = unwrapped(given) else {
            self = .null
            return
        }
        let value = Self.withoutFoundation(given)
        if let object = asObject(value) {
            self = .object(object)
            return
        }
        switch value {
        case let value as any _PersistableScalar: self.init(scalar: value)
        case let value as AnyRealmValue: self.init(mixed: value, depth: depth)
        case let value as any _MappedPersistable:
            self.init(mapped: value.anyPersisted, depth: depth)
        case let value as any BinaryInteger: self.init(integer: value)
        case let value as any BinaryFloatingPoint: self.init(scalar: Double(value))
        case _ where depth > MixedValue.maximumNesting: return nil
        case let value as [AnyHashable: Any]: self.init(entries: value, depth: depth)
        case let value as any RealmKeyedCollection: self.init(map: value, depth: depth)
        case let value as any Sequence: self.init(elements: anyElements(value), depth: depth)
        default: return nil
        }
    }

    /// Creates a value of one of the most common types; nil for other types. Metatypes are
    /// compared, because checking a conformance costs more than everything else here.
    private init?(common given: Any) {
        let type = Swift.type(of: given)
        if type == Int.self, let value = given as? Int {
            self = .scalar(.int, .integer(Int64(value)))
        } else if type == String.self, let value = given as? String {
            self.init(scalar: value)
        } else if type == [Int].self, let values = given as? [Int] {
            self = .list(values.map { .scalar(.int, .integer(Int64($0))) })
        } else if type == [String].self, let values = given as? [String] {
            self = .list(values.map { PredicateValue(scalar: $0) })
        } else {
            return nil
        }
    }

    private init(scalar value: some _PersistableScalar) {
        self = .scalar(type(of: value)._valueType, value._withScalar { OwnedScalar($0) })
    }

    private init?(mapped persisted: Any, depth: Int) {
        if let object = persisted as? EmbeddedObject {
            self = .members(object)
        } else {
            self.init(persisted, depth: depth)
        }
    }

    private init(integer value: some BinaryInteger) {
        if let integer = Int64(exactly: value) {
            self.init(scalar: integer)
        } else {
            self.init(scalar: Double(value))
        }
    }

    private init?(elements: [Any?], depth: Int) {
        var values: [PredicateValue] = []
        for element in elements {
            guard let value = PredicateValue(element, depth: depth + 1) else { return nil }
            values.append(value)
        }
        self = .list(values)
    }

    private init?(entries: [AnyHashable: Any], depth: Int) {
        var values: [(key: [UInt8], value: PredicateValue)] = []
        for (key, value) in entries {
            guard let key = key.base as? String,
                let value = PredicateValue(value, depth: depth + 1)
            else { return nil }
            values.append((Array(key.utf8), value))
        }
        self = .map(values.sorted { $0.key.lexicographicallyPrecedes($1.key) })
    }

    private init?<Map: RealmKeyedCollection>(map: Map, depth: Int) {
        var values: [(key: [UInt8], value: PredicateValue)] = []
        for (key, value) in zip(map.keys, map.values) {
            guard let value = PredicateValue(value, depth: depth + 1) else { return nil }
            values.append((Array(key._storedKey.utf8), value))
        }
        self = .map(values.sorted { $0.key.lexicographicallyPrecedes($1.key) })
    }

    private init?(mixed value: AnyRealmValue, depth: Int) {
        switch value {
        case .none: self = .null
        case .object(let value): self = .object(value)
        case .list(let list):
            if depth > MixedValue.maximumNesting { return nil }
            self.init(elements: list.map { $0 }, depth: depth)
        case .dictionary(let map):
            if depth > MixedValue.maximumNesting { return nil }
            self.init(map: map, depth: depth)
        default:
            guard let value = value.visited(by: Maker()) else { return nil }
            self = value
        }
    }

    private struct Maker: ScalarVisitor {
        func visit(_ value: some _PersistableScalar) -> PredicateValue {
            PredicateValue(scalar: value)
        }
    }

    /// Returns whether lists and maps in a value are nested too deeply to be compared or described.
    static func nestsTooDeep(_ given: Any?, depth: Int = 0) -> Bool {
        let elements: [Any?]
        switch unwrapped(given) {
        case is String, is Data: return false
        case AnyRealmValue.list(let list)?: elements = list.map { $0 }
        case AnyRealmValue.dictionary(let map)?: elements = map.values
        case let entries as [AnyHashable: Any]: elements = entries.values.map { $0 }
        case let map as any RealmKeyedCollection: elements = values(of: map)
        case let sequence as any Sequence: elements = anyElements(sequence)
        default: return false
        }
        return depth > MixedValue.maximumNesting
            || elements.contains { nestsTooDeep($0, depth: depth + 1) }
    }

    private static func values<Map: RealmKeyedCollection>(of map: Map) -> [Any?] {
        map.values.map { $0 }
    }

    /// Returns the Swift value of a Foundation object, and other values unchanged. The class is
    /// checked first, because casts would convert the numbers 0 and 1 to Boolean values.
    private static func withoutFoundation(_ value: Any) -> Any {
        guard type(of: value) is AnyClass else { return value }
        switch type(of: value) {
        case is NSNumber.Type:
            guard let number = value as? NSNumber else { return value }
            switch number.kind {
            case .bool: return number.boolValue
            case .integer: return number.int64Value
            case .float: return number.floatValue
            case .double: return number.doubleValue
            case .decimal: return Decimal128(number: number)
            }
        case is NSString.Type: return (value as? NSString).map(String.init(_:)) ?? value
        case is NSDate.Type: return (value as? Date) ?? value
        case is NSData.Type: return (value as? Data) ?? value
        case is NSArray.Type: return (value as? [Any]) ?? value
        default: return value
        }
    }
}

extension PredicateValue {
    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    var isCollection: Bool {
        switch self {
        case .list, .map: true
        case .null, .scalar, .object, .members: false
        }
    }

    /// The value for messages; nil for null, collections, and embedded objects made from values of
    /// a custom type.
    var given: Any? {
        switch self {
        case .null, .members, .list, .map: nil
        case .object(let object): object
        case .scalar: withMixed { $0.aggregateResult }
        }
    }

    /// The number as a `Double`, if it is a floating-point number; otherwise nil.
    var double: Double? {
        guard case .scalar(let type, let value) = self, type.traits.family == .number else {
            return nil
        }
        switch value {
        case .double(let value): return value
        case .float(let value): return Double(value)
        case .null, .integer, .bytes, .fixed16, .fixed12: return nil
        }
    }

    /// The type of a scalar; nil for other values.
    var scalarType: ValueType? {
        if case .scalar(let type, _) = self { type } else { nil }
    }

    var isScalar: Bool { scalarType != nil }

    var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// Whether the value is a number or a Boolean value, which counts as one.
    var isNumber: Bool {
        switch scalarType?.traits.family {
        case .number, .bool: true
        case .string, .data, .date, .identifier, .link, .mixed, nil: false
        }
    }

    /// Calls `body` with the value if it is a scalar, and with null otherwise.
    func withMixed<Result>(_ body: (MixedValue) throws -> Result) rethrows -> Result {
        guard case .scalar(let type, let value) = self else { return try body(.null) }
        return try value.withScalar { try body(MixedValue($0, storedAs: type) ?? .null) }
    }
}

extension _MappedPersistable {
    fileprivate var anyPersisted: Any { _persisted }
}
