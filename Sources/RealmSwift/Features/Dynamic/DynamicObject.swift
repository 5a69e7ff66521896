import StorageEngine

/// An object whose class is known only by its name.
///
/// ```swift
/// for dog in realm.dynamicObjects("Dog") {
///     let name = dog.name as? String
///     let owner = dog["owner"] as? Owner
/// }
/// ```
/// Properties are accessed by name, with ``ObjectBase/subscript(_:)`` or as members. A name that
/// does not exist stops the program. Values have their stored types: numbers are `NSNumber`, enums
/// are raw values, and collections of objects are collections of ``DynamicObject``. A link returns
/// an instance of the linked class, or a ``DynamicObject`` if the Realm has no such class.
///
/// The class does not have to exist in the program; it is sufficient if the file contains it. Get
/// dynamic objects from ``Realm/dynamicObjects(_:)``,
/// ``Realm/dynamicObject(ofType:forPrimaryKey:)`` and ``Realm/dynamicCreate(_:value:update:)``.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// Accesses the property named `member`, as ``ObjectBase/subscript(_:)`` does.
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }

    /// Returns the value of the property named `key`, as ``ObjectBase/subscript(_:)`` does.
    public override func value(forUndefinedKey key: String) -> Any? { self[key] }

    /// Sets the property named `key`, as ``ObjectBase/subscript(_:)`` does.
    public override func setValue(_ value: Any?, forUndefinedKey key: String) {
        self[key] = value
    }

    /// The same object as an instance of its Swift class, if the Realm has that class; otherwise
    /// the object itself.
    override var _inKnownClass: ObjectBase {
        guard let realm = _realm, let type = realm.schema[_model.name]?.type else { return self }
        let object = realm.managedClass(for: type).makeAccessor(key: _key)
        object._birth = _birth
        return object
    }

    override func _setByName(_ value: Any?, of property: PropertyModel, in model: ClassModel) {
        guard let realm = _realm else { return super._setByName(value, of: property, in: model) }
        DynamicCreation(realm, .error).set(property, of: self, to: value)
    }

    override class func _linkTarget(
        _ type: ObjectBase.Type, named name: String, in realm: RealmInstance
    ) -> ManagedClass {
        realm.dynamicClass(named: name)
    }

    /// Returns false, because dynamic objects belong to the classes of other objects.
    public override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension ObjectBase {
    /// Returns a property's value as a list of objects.
    ///
    /// A list of values can be counted and emptied through the result, but reading an element stops
    /// the program; request a list of the element type instead.
    ///
    /// - Precondition: The object is managed, and the property is a list.
    public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        dynamicCollection(propertyName)
    }

    /// Returns a property's value as a list with elements of a type that the caller chooses.
    ///
    /// The type must be the stored type of the elements.
    ///
    /// ```swift
    /// let numbers: List<Int> = object.dynamicList("numbers")
    /// ```
    ///
    /// - Precondition: The object is managed, and the property is a list of this type.
    @_disfavoredOverload
    public final func dynamicList<Element: RealmCollectionValue>(
        _ propertyName: String
    ) -> List<Element> {
        dynamicCollection(propertyName)
    }

    /// Returns a property's value as a set of objects.
    ///
    /// - Precondition: The object is managed, and the property is a set.
    public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        dynamicCollection(propertyName)
    }

    /// Returns a property's value as a set with elements of a type that the caller chooses.
    ///
    /// The type must be the stored type of the elements.
    ///
    /// - Precondition: The object is managed, and the property is a set of this type.
    @_disfavoredOverload
    public final func dynamicMutableSet<Element: RealmCollectionValue>(
        _ propertyName: String
    ) -> MutableSet<Element> {
        dynamicCollection(propertyName)
    }

    /// Returns a property's value as a map of objects.
    ///
    /// - Precondition: The object is managed, and the property is a map.
    public final func dynamicMap<Key: _MapKey>(
        _ propertyName: String
    ) -> Map<Key, DynamicObject?> {
        dynamicCollection(propertyName)
    }

    /// Returns a property's value as a map with values of a type that the caller chooses.
    ///
    /// The type must be the stored type of the values.
    ///
    /// - Precondition: The object is managed, and the property is a map of this type.
    @_disfavoredOverload
    public final func dynamicMap<Key: _MapKey, Value: RealmCollectionValue>(
        _ propertyName: String
    ) -> Map<Key, Value> {
        dynamicCollection(propertyName)
    }

    private final func dynamicCollection<C: _PersistableCollection>(_ name: String) -> C {
        guard let managedClass = _managedClass else {
            stop("Only collections of managed objects can be read as dynamic ones.")
        }
        _requireAlive()
        let dynamicClass = managedClass.realm.dynamicClass(named: managedClass.model.name)
        let object = dynamicClass.makeAccessor(key: _key)
        object._birth = _birth
        guard let property = dynamicClass.model[name] else { _stopForUnknownName(name) }
        let value = object._value(ofPropertyNamed: name) ?? nil
        if let collection = value as? C { return collection }
        // Values contain no objects, but a collection of values can be counted and emptied.
        let isOfObjects = C._shape.isLink && C._shape.collection != .none
        guard isOfObjects, C._shape.collection == property.shape.collection,
            !property.shape.isLink
        else { stop("Property '\(dynamicClass.model.name).\(name)' is not a \(C.self).") }
        return C(_of: object, column: Int(object._column(property.offset).index))
    }
}
