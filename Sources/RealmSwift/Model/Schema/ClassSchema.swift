import StorageEngine

/// A model class, as its schema says.
struct ClassSchema {
    /// The identity of the Swift class. Classes without one share the identity of a class that
    /// stands for them.
    let type: ObjectIdentifier
    let name: String
    /// Whether the objects exist only as parts of other objects.
    let isEmbedded: Bool
    /// The stored properties: properties of superclasses first, then in the order of declaration.
    let properties: [PropertySchema]
    /// The properties that are not stored, but computed from properties of other objects.
    let computed: [PropertySchema]

    /// The position of the primary key among the properties.
    var primaryKey: Int? { properties.firstIndex { $0.isPrimaryKey } }

    /// The stored or computed property with a name.
    subscript(name: String) -> PropertySchema? {
        properties.first { $0.name == name } ?? computed.first { $0.name == name }
    }

    var definition: TableDefinition {
        TableDefinition(
            name: name, columns: properties.map(\.definition), isEmbedded: isEmbedded)
    }
}
