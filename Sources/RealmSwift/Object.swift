import StorageEngine

/// The base class of the objects of an application's model.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name: String
///     @Persisted var age: Int
/// }
/// ```
public typealias Object = RealmSwiftObject

/// See ``Object``.
open class RealmSwiftObject: ObjectBase {
    /// Creates an unmanaged object whose properties have their initial values.
    public required init() { super.init() }
}

extension Object {
    /// Creates an unmanaged object from a dictionary with property names as keys, an array with
    /// values in the order of the properties, or another object.
    ///
    /// Properties without a given value keep their defaults. A value that does not fit its
    /// property stops the program.
    public convenience init(value: Any) {
        self.init()
        let conversion = _ValueConversion.detached
        conversion.fill(self, from: value)
    }

    /// The Realm that manages the object; nil while unmanaged.
    public var realm: Realm? { _realm.map(Realm.init(instance:)) }

    /// The properties of the object's class.
    public var objectSchema: ObjectSchema { ClassModel.of(type(of: self)).objectSchema }

    /// Whether both stand for the same object of the same Realm.
    ///
    /// Unmanaged objects are the same only if they are one instance.
    public func isSameObject(as object: Object?) -> Bool {
        guard let object else { return false }
        if self === object { return true }
        guard let managedClass = _managedClass else { return false }
        return managedClass === object._managedClass && _key == object._key
    }
}

extension ObjectBase {
    /// Reads or writes the property named `key`. A name that does not exist, or a value that does
    /// not fit, stops the program.
    public final subscript(key: String) -> Any? {
        get {
            let property = dynamicProperty(key)
            return property.wrapper.value(of: self, at: property.offset)
        }
        set {
            let model = ClassModel.of(type(of: self))
            let property = dynamicProperty(key)
            if _context != nil && property.isPrimaryKey {
                requireUnchangedPrimaryKey(newValue)
            }
            let conversion = _ValueConversion(realm: _realm)
            guard property.wrapper.setValue(newValue, of: self, at: property.offset, conversion)
            else { stop(model.invalidValue(newValue, for: property)) }
        }
    }

    private final func dynamicProperty(_ name: String) -> PropertyModel {
        let model = ClassModel.of(type(of: self))
        guard let property = model[name] else {
            stop("Invalid property name '\(name)' for class '\(model.name)'.")
        }
        return property
    }

    private final func requireUnchangedPrimaryKey(_ value: Any?) -> Never {
        let text = unwrapped(value).map { "\($0)" } ?? "<null>"
        stop("Primary key can't be changed to '\(text)' after an object is inserted.")
    }
}
