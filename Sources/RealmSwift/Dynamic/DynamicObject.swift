import StorageEngine

/// An object of a class that is known by its name only.
///
/// ```swift
/// for dog in realm.dynamicObjects("Dog") {
///     let name = dog.name as? String
///     let owner = dog["owner"] as? DynamicObject
/// }
/// ```
/// Properties are reached by name, with ``subscript(key:)`` or as members; a name that does not
/// exist stops the program. Values have their stored types: numbers are `NSNumber`, enums their raw
/// values, links ``DynamicObject``, and collections of objects collections of ``DynamicObject``.
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

    /// False: the classes of dynamic objects are those of other objects.
    public override static func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension ObjectBase {
    /// The list of objects that is the value of a property. The object must be managed.
    public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        dynamicCollection(propertyName)
    }

    /// The set of objects that is the value of a property. The object must be managed.
    public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        dynamicCollection(propertyName)
    }

    /// The map of objects that is the value of a property. The object must be managed.
    public final func dynamicMap<Key: _MapKey>(
        _ propertyName: String
    ) -> Map<Key, DynamicObject?> {
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
        guard let value = object._value(ofPropertyNamed: name) else { _stopForUnknownName(name) }
        guard let collection = value as? C else {
            stop("Property '\(dynamicClass.model.name).\(name)' is not a \(C.self).")
        }
        return collection
    }
}
