import StorageEngine
@_spi(Reflection) import Swift

/// A property of a model class: where it lies in an instance, and how it is stored.
struct PropertyModel {
    /// The name in Swift.
    let name: String
    /// The name under which it is stored.
    let columnName: String
    /// The distance of the `Persisted` wrapper from the start of the object, in bytes.
    let offset: Int
    let wrapper: any AnyPersisted.Type
    let valueType: any _Persistable.Type
    let shape: _PropertyShape
    let isPrimaryKey: Bool
    let isIndexed: Bool

    /// Lists and sets lose objects that are deleted; a map keeps the key, without a value.
    private var isCollectionOfExistingObjects: Bool {
        shape.linkedClass != nil && (shape.collection == .list || shape.collection == .set)
    }

    /// The class that links lead to, or whose objects are embedded.
    let linkedClassName: String?
    /// The property of that class which links here, for a property that is computed from it.
    var linkOriginPropertyName: String?

    /// Whether the value can be stored only once its object has a key: links, collections, and mixed
    /// values, which may be either.
    var isDeferred: Bool {
        shape.isLink || shape.type == .mixed || shape.collection != .none
    }

    var definition: ColumnDefinition {
        ColumnDefinition(
            name: columnName, type: shape.type, collection: shape.collection,
            isOptional: shape.isOptional && !isCollectionOfExistingObjects,
            isPrimaryKey: isPrimaryKey,
            // Mixed values may be declared as indexed, but the engine keeps no index of them.
            isIndexed: (isIndexed && shape.type != .mixed) || isPrimaryKey,
            linkTarget: linkedClassName)
    }
}

/// What the library knows of a model class, independent of any Realm. Made once for each class.
///
/// Sendable although metatypes of protocols are not: everything is immutable, and model classes
/// have no isolated conformances.
final class ClassModel: @unchecked Sendable {
    let type: ObjectBase.Type
    let name: String
    /// Whether the objects exist as parts of others only.
    let isEmbedded: Bool
    /// Whether instances keep the values of their properties while they are unmanaged. False for
    /// the class of a ``DynamicObject``, which is always managed.
    let hasStorage: Bool
    /// Superclass first, then in the order of declaration.
    let properties: [PropertyModel]
    /// Properties that are not stored, but computed from those of other objects.
    let computed: [PropertyModel]
    /// All properties: stored ones, then computed ones.
    var declared: [PropertyModel] { properties + computed }
    /// The position of the primary key among the properties.
    let primaryKey: Int?
    /// Positions of properties that keep the instance of a list, set or map in the object.
    let collections: [Int]
    let hasCollections: Bool
    /// Positions of the properties that are stored once their object has a key.
    let deferred: [Int]
    /// Positions of the properties that hold embedded objects.
    let embedding: [Int]
    /// True if an accessor has no state besides its properties, so that it can be pointed at
    /// another object.
    let isReusable: Bool
    /// True if the class can be encoded, which the wrappers of its properties refuse once an object
    /// is managed. So they have to know, where others need not.
    let isEncodable: Bool
    private let positions: [String: Int]

    private convenience init(_ type: ObjectBase.Type) {
        let name = type.className()
        let fields = ClassModel.fields(of: type, Customization(type))
        ClassModel.validate(fields.properties + fields.computed, ofClass: name)
        ClassModel.validate(
            primaryKey: type.primaryKey(), in: fields.properties, ofClass: name)
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
        self.name = name
        self.properties = properties
        self.computed = computed
        self.isEmbedded = isEmbedded
        self.hasStorage = hasStorage
        primaryKey = properties.firstIndex { $0.isPrimaryKey }
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

    /// The position of a stored property.
    func position(ofStored name: String) -> Int? { positions[name] }

    /// The stored or computed property of a name.
    subscript(name: String) -> PropertyModel? {
        positions[name].map { properties[$0] } ?? computed.first { $0.name == name }
    }

    /// The first stored or computed property that satisfies the condition.
    func property(where condition: (PropertyModel) -> Bool) -> PropertyModel? {
        properties.first(where: condition) ?? computed.first(where: condition)
    }

    var definition: TableDefinition {
        TableDefinition(
            name: name, columns: properties.map(\.definition), isEmbedded: isEmbedded)
    }

    // MARK: Registry

    private struct Registry {
        var models: [ObjectIdentifier: ClassModel] = [:]
        /// Classes being examined, with the thread that does it.
        var inProgress: Set<Examination> = []
    }

    private struct Examination: Hashable {
        let type: ObjectIdentifier
        let thread: UInt
        /// A thread of a forked child may have the identity of one of the parent's.
        let forkGeneration = System.forkGeneration
    }

    private static let registry = Locked(heldByForks: Registry())

    /// Stops with the documented text when the class is not a valid model.
    static func of(_ type: ObjectBase.Type) -> ClassModel {
        let identifier = ObjectIdentifier(type)
        if let model = registry.withLock({ $0.models[identifier] }) { return model }
        // The class is examined outside the lock, because that runs its initialiser.
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

    /// Notes in an object's wrappers that the Realm has its values.
    func markManaged(_ object: ObjectBase) {
        for property in properties where !property.isDeferred {
            property.wrapper.markManaged(at: object._storage(at: property.offset))
        }
    }

    // MARK: Fields

    /// What the methods of a class say of its properties.
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
        // Option 1: the type is a class.
        let options = _EachFieldOptions(rawValue: 1)
        _forEachField(of: type, options: options) { name, offset, fieldType, _ in
            if let wrapper = fieldType as? any AnyPersisted.Type {
                let attributes = wrapper.attributes(at: instance._storage(at: offset))
                let name = String(String(cString: name).dropFirst())
                // The value of any other property stays unmade: its type may have no default.
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

/// The number of bytes of an instance, from the class's metadata.
private func instanceSize(of type: AnyClass) -> Int {
    Int(unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 24, as: UInt32.self))
}
