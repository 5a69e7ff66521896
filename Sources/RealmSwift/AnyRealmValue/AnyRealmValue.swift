import Foundation

/// A value of any type that can be stored, lists and maps of such values included: for properties
/// whose type is not known when the model is written.
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
/// A property is never optional: nil is `.none`. Sets and embedded objects cannot be values. Lists
/// and maps may lie inside each other to a hundred levels; a set holds none. An unmanaged value may
/// be nested deeper, but adding or converting it, and comparing it in a query, stops the program.
///
/// The list or map that a property of a managed object gives is live: it shows what the Realm holds,
/// and changes of it are stored. Once another value takes its place it is invalidated.
public enum AnyRealmValue: Hashable {
    /// No value.
    case none
    /// An integer.
    case int(Int)
    /// True or false.
    case bool(Bool)
    /// A number of single precision.
    case float(Float)
    /// A number of double precision.
    case double(Double)
    /// Text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A date.
    case date(Date)
    /// A link to an object of any class of the Realm. An unmanaged object is added with the object
    /// that holds the value.
    case object(Object)
    /// An object id.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A UUID.
    case uuid(UUID)
    /// A map of values.
    case dictionary(Map<String, AnyRealmValue>)
    /// A list of values.
    case list(List<AnyRealmValue>)

    /// No value.
    public init() { self = .none }

    /// A map with the entries of a dictionary.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// A list with the elements of an array.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }

    /// Whether both are of one type and equal; texts, if they have the same bytes.
    public static func == (left: AnyRealmValue, right: AnyRealmValue) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.int(let left), .int(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.float(let left), .float(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.data(let left), .data(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.objectId(let left), .objectId(let right)): left == right
        case (.decimal128(let left), .decimal128(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        default: false
        }
    }

    /// Equal values hash alike; the elements of lists and maps do not count.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value.count)
        case .list(let value): hasher.combine(value.count)
        }
    }
}
