import StorageEngine

/// The type of a property, without optionality and collection.
public enum PropertyType: Int, Sendable {
    /// An integer of any width.
    case int = 0
    /// A `Bool`.
    case bool = 1
    /// A `String`.
    case string = 2
    /// A `Data` value.
    case data = 3
    /// A `Date`.
    case date = 4
    /// A `Float`.
    case float = 5
    /// A `Double`.
    case double = 6
    /// A link to an object, or a collection of objects.
    case object = 7
    /// A ``LinkingObjects`` property.
    case linkingObjects = 8
    /// An ``AnyRealmValue``: a value of any type.
    case any = 9
    /// An ``ObjectId``.
    case objectId = 10
    /// A ``Decimal128``.
    case decimal128 = 11
    /// A `UUID`.
    // The spelling is part of the API.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case UUID = 12

    init(_ type: ValueType) {
        switch type {
        case .int: self = .int
        case .bool: self = .bool
        case .string: self = .string
        case .data: self = .data
        case .date: self = .date
        case .float: self = .float
        case .double: self = .double
        case .link, .embedded: self = .object
        case .objectID: self = .objectId
        case .decimal128: self = .decimal128
        case .mixed, .typedLink: self = .any
        case .uuid: self = .UUID
        }
    }

    /// The types that a primary key can have, as the documented message names them.
    static let namesOfPrimaryKeys = "'string', 'int', 'objectId', or 'uuid'"
}
