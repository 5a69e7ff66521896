/// A type that makes a model class `Identifiable` without a property for the identifier.
///
/// ```swift
/// class Dog: Object, ObjectKeyIdentifiable {
///     @Persisted var name: String
/// }
/// ```
/// All instances that represent one object of a Realm have the same `id`. The `id` of an unmanaged
/// object identifies the instance, and changes when the object is added. An `id` is only meaningful
/// within the process.
public protocol ObjectKeyIdentifiable: Identifiable {
    /// The identifier of the object.
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// The identifier of the object, unique among all objects of its Realm.
    public var id: UInt64 { _identity }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// The identifier of the projected object.
    public var id: UInt64 { rootObject._identity }
}

extension ObjectBase {
    /// The identity of the object. A managed object has bit 63 set, the number of the table in 15
    /// bits, and the key in 48 bits. An unmanaged object has its address, in which bit 63 is never
    /// set.
    fileprivate final var _identity: UInt64 {
        guard let table = _managedClass?.table else {
            return UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
        }
        return 1 << 63 | UInt64(table.number) << 48 | UInt64(bitPattern: _key)
    }
}
