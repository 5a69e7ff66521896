/// The base class of objects that exist as a part of another object only.
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
/// An embedded object belongs to the one property, list or map that holds it. It becomes managed by
/// being put there, and is deleted when it is replaced or taken out, or when the object that it
/// belongs to is deleted. It has no primary key, and cannot be added to a Realm by itself; a
/// managed one cannot be put in a second place, which stops the program. Assigning it to the place
/// that holds it does nothing.
public typealias EmbeddedObject = RealmSwiftEmbeddedObject

/// See ``EmbeddedObject``.
open class RealmSwiftEmbeddedObject: ObjectBase {
    /// Creates an unmanaged object whose properties have their initial values.
    public required init() { super.init() }
}

extension EmbeddedObject {
    /// Whether both stand for the same object of the same Realm.
    ///
    /// Unmanaged objects are the same only if they are one instance.
    public func isSameObject(as object: EmbeddedObject?) -> Bool {
        object.map { _isSameRow(as: $0) } ?? false
    }
}
