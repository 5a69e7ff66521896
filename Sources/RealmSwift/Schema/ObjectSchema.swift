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
}

/// A property of a model class.
public struct Property: CustomStringConvertible, Equatable {
    let model: PropertyModel

    /// The name in Swift.
    public var name: String { model.name }
    /// The name under which the property is stored.
    public var columnName: String { model.columnName }
    /// The type without optionality and collection.
    public var type: PropertyType {
        model.linkOriginPropertyName == nil ? PropertyType(model.shape.type) : .linkingObjects
    }
    /// A Boolean value that indicates whether the property is a ``List``.
    public var isArray: Bool { model.shape.collection == .list }
    /// A Boolean value that indicates whether the property is a ``MutableSet``.
    public var isSet: Bool { model.shape.collection == .set }
    /// A Boolean value that indicates whether the property is a ``Map``.
    public var isMap: Bool { model.shape.collection == .map }
    /// A Boolean value that indicates whether the property is indexed. A primary key always is.
    public var isIndexed: Bool { model.isIndexed || model.isPrimaryKey }
    /// A Boolean value that indicates whether the property, or an element of the collection, can be
    /// nil.
    ///
    /// The value is always true for a link, and for a map of objects.
    public var isOptional: Bool { model.shape.isOptional }
    /// The name of the linked class; nil for a property that is not a link or a collection of
    /// links.
    public var objectClassName: String? { model.linkedClassName }

    /// A description of all attributes, one per line.
    public var description: String {
        let origin = model.linkOriginPropertyName
        var lines = ["type = \(origin == nil ? model.shape.type.name : "linking objects");"]
        if let objectClassName {
            lines.append("objectClassName = \(objectClassName);")
            lines.append("linkOriginPropertyName = \(origin ?? "(null)");")
        }
        lines += [
            "columnName = \(columnName);",
            "indexed = \(yesOrNo(isIndexed));",
            "isPrimary = \(yesOrNo(model.isPrimaryKey));",
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
        left.model.definition == right.model.definition
    }

    private func yesOrNo(_ value: Bool) -> String { value ? "YES" : "NO" }
}

/// A description of a model class and its properties.
public struct ObjectSchema: CustomStringConvertible, Equatable {
    let model: ClassModel

    /// The stored properties: properties of superclasses first, then in the order of declaration.
    ///
    /// ``LinkingObjects`` are not included, because they are not stored.
    public var properties: [Property] { model.properties.map(Property.init) }
    /// The name under which objects of the class are stored.
    public var className: String { model.name }
    /// The class itself.
    public var objectClass: AnyClass { model.type }
    /// A Boolean value that indicates whether the objects of the class are embedded objects.
    public var isEmbedded: Bool { model.isEmbedded }
    /// A Boolean value that is always false. There are no asymmetric classes, whose objects are
    /// only sent to a server.
    public var isAsymmetric: Bool { false }
    /// The primary key; nil if the class has none.
    public var primaryKeyProperty: Property? {
        model.primaryKey.map { Property(model: model.properties[$0]) }
    }

    /// Returns the property with a name, including ``LinkingObjects``; nil if there is none.
    public subscript(propertyName: String) -> Property? {
        model[propertyName].map(Property.init)
    }

    /// A description of the properties with their attributes, ``LinkingObjects`` last.
    public var description: String {
        let title = isEmbedded ? "\(className) (embedded)" : className
        let all = properties + model.computed.map(Property.init)
        return "\(title) {\n" + all.map { indented($0.description) }.joined() + "}"
    }

    /// Returns a Boolean value that indicates whether both have the same name and equal properties.
    public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
        left.model === right.model || left.model.definition == right.model.definition
    }
}

extension ClassModel {
    var objectSchema: ObjectSchema { ObjectSchema(model: self) }
}

/// The classes that a Realm stores.
public struct Schema: CustomStringConvertible, Equatable {
    let model: SchemaModel

    /// The classes, ordered by name.
    public var objectSchema: [ObjectSchema] { model.classes.map(ObjectSchema.init) }

    /// Returns the class with a name; nil if there is none.
    public subscript(className: String) -> ObjectSchema? {
        model[className].map(ObjectSchema.init)
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
