extension Query where T: RealmKeyedCollection {
    /// The number of keys.
    public var count: Query<Int> { applying("count") }

    /// Whether the map has this value.
    public func contains(_ value: T.Value) -> Query<Bool> { hasElement(value) }

    /// Whether the map has any of these values.
    public func containsAny<U: Sequence>(in collection: U) -> Query<Bool>
    where U.Element == T.Value {
        isIn(collection)
    }

    /// The values, of which any may satisfy a comparison.
    public var values: Query<T.Value> { Query<T.Value>(path.appending(.operation("allValues"))) }

    /// The value of a key; nil where the map does not have it.
    public subscript(key: T.Key) -> Query<T.Value> {
        var path = self.path.appending(.key(key._storedKey))
        // One value is left of the map, which is the last collection on the way.
        path.collections.removeLast()
        path.hasMapSubscript = true
        return Query<T.Value>(path)
    }
}

extension Query where T: RealmKeyedCollection, T.Key == String {
    /// The keys, of which any may satisfy a comparison.
    public var keys: Query<String> { Query<String>(path.appending(.operation("allKeys"))) }
}

extension Query where T: RealmKeyedCollection, T.Value: Comparable {
    /// Whether the least and the greatest value lie in the range.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> {
        areFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Whether the least and the greatest value lie in the range.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
        areBetween(range.lowerBound, range.upperBound)
    }
}

extension Query
where
    T: RealmKeyedCollection, T.Value: OptionalProtocol,
    T.Value.Wrapped: Comparable
{
    /// Whether the least and the greatest value lie in the range. Nil values do not count.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> {
        areFrom(range.lowerBound, upTo: range.upperBound)
    }

    /// Whether the least and the greatest value lie in the range. Nil values do not count.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> {
        areBetween(range.lowerBound, range.upperBound)
    }
}

extension Query where T: RealmKeyedCollection, T.Value.PersistedType: _QueryNumeric {
    /// The least value.
    public var min: Query<T.Value> { applying("min") }
    /// The greatest value.
    public var max: Query<T.Value> { applying("max") }
    /// The mean of all values.
    public var avg: Query<T.Value> { applying("avg") }
    /// The sum of all values.
    public var sum: Query<T.Value> { applying("sum") }
}

// MARK: Mixed values

extension Query where T == AnyRealmValue {
    /// The element at a position of the list that the value is; nil if there is none.
    public subscript(position: Int) -> Query<AnyRealmValue> { element(.index(position)) }

    /// The value of a key of the map that the value is; nil if there is none.
    public subscript(key: String) -> Query<AnyRealmValue> { element(.key(key)) }

    /// All elements of the list or map that the value is, of which any may satisfy a comparison.
    public var any: Query<AnyRealmValue> { element(.anyElement) }

    private func element(_ step: KeyPathSyntax.Step) -> Query<AnyRealmValue> {
        var path = self.path.appending(step)
        path.hasMixedSubscript = true
        return Query<AnyRealmValue>(path)
    }
}
