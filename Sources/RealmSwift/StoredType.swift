import StorageEngine

/// The type of a column, as the messages of schema comparison spell it.
struct StoredType: Equatable, CustomStringConvertible {
    var type: ValueType
    var collection: CollectionKind
    var isOptional: Bool
    var linkTarget: String?

    init(_ column: ColumnDefinition) {
        type = column.type
        collection = column.collection
        isOptional = column.isOptional
        linkTarget = column.linkTarget
    }

    var description: String {
        let name = type == .link ? "<\(linkTarget ?? "")>" : type.name
        switch collection {
        case .list: return type == .link ? "array\(name)" : "array<\(name)\(isOptional ? "?" : "")>"
        case .none: return type == .link ? name : name + (isOptional ? "?" : "")
        }
    }
}

extension ValueType {
    var name: String {
        switch self {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .data: "data"
        case .date: "date"
        case .uuid: "uuid"
        case .link: "object"
        }
    }
}
