/// A base class of objects that exist only as part of another object.
///
/// ```swift
/// class Address: EmbeddedObject {
///     @Persisted var street: String
///     @Persisted var city: String
/// }
///
/// class Person: Object {
///     @Persisted var name: String
///     @Persisted var address: Address?
///     @Persisted var earlier: List<Address>
/// }
/// ```
/// An embedded object belongs to the one property, list or map that holds it. It becomes managed
/// when it is stored there. It is deleted when it is replaced or removed, or when its owner is
/// deleted.
///
/// An embedded object has no primary key and cannot be added to a Realm by itself. Storing a
/// managed embedded object in a second place stops the program. Assigning it to the place that
/// holds it has no effect.
public typealias EmbeddedObject = RealmSwiftEmbeddedObject

/// The class behind ``EmbeddedObject``.
open class RealmSwiftEmbeddedObject: ObjectBase {
    /// Creates an unmanaged object whose properties have their initial values.
    public required init() { super.init() }
}

extension EmbeddedObject {
    /// Returns a Boolean value that indicates whether both instances represent the same object of
    /// the same Realm.
    ///
    /// An unmanaged object is the same only as itself.
    public func isSameObject(as object: EmbeddedObject?) -> Bool {
        object.map { _isSameRow(as: $0) } ?? false
    }
}
