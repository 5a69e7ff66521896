import StorageEngine

/// The type of a column as written in the messages of schema comparison.
///
/// Links and embedded objects have one type: which of them they are is a property of their class.
struct StoredType: Equatable, CustomStringConvertible {
    var type: ValueType
    var collection: CollectionKind
    var isOptional: Bool
    var linkTarget: String?
    /// The bits of integers, if the description is to tell them.
    var shownBits = 64

    init(_ column: ColumnDefinition) {
        type = column.type == .embedded ? .link : column.type
        collection = column.collection
        isOptional = column.isOptional
        linkTarget = column.linkTarget
    }

    var description: String {
        let isLink = type == .link
        let bits = type == .int && shownBits < 64 ? "\(shownBits)" : ""
        let name = isLink ? linkTarget ?? "" : type.name + bits
        guard let kind = collection.elementsName else {
            return isLink ? "<\(name)>" : name + (isOptional ? "?" : "")
        }
        let keys = collection == .map ? "string, " : ""
        return "\(kind)<\(keys)\(name)\(isOptional && !isLink ? "?" : "")>"
    }
}

extension CollectionKind {
    /// The name of a collection in messages; nil for single values.
    var elementsName: String? {
        switch self {
        case .list: "array"
        case .set: "set"
        case .map: "dictionary"
        case .none: nil
        }
    }
}
