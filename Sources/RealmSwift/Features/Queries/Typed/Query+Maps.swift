extension Query where T: RealmKeyedCollection {
    /// The values of the map. A comparison holds if any value satisfies it.
    public var values: Query<T.Value> { Query<T.Value>(path.appending(.operation("allValues"))) }

    /// The value of a key; nil if the map does not have the key.
    public subscript(key: T.Key) -> Query<T.Value> {
        var path = self.path.appending(.key(key._storedKey))
        // The subscript leaves one value of the map, which is the last collection on the path.
        path.collections.removeLast()
        path.hasMapSubscript = true
        return Query<T.Value>(path)
    }
}

extension Query where T: RealmKeyedCollection, T.Key == String {
    /// The keys of the map. A comparison holds if any key satisfies it.
    public var keys: Query<String> { Query<String>(path.appending(.operation("allKeys"))) }
}

// MARK: Mixed values

extension Query where T == AnyRealmValue {
    /// The element at a position, if the value is a list; nil if there is none.
    public subscript(position: Int) -> Query<AnyRealmValue> { element(.index(position)) }

    /// The value of a key, if the value is a map; nil if there is none.
    public subscript(key: String) -> Query<AnyRealmValue> { element(.key(key)) }

    /// All elements, if the value is a list or a map. A comparison holds if any element satisfies
    /// it.
    public var any: Query<AnyRealmValue> { element(.anyElement) }

    private func element(_ step: KeyPathSyntax.Step) -> Query<AnyRealmValue> {
        var path = self.path.appending(step)
        path.hasMixedSubscript = true
        return Query<AnyRealmValue>(path)
    }
}
