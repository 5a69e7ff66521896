import Foundation

/// A type that a ``Map`` may have as keys: `String`.
public protocol _MapKey: Hashable, _ObjcBridgeable {
    /// The key that a stored one stands for.
    init(_storedKey: String)
    /// The stored form.
    var _storedKey: String { get }
}

extension String: _MapKey {
    /// The string itself.
    public init(_storedKey: String) { self = _storedKey }
    /// The string itself.
    public var _storedKey: String { self }
}

/// A collection of values that are found by keys: ``Map``.
public protocol RealmKeyedCollection<Key, Value>: AggregatableCollection, ThreadConfined,
    CustomStringConvertible
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
    /// The value of a key; nil if the key is not there. Assigning nil removes the key.
    subscript(key: Key) -> Value? { get set }
    /// Sets the value of a key, which need not be there.
    func updateValue(_ value: Value, forKey key: Key)
    /// Removes a key and its value, if the key is there.
    func removeObject(for key: Key)
    /// Removes all keys and values.
    func removeAll()
    /// Whether any key with its value satisfies the predicate.
    func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool

    /// The value of a key.
    func value(forKey key: String) -> AnyObject?
    /// The value at the end of a key path that begins with a key, or what a collection operator
    /// makes of the values.
    func value(forKeyPath keyPath: String) -> AnyObject?
    /// Sets the value of a key; nil removes the key.
    func setValue(_ value: Any?, forKey key: String)
}

/// An optional, in constraints of generic code.
public protocol OptionalProtocol {
    /// The type inside.
    associatedtype Wrapped
}

extension Optional: OptionalProtocol {}
