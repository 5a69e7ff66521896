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
