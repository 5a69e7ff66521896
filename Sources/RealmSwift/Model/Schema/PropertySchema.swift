import StorageEngine

/// A property of a model class, as its schema says: what is stored, under which name.
struct PropertySchema {
    /// The name in Swift.
    let name: String
    /// The name under which the property is stored.
    let columnName: String
    let type: ValueType
    let collection: CollectionKind
    let isOptional: Bool
    let isPrimaryKey: Bool
    let isIndexed: Bool
    /// The class of the linked or embedded objects.
    let linkedClass: ObjectIdentifier?
    let linkedClassName: String?
    /// The property of the linked class that holds the links, for a computed property.
    let linkOriginPropertyName: String?
    /// The bits of integers; 0 for other types.
    var integerBits = 0

    /// Whether values refer to objects of one class, as links or as embedded objects.
    var isLink: Bool { type == .link || type == .embedded }

    /// Whether the value can only be stored once its object has a key. This holds for links,
    /// collections, and mixed values, which can contain either.
    var isDeferred: Bool { isLink || type == .mixed || collection != .none }

    /// Whether deleted objects are removed from the collection. This holds for lists and sets; a
    /// map keeps the key, without a value.
    private var isCollectionOfExistingObjects: Bool {
        linkedClass != nil && (collection == .list || collection == .set)
    }

    var definition: ColumnDefinition {
        ColumnDefinition(
            name: columnName, type: type, collection: collection,
            isOptional: isOptional && !isCollectionOfExistingObjects,
            isPrimaryKey: isPrimaryKey,
            // Mixed values can be declared as indexed, but the engine keeps no index for them.
            isIndexed: (isIndexed && type != .mixed) || isPrimaryKey,
            linkTarget: linkedClassName, integerBits: type == .int ? integerBits : 0)
    }

    /// The type as written in messages about values: `int?`, `array<string>`, `<Person>`.
    var typeDescription: String { StoredType(definition).description }
}
