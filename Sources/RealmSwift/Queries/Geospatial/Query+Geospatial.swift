extension Query
where
    T: _HasPersistedType, T.PersistedType: OptionalProtocol,
    T.PersistedType.Wrapped: EmbeddedObject
{
    /// Whether there is a place, and it lies in a region. See ``RLMGeospatial``.
    public func geoWithin<U: RLMGeospatial>(_ value: U) -> Query<Bool> {
        comparison(.isIn, value)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: EmbeddedObject {
    /// Whether the place lies in a region. See ``RLMGeospatial``.
    public func geoWithin<U: RLMGeospatial>(_ value: U) -> Query<Bool> {
        comparison(.isIn, value)
    }
}
