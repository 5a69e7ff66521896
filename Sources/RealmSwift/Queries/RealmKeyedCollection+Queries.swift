extension RealmKeyedCollection {
    /// The values that match a predicate: see ``RealmCollection/filter(_:_:)``. Keys without an
    /// object are left out.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        attempt { Results(query: try _querySource.filtered(predicateFormat, args)) }
    }

    /// The objects of the map in the order of several properties: see
    /// ``RealmCollection/sorted(by:)``. Values are sorted by `self`.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value>
    where S.Iterator.Element == SortDescriptor {
        let descriptors = Array(sortDescriptors)
        if let first = descriptors.first, descriptors.allSatisfy({ $0.keyPath == "self" }) {
            return sorted(ascending: first.ascending)
        }
        return Results(query: _querySource.query().sorted(by: descriptors))
    }

    /// The values of the map in their order, nil first. Only maps of values have one: one of objects
    /// stops the program.
    public func sorted(ascending: Bool = true) -> Results<Value> {
        guard let realm = realm?.instance, case .stored(let type, _, _) = _contents.source else {
            if let realm = RealmCache.failedInstance {
                return Results(
                    values: SortedValues(realm, Value._elementShape.type, []) { nil })
            }
            // An unmanaged map, for which this stops with the documented text.
            _ = _querySource.query()
            stop("Only collections of values have an order of their own.")
        }
        return Results(
            values: SortedValues(realm, type, [.sort(isAscending: ascending)]) {
                isInvalidated ? nil : (values, _contents)
            })
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
