import Foundation

/// A type of the keys of a ``Map``: `String`.
public protocol _MapKey: Hashable, _ObjcBridgeable {
    /// Creates the key for a stored key.
    init(_storedKey: String)
    /// The stored form of the key.
    var _storedKey: String { get }
}

extension String: _MapKey {
    /// Creates the string itself.
    public init(_storedKey: String) { self = _storedKey }
    /// The string itself.
    public var _storedKey: String { self }
}

/// A collection of values with keys: ``Map``.
public protocol RealmKeyedCollection<Key, Value>: AggregatableCollection
where AggregatedValue == Value {
    /// The type of the keys.
    associatedtype Key: _MapKey
    /// The type of the values.
    associatedtype Value: RealmCollectionValue

    /// The number of keys.
    var count: Int { get }
    /// All keys.
    var keys: [Key] { get }
    /// All values, in the order of `keys`.
    var values: [Value] { get }
    /// Accesses the value of a key; nil if the collection does not have the key. Assigning nil
    /// removes the key.
    subscript(key: Key) -> Value? { get set }
    /// Sets the value of a new or existing key.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes a key and its value. Has no effect if the collection does not have the key.
    func removeObject(for key: Key)
    /// Removes all keys and values.
    func removeAll()
    /// Returns a Boolean value that indicates whether an entry satisfies the predicate.
    func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool

    /// Returns the value of a key.
    func value(forKey key: String) -> AnyObject?
    /// Returns the value at a key path that begins with a key, or the result of a collection
    /// operator.
    func value(forKeyPath keyPath: String) -> AnyObject?
    /// Sets the value of a key. Nil removes the key.
    func setValue(_ value: Any?, forKey key: String)
}

extension RealmKeyedCollection {
    public var _elements: [Value] { values }
}

/// An optional type, for constraints of generic code.
public protocol OptionalProtocol {
    /// The type of the wrapped value.
    associatedtype Wrapped
}

extension Optional: OptionalProtocol {}
