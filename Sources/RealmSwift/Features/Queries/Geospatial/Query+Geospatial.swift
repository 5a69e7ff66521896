extension Query
where
    T: _HasPersistedType, T.PersistedType: OptionalProtocol,
    T.PersistedType.Wrapped: EmbeddedObject
{
    /// Returns a condition that the place is not nil and is in a region. See ``RLMGeospatial``.
    public func geoWithin<U: RLMGeospatial>(_ value: U) -> Query<Bool> {
        comparison(.isIn, value)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: EmbeddedObject {
    /// Returns a condition that the place is in a region. See ``RLMGeospatial``.
    public func geoWithin<U: RLMGeospatial>(_ value: U) -> Query<Bool> {
        comparison(.isIn, value)
    }
}
