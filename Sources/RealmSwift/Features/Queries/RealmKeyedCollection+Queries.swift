extension RealmKeyedCollection {
    /// Returns the objects of the map sorted by several properties; see
    /// ``RealmCollection/sorted(by:)``. Values are sorted by the key path `self`.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Iterator.Element == SortDescriptor {
        let descriptors = Array(sortDescriptors)
        if let first = descriptors.first, descriptors.allSatisfy({ $0.keyPath == "self" }) {
            return sorted(ascending: first.ascending)
        }
        return Results(query: _querySource.query().sorted(by: descriptors))
    }

    /// Returns the values of the map in sorted order, nil first.
    ///
    /// - Precondition: The map contains values, not objects.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        Results(values: _sortedValues(.sort(isAscending: ascending)))
    }

    /// Returns the objects of the map sorted by a property.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }
}

extension RealmKeyedCollection
where Value: OptionalProtocol, Value.Wrapped: ObjectBase, Value.Wrapped: RealmCollectionValue {
    /// Returns the objects of the map sorted by a property.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true
    ) -> Results<Value> where T.PersistedType: SortableType {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }
}
