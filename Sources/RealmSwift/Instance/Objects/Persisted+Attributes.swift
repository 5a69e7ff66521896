/// A type of properties that can be indexed. An enum or custom type can be indexed if its stored
/// type conforms.
@_marker public protocol _Indexable {}

/// A type of properties that can be a primary key. `Bool` conforms, but opening a Realm rejects it.
@_marker public protocol _PrimaryKey {}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}

extension Persisted where Value.PersistedType: _Indexable {
    /// Creates a property that can be indexed.
    ///
    /// - Parameter indexed: Whether the Realm keeps an index for the property.
    @inlinable @inline(__always)
    public init(indexed: Bool) {
        self.init(state: .unset, attributes: indexed ? .indexed : [])
    }

    /// Creates a property with an initial value that can be indexed.
    ///
    /// - Parameters:
    ///   - value: The initial value.
    ///   - indexed: Whether the Realm keeps an index for the property.
    @inlinable @inline(__always)
    public init(wrappedValue value: Value, indexed: Bool) {
        self.init(state: .value(value), attributes: indexed ? .indexed : [])
    }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    /// Creates a property that can be the primary key.
    ///
    /// - Parameter primaryKey: Whether the property is the primary key of its class.
    @inlinable @inline(__always)
    public init(primaryKey: Bool) {
        self.init(state: .unset, attributes: primaryKey ? .primaryKey : [])
    }

    /// Creates a property with an initial value that can be the primary key.
    ///
    /// - Parameters:
    ///   - value: The initial value.
    ///   - primaryKey: Whether the property is the primary key of its class.
    @inlinable @inline(__always)
    public init(wrappedValue value: Value, primaryKey: Bool) {
        self.init(state: .value(value), attributes: primaryKey ? .primaryKey : [])
    }
}
