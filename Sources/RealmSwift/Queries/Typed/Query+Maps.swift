extension Query where T: RealmKeyedCollection {
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
