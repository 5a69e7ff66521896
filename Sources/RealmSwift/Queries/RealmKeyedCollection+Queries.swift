extension RealmKeyedCollection {
    /// The values that match a predicate: see ``RealmCollection/filter(_:_:)``. Keys without an
    /// object are left out.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        attempt { Results(query: try _querySource.filtered(predicateFormat, args)) }
    }

    /// The objects of the map in the order of several properties: see
    /// ``RealmCollection/sorted(by:)``.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Iterator.Element == SortDescriptor {
        Results(query: _querySource.query().sorted(by: Array(sortDescriptors)))
    }

    /// The objects of the map in the order of a property.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The values that match a predicate that has been read.
    ///
    /// - Throws: ``InvalidPredicate`` if it does not suit the class.
    func _filtered(_ syntax: PredicateSyntax, format: String) throws -> Results<Value> {
        Results(query: try _querySource.query().filtered(syntax, format: format))
    }
}

extension RealmKeyedCollection
where Value: OptionalProtocol, Value.Wrapped: ObjectBase, Value.Wrapped: RealmCollectionValue {
    /// The objects of the map in the order of a property.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Value.Wrapped, T>, ascending: Bool = true
    ) -> Results<Value> where T.PersistedType: SortableType {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }
}
