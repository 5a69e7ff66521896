import StorageEngine
@_spi(Reflection) import Swift

/// A property of a model class: its schema, its location in an instance, and the functions that
/// read and write it there.
struct PropertyModel {
    let schema: PropertySchema
    /// The offset of the `Persisted` wrapper from the start of the object, in bytes.
    let offset: Int
    let wrapper: any AnyPersisted.Type
    let valueType: any _Persistable.Type
    let shape: _PropertyShape
    /// Whether it is stored and its values are neither objects nor collections, nor may be such.
    let isPlain: Bool

    var name: String { schema.name }
    var columnName: String { schema.columnName }
    var isPrimaryKey: Bool { schema.isPrimaryKey }
    var isIndexed: Bool { schema.isIndexed }
    var linkedClassName: String? { schema.linkedClassName }
    var linkOriginPropertyName: String? { schema.linkOriginPropertyName }
    var isDeferred: Bool { schema.isDeferred }
    var typeDescription: String { schema.typeDescription }

    init(
        name: String, columnName: String, offset: Int, wrapper: any AnyPersisted.Type,
        valueType: any _Persistable.Type, shape: _PropertyShape, isPrimaryKey: Bool,
        isIndexed: Bool, linkedClassName: String?, linkOriginPropertyName: String? = nil
    ) {
        schema = PropertySchema(
            name: name, columnName: columnName, type: shape.type, collection: shape.collection,
            isOptional: shape.isOptional, isPrimaryKey: isPrimaryKey, isIndexed: isIndexed,
            linkedClass: shape.linkedClass.map { ObjectIdentifier($0) },
            linkedClassName: linkedClassName, linkOriginPropertyName: linkOriginPropertyName,
            integerBits: shape.integerBits)
        self.offset = offset
        self.wrapper = wrapper
        self.valueType = valueType
        self.shape = shape
        isPlain =
            shape.collection == .none && shape.type.traits.reference == .none
            && linkOriginPropertyName == nil
    }
}

/// A description of a model class, independent of any Realm. There is one instance per Swift class.
/// The dynamic classes of a Realm instance have their own.
///
/// Sendable although metatypes of protocols are not: everything is immutable, and model classes
/// have no isolated conformances.
final class ClassModel: @unchecked Sendable {
    let type: ObjectBase.Type
    let schema: ClassSchema
    var name: String { schema.name }
    var isEmbedded: Bool { schema.isEmbedded }
    /// Whether unmanaged instances hold the values of their properties. False for the class of a
    /// ``DynamicObject``, which is always managed.
    let hasStorage: Bool
    /// The stored properties: properties of superclasses first, then in the order of declaration.
    let properties: [PropertyModel]
    /// The properties that are not stored, but computed from properties of other objects.
    let computed: [PropertyModel]
    /// All properties: the stored ones, then the computed ones.
    var declared: [PropertyModel] { properties + computed }
    /// The position of the primary key among the properties.
    let primaryKey: Int?
    /// The positions of the properties that hold an instance of a list, set or map in the object.
    let collections: [Int]
    let hasCollections: Bool
    /// The positions of the properties that are stored after their object has a key.
    let deferred: [Int]
    /// The positions of the properties that hold embedded objects.
    let embedding: [Int]
    /// Whether an accessor has no state besides its properties, so that it can be reused for
    /// another object.
    let isReusable: Bool
    /// Whether the class is encodable. The property wrappers of such a class refuse to encode a
    /// managed object, so they must be told when it becomes managed; other wrappers need not.
    let isEncodable: Bool
    private let positions: [String: Int]

    private convenience init(_ type: ObjectBase.Type) {
        let name = type.className()
        let fields = ClassModel.fields(of: type, Customization(type))
        let schemas = fields.properties.map(\.schema)
        ClassSchema.validate(schemas + fields.computed.map(\.schema), ofClass: name)
        ClassSchema.validate(primaryKey: type.primaryKey(), in: schemas, ofClass: name)
        self.init(
            type, name: name, properties: fields.properties, computed: fields.computed,
            isEmbedded: type is EmbeddedObject.Type, hasStorage: true,
            hasOtherState: fields.hasOtherState)
    }

    init(
        _ type: ObjectBase.Type, name: String, properties: [PropertyModel],
        computed: [PropertyModel] = [], isEmbedded: Bool, hasStorage: Bool, hasOtherState: Bool
    ) {
        self.type = type
        schema = ClassSchema(
            type: ObjectIdentifier(type), name: name, isEmbedded: isEmbedded,
            properties: properties.map(\.schema), computed: computed.map(\.schema))
        self.properties = properties
        self.computed = computed
        self.hasStorage = hasStorage
        primaryKey = schema.primaryKey
        collections = properties.indices.filter {
            hasStorage && properties[$0].shape.collection != .none
        }
        isEncodable = type is any Encodable.Type
        hasCollections = !collections.isEmpty
        deferred = properties.indices.filter { properties[$0].isDeferred }
        embedding = properties.indices.filter { properties[$0].shape.type == .embedded }
        isReusable = !hasOtherState && !hasCollections
        positions = Dictionary(
            properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the position of a stored property.
    func position(ofStored name: String) -> Int? { positions[name] }

    /// The stored or computed property with a name.
    subscript(name: String) -> PropertyModel? {
        positions[name].map { properties[$0] } ?? computed.first { $0.name == name }
    }

    /// Returns the first stored or computed property that satisfies a condition.
    func property(where condition: (PropertyModel) -> Bool) -> PropertyModel? {
        properties.first(where: condition) ?? computed.first(where: condition)
    }

    var definition: TableDefinition { schema.definition }
    var objectSchema: ObjectSchema { ObjectSchema(schema: schema, objectClass: type) }

    // MARK: Registry

    private struct Registry {
        var models: [ObjectIdentifier: ClassModel] = [:]
        /// The classes being examined, each with the examining thread.
        var inProgress: Set<Examination> = []
    }

    private struct Examination: Hashable {
        let type: ObjectIdentifier
        let thread: UInt
        /// Part of the identity, because a thread of a forked child can have the identity of a
        /// thread of its parent.
        let forkGeneration = System.forkGeneration
    }

    private static let registry = Locked(heldByForks: Registry())

    /// Returns the model of a class. Stops the program with the documented message if the class is
    /// not a valid model.
    static func of(_ type: ObjectBase.Type) -> ClassModel {
        let identifier = ObjectIdentifier(type)
        if let model = registry.withLock({ $0.models[identifier] }) { return model }
        // The class is examined outside of the lock, because this runs its initializer.
        let examination = Examination(type: identifier, thread: currentThread())
        let isNested = registry.withLock { !$0.inProgress.insert(examination).inserted }
        if isNested {
            stop(
                "Illegal recursive call of schema discovery for '\(type.className())': "
                    + "the initializer of a model class must not open a Realm.")
        }
        let model = ClassModel(type)
        return registry.withLock { registry in
            registry.inProgress.remove(examination)
            if let other = registry.models[identifier] { return other }
            registry.models[identifier] = model
            return model
        }
    }

    /// Marks the wrappers of an object whose values the Realm now holds.
    func markManaged(_ object: ObjectBase) {
        for property in properties where !property.isDeferred {
            property.wrapper.markManaged(at: object._storage(at: property.offset))
        }
    }

    // MARK: Fields

    /// The declarations that a class makes about its properties by overriding methods.
    private struct Customization {
        let primaryKey: String?
        let indexed: Set<String>
        let columnNames: [String: String]

        init(_ type: ObjectBase.Type) {
            primaryKey = type.primaryKey()
            indexed = Set(type.indexedProperties())
            columnNames = type.propertiesMapping()
        }
    }

    private static func fields(
        of type: ObjectBase.Type, _ customization: Customization
    ) -> (properties: [PropertyModel], computed: [PropertyModel], hasOtherState: Bool) {
        let instance = type.init()
        let headerSize = instanceSize(of: ObjectBase.self)
        var properties: [PropertyModel] = []
        var hasOtherState = false
        // The option with value 1 says that the type is a class.
        let options = _EachFieldOptions(rawValue: 1)
        _forEachField(of: type, options: options) { name, offset, fieldType, _ in
            if let wrapper = fieldType as? any AnyPersisted.Type {
                let attributes = wrapper.attributes(at: instance._storage(at: offset))
                let name = String(String(cString: name).dropFirst())
                // Other properties are not read, because their type may have no default value.
                let isComputed = wrapper.valueType is any ComputedProperty.Type
                let computed =
                    isComputed
                    ? wrapper.value(of: instance, at: offset) as? any ComputedProperty : nil
                properties.append(
                    PropertyModel(
                        name: name, columnName: customization.columnNames[name] ?? name,
                        offset: offset, wrapper: wrapper, valueType: wrapper.valueType,
                        shape: wrapper.valueType._shape,
                        isPrimaryKey: attributes.contains(.primaryKey)
                            || name == customization.primaryKey,
                        isIndexed: attributes.contains(.indexed)
                            || customization.indexed.contains(name),
                        linkedClassName: wrapper.valueType._shape.linkedClass?.className(),
                        linkOriginPropertyName: computed?.propertyName))
            } else if offset >= headerSize {
                hasOtherState = true
            }
            return true
        }
        properties.sort { $0.offset < $1.offset }
        return (
            properties.filter { $0.linkOriginPropertyName == nil },
            properties.filter { $0.linkOriginPropertyName != nil }, hasOtherState
        )
    }
}

/// Returns the size of an instance in bytes, from the metadata of the class.
private func instanceSize(of type: AnyClass) -> Int {
    Int(unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 24, as: UInt32.self))
}
