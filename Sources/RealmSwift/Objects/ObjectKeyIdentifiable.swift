/// Lets a model class be `Identifiable` without a property for that.
///
/// ```swift
/// class Dog: Object, ObjectKeyIdentifiable {
///     @Persisted var name: String
/// }
/// ```
/// All instances that stand for one object of a Realm have the same `id`; that of an unmanaged
/// object is its own, and changes when it is added. It means something in this process only.
public protocol ObjectKeyIdentifiable: Identifiable {
    /// What tells the object from all others.
    var id: UInt64 { get }
}

extension ObjectKeyIdentifiable where Self: ObjectBase {
    /// What tells the object from all others of its Realm, whatever their class.
    public var id: UInt64 { _identity }
}

extension ObjectKeyIdentifiable where Self: ProjectionObservable {
    /// The identity of the object that is projected.
    public var id: UInt64 { rootObject._identity }
}

extension ObjectBase {
    /// Bit 63 set, the number of the table in 15 bits, the key in 48; of an unmanaged object its
    /// address, which does not reach bit 63.
    fileprivate final var _identity: UInt64 {
        guard let table = _managedClass?.table else {
            return UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
        }
        return 1 << 63 | UInt64(table.number) << 48 | UInt64(bitPattern: _key)
    }
}
