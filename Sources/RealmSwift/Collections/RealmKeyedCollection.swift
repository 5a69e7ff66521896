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
public protocol RealmKeyedCollection<Key, Value>: Sequence, ThreadConfined,
    CustomStringConvertible
{
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

    /// The least value of a property of all objects; nil without values.
    func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// The greatest value of a property of all objects; nil without values.
    func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType
    /// The sum of a property of all objects; 0 without values.
    func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType
    /// The mean of a property of all objects that have a value; nil without values.
    func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType

    /// How the values can be read one after the other.
    var _contents: _CollectionContents { get }
    /// What a query of the values starts from.
    var _querySource: _QuerySource { get }
}

extension RealmKeyedCollection {
    /// The least value of a property of all objects; nil without values.
    ///
    /// A property that does not exist, or is neither a number nor a date, stops the program; so do
    /// the maximum, the sum and the mean, which dates do not have.
    public func min<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        aggregated(.min, property, of: _contents)
    }

    /// The greatest value of a property of all objects; nil without values.
    public func max<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: MinMaxType {
        aggregated(.max, property, of: _contents)
    }

    /// The sum of a property of all objects; 0 without values. Nil values are left out.
    public func sum<T: _HasPersistedType>(ofProperty property: String) -> T
    where T.PersistedType: AddableType {
        summed(property, of: _contents)
    }

    /// The mean of a property of all objects that have a value; nil without values.
    public func average<T: _HasPersistedType>(ofProperty property: String) -> T?
    where T.PersistedType: AddableType {
        aggregated(.average, property, of: _contents)
    }
}

extension RealmKeyedCollection where Value: OptionalProtocol, Value.Wrapped: ObjectBase {
    /// The least value of a property of all objects; nil without values.
    public func min<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        min(ofProperty: _name(for: keyPath))
    }

    /// The greatest value of a property of all objects; nil without values.
    public func max<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: MinMaxType {
        max(ofProperty: _name(for: keyPath))
    }

    /// The sum of a property of all objects; 0 without values. Nil values are left out.
    public func sum<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T
    where T.PersistedType: AddableType {
        sum(ofProperty: _name(for: keyPath))
    }

    /// The mean of a property of all objects that have a value; nil without values.
    public func average<T: _HasPersistedType>(of keyPath: KeyPath<Value.Wrapped, T>) -> T?
    where T.PersistedType: AddableType {
        average(ofProperty: _name(for: keyPath))
    }
}

extension RealmKeyedCollection where Value.PersistedType: MinMaxType {
    /// The least value; nil if there is none, or all are nil.
    public func min() -> Value? { aggregated(.min, nil, of: _contents) }

    /// The greatest value; nil if there is none, or all are nil.
    public func max() -> Value? { aggregated(.max, nil, of: _contents) }
}

extension RealmKeyedCollection where Value.PersistedType: AddableType {
    /// The sum of all values; 0 if there is none. Nil values are left out.
    public func sum() -> Value { summed(nil, of: _contents) }

    /// The mean of all values that are not nil; nil if there is none.
    public func average<T: _HasPersistedType>() -> T? where T.PersistedType: AddableType {
        aggregated(.average, nil, of: _contents)
    }
}

/// An optional, in constraints of generic code.
public protocol OptionalProtocol {
    /// The type inside.
    associatedtype Wrapped
}

extension Optional: OptionalProtocol {}
