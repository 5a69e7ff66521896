import StorageEngine

/// An object of a class that is known by its name only.
///
/// ```swift
/// for dog in realm.dynamicObjects("Dog") {
///     let name = dog.name as? String
///     let owner = dog["owner"] as? Owner
/// }
/// ```
/// Properties are reached by name, with ``subscript(key:)`` or as members; a name that does not
/// exist stops the program. Values have their stored types: numbers are `NSNumber`, enums their raw
/// values, and collections of objects collections of ``DynamicObject``. A link leads to an instance
/// of the class that it is to, and to a ``DynamicObject`` if the Realm has no such class.
/// So the class need not exist in the program: it is enough that the file has it. Get dynamic
/// objects from ``Realm/dynamicObjects(_:)``, ``Realm/dynamicObject(ofType:forPrimaryKey:)`` and
/// ``Realm/dynamicCreate(_:value:update:)``.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// Reads or writes the property named `member`, as ``subscript(key:)`` does.
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }

    /// The value of the property named `key`, as ``subscript(key:)`` gives it.
    public override func value(forUndefinedKey key: String) -> Any? { self[key] }

    /// Sets the property named `key`, as ``subscript(key:)`` does.
    public override func setValue(_ value: Any?, forUndefinedKey key: String) {
        self[key] = value
    }

    /// The same object as an instance of its class in Swift, if the Realm has that.
    var inKnownClass: ObjectBase {
        guard let realm = _realm, let type = realm.schema[_model.name]?.type else { return self }
        let object = realm.managedClass(for: type).makeAccessor(key: _key)
        object._birth = _birth
        return object
    }

    /// False: the classes of dynamic objects are those of other objects.
    public override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension ObjectBase {
    /// The list of objects that is the value of a property. The object must be managed.
    ///
    /// A list of values can be counted and emptied this way, but its elements are no objects, and
    /// reading one stops the program: ask for a list of their type.
    public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        dynamicCollection(propertyName)
    }

    /// The list that is the value of a property, with elements of a type that the caller chooses:
    /// the type as which they are stored. The object must be managed.
    ///
    /// ```swift
    /// let numbers: List<Int> = object.dynamicList("numbers")
    /// ```
    @_disfavoredOverload
    public final func dynamicList<Element: RealmCollectionValue>(
        _ propertyName: String
    ) -> List<Element> {
        dynamicCollection(propertyName)
    }

    /// The set of objects that is the value of a property. The object must be managed.
    public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        dynamicCollection(propertyName)
    }

    /// The set that is the value of a property, with elements of a type that the caller chooses:
    /// the type as which they are stored. The object must be managed.
    @_disfavoredOverload
    public final func dynamicMutableSet<Element: RealmCollectionValue>(
        _ propertyName: String
    ) -> MutableSet<Element> {
        dynamicCollection(propertyName)
    }

    /// The map of objects that is the value of a property. The object must be managed.
    public final func dynamicMap<Key: _MapKey>(
        _ propertyName: String
    ) -> Map<Key, DynamicObject?> {
        dynamicCollection(propertyName)
    }

    /// The map that is the value of a property, with values of a type that the caller chooses: the
    /// type as which they are stored. The object must be managed.
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
        // Values have no elements that are objects; but they can be counted, and removed.
        let isOfObjects = C._shape.isLink && C._shape.collection != .none
        guard isOfObjects, C._shape.collection == property.shape.collection,
            !property.shape.isLink
        else { stop("Property '\(dynamicClass.model.name).\(name)' is not a \(C.self).") }
        return C(_of: object, column: Int(object._column(property.offset).index))
    }
}
