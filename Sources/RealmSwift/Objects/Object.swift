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

extension ObjectBase {
    /// Creates an unmanaged object from a dictionary with property names as keys, an array with
    /// values in the order of the properties, or another object.
    ///
    /// ```swift
    /// let dog = Dog(value: ["name": "Rex", "owner": ["name": "Ann"]])
    /// let same = Dog(value: ["Rex", ["Ann"]])
    /// ```
    /// Properties without a given value keep their defaults. Managed objects among the values are
    /// linked to as they are. A value that does not fit its property stops the program.
    public convenience init(value: Any) {
        self.init()
        _ValueConversion.detached.fill(self, from: value)
    }

    /// The Realm that manages the object; nil while unmanaged.
    public final var realm: Realm? { _realm.map(Realm.init(instance:)) }

    /// The properties of the object's class.
    public final var objectSchema: ObjectSchema { _model.objectSchema }
}

extension Object {
    /// Whether both stand for the same object of the same Realm.
    ///
    /// Unmanaged objects are the same only if they are one instance.
    public func isSameObject(as object: Object?) -> Bool {
        object.map { _isSameRow(as: $0) } ?? false
    }
}
