import Foundation

/// A type whose values are ordered in queries.
public protocol _QueryOrdered {}

/// A type whose values can be compared with `<` and aggregated in queries: numbers, and dates,
/// which have no sum and no average.
public protocol _QueryNumeric: _QueryOrdered {}

/// A type whose values consist of bytes, so that queries can search for parts of them.
public protocol _QueryBinary: _QueryOrdered {}

/// A type whose values are strings.
public protocol _QueryString: _QueryBinary {}

extension Int: _QueryNumeric {}
extension Int8: _QueryNumeric {}
extension Int16: _QueryNumeric {}
extension Int32: _QueryNumeric {}
extension Int64: _QueryNumeric {}
extension Float: _QueryNumeric {}
extension Double: _QueryNumeric {}
extension Decimal128: _QueryNumeric {}
extension Date: _QueryNumeric {}
extension String: _QueryString {}
extension Data: _QueryBinary {}
extension AnyRealmValue: _QueryNumeric, _QueryString {}

extension Optional: _QueryOrdered where Wrapped: _QueryOrdered {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}
extension Optional: _QueryString where Wrapped: _QueryString {}

// MARK: What enums and custom types are stored as

extension Query where T: _HasPersistedType {
    /// The stored value of the property. For enums and custom types, it is compared with stored
    /// values.
    public var persistableValue: Query<T.PersistedType> {
        Query<T.PersistedType>(expression, depth: conditionDepth)
    }
}

extension Query where T: RealmCollection, T: _HasPersistedType {
    /// The collection with the stored values of its elements.
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> {
        Query<AnyRealmCollection<T.Element.PersistedType>>(expression, depth: conditionDepth)
    }
}

extension Query where T: RealmKeyedCollection {
    /// The map with the stored values.
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> {
        Query<Map<T.Key, T.Value.PersistedType>>(expression, depth: conditionDepth)
    }
}

extension Query where T: PersistableEnum {
    /// The raw value of the property.
    public var rawValue: Query<T.RawValue> {
        Query<T.RawValue>(expression, depth: conditionDepth)
    }
}

extension Query where T: OptionalProtocol, T.Wrapped: PersistableEnum {
    /// The raw value of the property; nil if the property is nil.
    public var rawValue: Query<T.Wrapped.RawValue?> {
        Query<T.Wrapped.RawValue?>(expression, depth: conditionDepth)
    }
}

extension Query
where
    T: RealmCollection, T.Element: PersistableEnum,
    T.Element.RawValue: RealmCollectionValue
{
    /// The collection with the raw values of its elements.
    public var rawValue: Query<AnyRealmCollection<T.Element.RawValue>> {
        Query<AnyRealmCollection<T.Element.RawValue>>(expression, depth: conditionDepth)
    }
}

extension Query
where
    T: RealmCollection, T.Element: OptionalProtocol,
    T.Element.Wrapped: PersistableEnum,
    T.Element.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The collection with the raw values of its elements.
    public var rawValue: Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> {
        Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>>(expression, depth: conditionDepth)
    }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: PersistableEnum,
    T.Value.RawValue: RealmCollectionValue
{
    /// The map with the raw values.
    public var rawValue: Query<Map<T.Key, T.Value.RawValue>> {
        Query<Map<T.Key, T.Value.RawValue>>(expression, depth: conditionDepth)
    }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol,
    T.Value.Wrapped: PersistableEnum,
    T.Value.Wrapped.RawValue: _RealmCollectionValueInsideOptional
{
    /// The map with the raw values.
    public var rawValue: Query<Map<T.Key, T.Value.Wrapped.RawValue?>> {
        Query<Map<T.Key, T.Value.Wrapped.RawValue?>>(expression, depth: conditionDepth)
    }
}
