import Foundation

/// A value of any type that can be stored, including lists and maps of such values. It is the type
/// of properties whose type is not known when the model is written.
///
/// ```swift
/// class Document: Object {
///     @Persisted var content: AnyRealmValue
/// }
///
/// document.content = .fromDictionary([
///     "title": .string("Trees"),
///     "pages": .fromArray([.int(1), .string("two"), .none]),
/// ])
/// let title = document.content.dictionaryValue?["title"]?.stringValue
/// ```
/// A property of this type is never optional: nil is `.none`. Sets and embedded objects cannot be
/// values. Lists and maps can be nested up to 100 levels deep, but cannot be elements of a set. An
/// unmanaged value can be nested more deeply, but adding it, converting it or comparing it in a
/// query stops the program.
/// An unmanaged list or map that occurs several times in a value is stored as many times, each time
/// as a collection of its own: if one occurs twice on each of 30 levels, that is a billion.
///
/// A list or map read from a property of a managed object is live: it shows the stored elements,
/// and its changes are stored. It is invalidated when another value replaces it.
public enum AnyRealmValue: Hashable {
    /// No value.
    case none
    /// An integer.
    case int(Int)
    /// A Boolean value.
    case bool(Bool)
    /// A single-precision number.
    case float(Float)
    /// A double-precision number.
    case double(Double)
    /// A string.
    case string(String)
    /// Binary data.
    case data(Data)
    /// A date.
    case date(Date)
    /// A link to an object of any class of the Realm. An unmanaged object is added together with
    /// the object that holds the value.
    case object(Object)
    /// An object identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A UUID.
    case uuid(UUID)
    /// A map of values.
    case dictionary(Map<String, AnyRealmValue>)
    /// A list of values.
    case list(List<AnyRealmValue>)

    /// Creates the value `.none`.
    public init() { self = .none }

    /// Creates a map with the entries of a dictionary.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// Creates a list with the elements of an array.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }

    /// Returns a Boolean value that indicates whether both values have the same type and are equal.
    /// Strings are compared by their bytes.
    public static func == (left: AnyRealmValue, right: AnyRealmValue) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.object(let left), .object(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        default: left.equals(plain: right)
        }
    }

    /// Hashes the value. For a list or map, only the number of elements is hashed.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .object(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value.count)
        case .list(let value): hasher.combine(value.count)
        default:
            withUnsafeMutablePointer(to: &hasher) { _ = visited(by: Hashing(hasher: $0)) }
        }
    }

    private struct Hashing: ScalarVisitor {
        let hasher: UnsafeMutablePointer<Hasher>

        func visit(_ value: some _PersistableScalar) { hasher.pointee.combine(value) }
    }
}
