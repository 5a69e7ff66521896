import StorageEngine

/// The names of types of properties, in descriptions of schemas.
enum TypeName {
    /// The types that a schema can name. An object is linked or embedded according to its class.
    private static let names: [(name: String, type: ValueType)] = [
        ("bool", .bool), ("int", .int), ("float", .float), ("double", .double),
        ("string", .string), ("data", .data), ("date", .date), ("uuid", .uuid),
        ("objectId", .objectID), ("decimal128", .decimal128), ("mixed", .mixed),
        ("object", .link), ("embedded", .embedded), ("typedLink", .typedLink),
    ]

    static func name(of type: ValueType) -> String {
        names.first { $0.type == type }?.name ?? type.name
    }

    static func type(named name: String) -> ValueType? { names.first { $0.name == name }?.type }

    static var all: [String] { names.map(\.name) }

    /// A property's type as a user reads it: `int?`, `[string]`, `Dog`, `{string: int?}`.
    static func description(_ column: ColumnDefinition) -> String {
        let isOfObjects = column.linkTarget != nil
        var element = column.linkTarget ?? name(of: column.type)
        let mayBeNull =
            isOfObjects
            ? column.collection == .none || column.collection == .map : column.isOptional
        if mayBeNull, column.type != .mixed { element += "?" }
        switch column.collection {
        case .none: return element
        case .list: return "[\(element)]"
        case .set: return "set of \(element)"
        case .map: return "{string: \(element)}"
        }
    }

    /// What else a schema says of a property.
    static func attributes(_ column: ColumnDefinition) -> String {
        if column.isPrimaryKey { return "primary key" }
        if column.type == .embedded { return "embedded" }
        return column.isIndexed ? "indexed" : ""
    }
}
