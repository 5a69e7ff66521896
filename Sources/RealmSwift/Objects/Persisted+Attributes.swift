import Foundation

/// A type that can be indexed. Enums and custom types can be if the type can be that they are
/// stored as.
@_marker public protocol _Indexable {}

/// A type that can be a primary key. `Bool` is refused all the same when a Realm is opened.
@_marker public protocol _PrimaryKey {}

extension Bool: _Indexable, _PrimaryKey {}
extension Int: _Indexable, _PrimaryKey {}
extension Int8: _Indexable, _PrimaryKey {}
extension Int16: _Indexable, _PrimaryKey {}
extension Int32: _Indexable, _PrimaryKey {}
extension Int64: _Indexable, _PrimaryKey {}
extension String: _Indexable, _PrimaryKey {}
extension Date: _Indexable {}
extension ObjectId: _Indexable, _PrimaryKey {}
extension UUID: _Indexable, _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}

extension Persisted where Value.PersistedType: _Indexable {
    /// A property for which the Realm keeps an index.
    @inlinable @inline(__always)
    public init(indexed: Bool) {
        self.init(state: .unset, attributes: indexed ? .indexed : [])
    }

    /// A property with an initial value for which the Realm keeps an index.
    @inlinable @inline(__always)
    public init(wrappedValue value: Value, indexed: Bool) {
        self.init(state: .value(value), attributes: indexed ? .indexed : [])
    }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    /// A property that identifies the object among those of its class.
    @inlinable @inline(__always)
    public init(primaryKey: Bool) {
        self.init(state: .unset, attributes: primaryKey ? .primaryKey : [])
    }

    /// A property with an initial value that identifies the object among those of its class.
    @inlinable @inline(__always)
    public init(wrappedValue value: Value, primaryKey: Bool) {
        self.init(state: .value(value), attributes: primaryKey ? .primaryKey : [])
    }
}
