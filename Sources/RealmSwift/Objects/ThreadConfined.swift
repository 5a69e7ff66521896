/// An object or collection that may belong to a Realm, and may then be used on the thread of that
/// Realm only.
public protocol ThreadConfined {
    /// The Realm that manages the object or collection; nil while unmanaged.
    var realm: Realm? { get }
    /// True once it has been deleted, or its Realm invalidated. Using it then stops the program.
    var isInvalidated: Bool { get }
}

extension Object: ThreadConfined {}
extension EmbeddedObject: ThreadConfined {}
