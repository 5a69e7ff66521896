/// An object or collection that can belong to a Realm. If it does, it can be used only on the
/// thread of that Realm, or on all threads if it is frozen.
public protocol ThreadConfined {
    /// The Realm that manages the object or collection; nil if it is unmanaged.
    var realm: Realm? { get }
    /// A Boolean value that indicates whether the object or collection was deleted or its Realm
    /// invalidated. Using it then stops the program.
    var isInvalidated: Bool { get }
    /// A Boolean value that indicates whether the object or collection is frozen.
    var isFrozen: Bool { get }
    /// Returns a frozen copy, which does not change and can be used on all threads.
    func freeze() -> Self
    /// Returns what a frozen copy was made of, for the thread of the caller; nil if it was deleted.
    func thaw() -> Self?
    /// Returns the same thing in another Realm of the file; nil if it does not exist there.
    func _counterpart(in realm: Realm) -> Self?
}

extension Object: ThreadConfined {}
extension EmbeddedObject: ThreadConfined {}
