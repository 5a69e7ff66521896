import StorageEngine

/// The type of a property, without optionality and collection.
public enum PropertyType: Int, Sendable {
    /// An integer of any width.
    case int = 0
    /// `Bool`.
    case bool = 1
    /// `String`.
    case string = 2
    /// `Data`.
    case data = 3
    /// `Date`.
    case date = 4
    /// `Float`.
    case float = 5
    /// `Double`.
    case double = 6
    /// A link to an object, or a collection of objects.
    case object = 7
    /// ``LinkingObjects``.
    case linkingObjects = 8
    /// ``AnyRealmValue``: a value of any type.
    case any = 9
    /// ``ObjectId``.
    case objectId = 10
    /// ``Decimal128``.
    case decimal128 = 11
    /// `UUID`.
    // Spelled as applications know it.
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
    /// True for a ``List``.
    public var isArray: Bool { model.shape.collection == .list }
    /// True for a ``MutableSet``.
    public var isSet: Bool { model.shape.collection == .set }
    /// True for a ``Map``.
    public var isMap: Bool { model.shape.collection == .map }
    /// True for a primary key as well.
    public var isIndexed: Bool { model.isIndexed || model.isPrimaryKey }
    /// Whether the property, or an element of the collection, may be nil. Always true for a link,
    /// and for the values of a map of objects.
    public var isOptional: Bool { model.shape.isOptional }
    /// The name of the class that a link or a collection of links leads to.
    public var objectClassName: String? { model.linkedClassName }

    /// All attributes, one a line.
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

    /// Whether both are stored in the same way under the same name.
    public static func == (left: Property, right: Property) -> Bool {
        left.model.definition == right.model.definition
    }

    private func yesOrNo(_ value: Bool) -> String { value ? "YES" : "NO" }
}

/// The properties of a model class.
public struct ObjectSchema: CustomStringConvertible, Equatable {
    let model: ClassModel

    /// Those of superclasses first, then in the order of declaration. ``LinkingObjects`` are not
    /// among them: they are not stored.
    public var properties: [Property] { model.properties.map(Property.init) }
    /// The name under which objects of the class are stored.
    public var className: String { model.name }
    /// The class itself.
    public var objectClass: AnyClass { model.type }
    /// True for a class of embedded objects.
    public var isEmbedded: Bool { model.isEmbedded }
    /// Always false: classes whose objects are only sent to a server do not exist here.
    public var isAsymmetric: Bool { false }
    /// The primary key; nil if the class has none.
    public var primaryKeyProperty: Property? {
        model.primaryKey.map { Property(model: model.properties[$0]) }
    }

    /// The property of this name, ``LinkingObjects`` included; nil if there is none.
    public subscript(propertyName: String) -> Property? {
        model[propertyName].map(Property.init)
    }

    /// The properties with their attributes, ``LinkingObjects`` last.
    public var description: String {
        let title = isEmbedded ? "\(className) (embedded)" : className
        let all = properties + model.computed.map(Property.init)
        return "\(title) {\n" + all.map { indented($0.description) }.joined() + "}"
    }

    /// Whether both have the same name and equal properties.
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

    /// The classes in the order of their names.
    public var objectSchema: [ObjectSchema] { model.classes.map(ObjectSchema.init) }

    /// The class of this name; nil if there is none.
    public subscript(className: String) -> ObjectSchema? {
        model[className].map(ObjectSchema.init)
    }

    /// The classes with their properties.
    public var description: String {
        "Schema {\n" + objectSchema.map { indented($0.description) }.joined() + "}"
    }

    /// Whether both have equal classes.
    public static func == (left: Schema, right: Schema) -> Bool {
        left.objectSchema == right.objectSchema
    }
}

/// `text` with a tab before, and a line break after, each of its lines.
func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { "\t\($0)\n" }.joined()
}
