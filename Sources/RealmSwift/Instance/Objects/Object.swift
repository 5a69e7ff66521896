import StorageEngine

/// A base class of the objects of an application's model.
///
/// ```swift
/// class Dog: Object {
///     @Persisted var name: String
///     @Persisted var age: Int
/// }
/// ```
public typealias Object = RealmSwiftObject

/// The class behind ``Object``.
open class RealmSwiftObject: ObjectBase {
    /// Creates an unmanaged object whose properties have their initial values.
    public required init() { super.init() }
}

extension ObjectBase {
    /// Creates an unmanaged object from a value.
    ///
    /// ```swift
    /// let dog = Dog(value: ["name": "Rex", "owner": ["name": "Ann"]])
    /// let same = Dog(value: ["Rex", ["Ann"]])
    /// ```
    /// Properties without a given value keep their defaults. Managed objects in the value are
    /// linked to, not copied.
    ///
    /// - Parameter value: A dictionary with property names as keys, an array with values in the
    ///   order of the properties, or another object.
    /// - Precondition: All values match the types of their properties.
    public convenience init(value: Any) {
        self.init()
        _ValueConversion.detached.fill(self, from: value)
    }

    /// The Realm that manages the object; nil for an unmanaged object.
    public final var realm: Realm? { _realm.map(Realm.init(instance:)) }

    /// A description of the object's class and its properties.
    public final var objectSchema: ObjectSchema { _model.objectSchema }
}

extension Object {
    /// Returns a Boolean value that indicates whether both instances represent the same object of
    /// the same Realm.
    ///
    /// An unmanaged object is the same only as itself.
    public func isSameObject(as object: Object?) -> Bool {
        object.map { _isSameRow(as: $0) } ?? false
    }
}
