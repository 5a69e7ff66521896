/// A property of a class whose objects can refer to others.
struct BacklinkOrigin {
    /// An unowned reference, which is safe because users of this value retain the Realm, and the
    /// Realm retains its classes.
    let managedClass: Unmanaged<ManagedClass>
    let column: Int
}
