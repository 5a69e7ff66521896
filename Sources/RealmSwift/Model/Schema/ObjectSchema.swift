import StorageEngine

/// A property of a model class.
public struct Property: CustomStringConvertible, Equatable {
    let schema: PropertySchema

    /// The name in Swift.
    public var name: String { schema.name }
    /// The name under which the property is stored.
    public var columnName: String { schema.columnName }
    /// The type without optionality and collection.
    public var type: PropertyType {
        schema.linkOriginPropertyName == nil ? PropertyType(schema.type) : .linkingObjects
    }
    /// A Boolean value that indicates whether the property is a ``List``.
    public var isArray: Bool { schema.collection == .list }
    /// A Boolean value that indicates whether the property is a ``MutableSet``.
    public var isSet: Bool { schema.collection == .set }
    /// A Boolean value that indicates whether the property is a ``Map``.
    public var isMap: Bool { schema.collection == .map }
    /// A Boolean value that indicates whether the property is indexed. A primary key always is.
    public var isIndexed: Bool { schema.isIndexed || schema.isPrimaryKey }
    /// A Boolean value that indicates whether the property, or an element of the collection, can be
    /// nil.
    ///
    /// The value is always true for a link, and for a map of objects.
    public var isOptional: Bool { schema.isOptional }
    /// The name of the linked class; nil for a property that is not a link or a collection of
    /// links.
    public var objectClassName: String? { schema.linkedClassName }

    /// A description of all attributes, one per line.
    public var description: String {
        let origin = schema.linkOriginPropertyName
        var lines = ["type = \(origin == nil ? schema.type.name : "linking objects");"]
        if let objectClassName {
            lines.append("objectClassName = \(objectClassName);")
            lines.append("linkOriginPropertyName = \(origin ?? "(null)");")
        }
        lines += [
            "columnName = \(columnName);",
            "indexed = \(yesOrNo(isIndexed));",
            "isPrimary = \(yesOrNo(schema.isPrimaryKey));",
            "array = \(yesOrNo(isArray));",
            "set = \(yesOrNo(isSet));",
            "dictionary = \(yesOrNo(isMap));",
            "optional = \(yesOrNo(isOptional));",
        ]
        return "\(name) {\n" + lines.map { "\t\($0)\n" }.joined() + "}"
    }

    /// Returns a Boolean value that indicates whether both are stored in the same way under the
    /// same name.
    public static func == (left: Property, right: Property) -> Bool {
        left.schema.definition == right.schema.definition
    }

    private func yesOrNo(_ value: Bool) -> String { value ? "YES" : "NO" }
}

/// A description of a model class and its properties.
public struct ObjectSchema: CustomStringConvertible, Equatable {
    let schema: ClassSchema
    /// The class itself.
    public let objectClass: AnyClass

    /// The stored properties: properties of superclasses first, then in the order of declaration.
    ///
    /// ``LinkingObjects`` are not included, because they are not stored.
    public var properties: [Property] { schema.properties.map(Property.init) }
    /// The name under which objects of the class are stored.
    public var className: String { schema.name }
    /// A Boolean value that indicates whether the objects of the class are embedded objects.
    public var isEmbedded: Bool { schema.isEmbedded }
    /// A Boolean value that is always false. There are no asymmetric classes, whose objects are
    /// only sent to a server.
    public var isAsymmetric: Bool { false }
    /// The primary key; nil if the class has none.
    public var primaryKeyProperty: Property? {
        schema.primaryKey.map { Property(schema: schema.properties[$0]) }
    }

    /// Returns the property with a name, including ``LinkingObjects``; nil if there is none.
    public subscript(propertyName: String) -> Property? {
        schema[propertyName].map(Property.init)
    }

    /// A description of the properties with their attributes, ``LinkingObjects`` last.
    public var description: String {
        let title = isEmbedded ? "\(className) (embedded)" : className
        let all = properties + schema.computed.map(Property.init)
        return "\(title) {\n" + all.map { indented($0.description) }.joined() + "}"
    }

    /// Returns a Boolean value that indicates whether both have the same name and equal properties.
    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.schema.definition == right.schema.definition
    }
}

/// The classes that a Realm stores.
public struct Schema: CustomStringConvertible, Equatable {
    /// The classes, ordered by name.
    public let objectSchema: [ObjectSchema]

    /// Returns the class with a name; nil if there is none.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }

    /// A description of the classes with their properties.
    public var description: String {
        "Schema {\n" + objectSchema.map { indented($0.description) }.joined() + "}"
    }

    /// Returns a Boolean value that indicates whether both have equal classes.
    public static func == (left: Schema, right: Schema) -> Bool {
        left.objectSchema == right.objectSchema
    }
}

/// Returns `text` with a tab before each line and a line break after it.
func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "\t\($0)\n" }.joined()
}
