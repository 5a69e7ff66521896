extension RealmKeyedCollection {
    /// Returns the values that match a predicate; see ``RealmCollection/filter(_:_:)``. Keys
    /// without an object are left out.
    public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Value> {
        attempt { Results(query: try _querySource.filtered(predicateFormat, args)) }
    }

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
        guard let realm = realm?.instance, case .stored(let type, _, _) = _contents.source else {
            if let realm = RealmCache.failedInstance {
                return Results(
                    values: SortedValues(realm, Value._elementShape.type, []) { nil })
            }
            // For an unmanaged map, this stops the program with the documented message.
            _ = _querySource.query()
            stop("Only collections of values have an order of their own.")
        }
        return Results(
            values: SortedValues(realm, type, [.sort(isAscending: ascending)]) {
                isInvalidated ? nil : (values, _contents)
            })
    }

    /// Returns the objects of the map sorted by a property.
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// Returns the values that match a parsed predicate.
    ///
    /// - Throws: ``InvalidPredicate`` if the predicate is not valid for the class.
    func _filtered(_ syntax: PredicateSyntax, format: String) throws -> Results<Value> {
        Results(query: try _querySource.query().filtered(syntax, format: format))
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
