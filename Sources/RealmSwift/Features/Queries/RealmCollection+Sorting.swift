import StorageEngine

/// A type whose collections can be sorted by key paths: objects and projections.
@_marker public protocol KeypathSortable {}

extension ObjectBase: KeypathSortable {}
extension Projection: KeypathSortable {}

extension RealmCollection {
    /// Returns the same objects sorted by several properties. The first property is the most
    /// significant one.
    ///
    /// Nil comes first, false comes before true, and strings are ordered by their bytes. Objects
    /// that are equal in all properties keep their order, so the last of several consecutive sorts
    /// is the most significant one. Without descriptors, the order does not change. Values are
    /// sorted by the key path `self`.
    ///
    /// - Precondition: All key paths consist of existing properties, lead through to-one links
    ///   only, and end at a property that is neither a collection nor a link.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor {
        let descriptors = Array(sortDescriptors)
        guard _backing.hasValues else {
            return Results(query: _querySource.query().sorted(by: descriptors))
        }
        for descriptor in descriptors { requireSelf(descriptor.keyPath, "sort on key path") }
        return Results(
            values: _sortedValues(
                descriptors.first.map { .sort(isAscending: $0.ascending) } ?? .none))
    }

    /// Returns the first object of each group of objects that are equal in some properties, in the
    /// current order.
    ///
    /// ```swift
    /// people.sorted(byKeyPath: "age").distinct(by: ["firstName", "lastName"])   // the youngest
    /// ```
    /// Objects with a nil link along a key path are left out. Values are compared by the key path
    /// `self`.
    ///
    /// - Precondition: The key paths are valid for ``sorted(by:)``.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String {
        let keyPaths = Array(keyPaths)
        guard _backing.hasValues else {
            return Results(query: _querySource.query().distinct(by: keyPaths))
        }
        for keyPath in keyPaths { requireSelf(keyPath, "distinct on keypath") }
        return Results(values: _sortedValues(keyPaths.isEmpty ? .none : .distinct))
    }

    private func requireSelf(_ keyPath: String, _ purpose: String) {
        if keyPath == "self" { return }
        stop(
            "Cannot \(purpose) '\(keyPath)': arrays of '\(Element._typeName)' can only be sorted "
                + "on 'self'")
    }
}

extension AggregatableCollection {
    /// Returns the values with an operation applied to them. Stops the program if the elements are
    /// not values of a Realm.
    func _sortedValues(
        _ operation: SortedValues<AggregatedValue>.Operation
    ) -> SortedValues<AggregatedValue> {
        let backing = _backing
        if case .values(let values) = backing.kind,
            let values = values as? SortedValues<AggregatedValue>
        {
            return values.adding(operation)
        }
        guard let realm = backing.realm, case .stored(let type, _, _) = _contents.source else {
            if let realm = RealmCache.failedInstance {
                return SortedValues(
                    realm, AggregatedValue._elementShape.type, operations: [operation],
                    source: .nothing)
            }
            // For an unmanaged collection, this stops the program with the documented message.
            _ = _querySource.query()
            stop("Only collections of values have an order of their own.")
        }
        return SortedValues(realm, type, operations: [operation], source: _valueSource)
    }

    private var _valueSource: ValueSource<AggregatedValue> {
        ValueSource(_backing) { question in
            switch question {
            case .elements: .elements(self._elements)
            case .contents: .contents(self._contents)
            case .moved(let realm): .moved(self._moved(to: Realm(instance: realm))._valueSource)
            }
        }
    }
}

extension ValueSource {
    /// A collection that a failed transaction removed.
    fileprivate static var nothing: ValueSource { ValueSource(nil) { _ in .elements([]) } }
}

extension RealmCollection where Element: KeypathSortable {
    /// Returns the same objects sorted by a property. See ``sorted(by:)``.
    ///
    /// ```swift
    /// dogs.sorted(byKeyPath: "owner.name", ascending: false)
    /// ```
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// Returns the same objects sorted by a property. See ``sorted(by:)``.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> where T.PersistedType: SortableType, Element: ObjectBase {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }

    /// Returns the first object of each group of objects that are equal in some properties, in the
    /// current order.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == PartialKeyPath<Element>, Element: ObjectBase {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}

extension RealmCollection where Element.PersistedType: SortableType {
    /// Returns the values in sorted order, nil first.
    ///
    /// ```swift
    /// let best = player.scores.sorted(ascending: false).first
    /// ```
    public func sorted(ascending: Bool = true) -> Results<Element> {
        Results(values: _sortedValues(.sort(isAscending: ascending)))
    }

    /// Returns the values without duplicates, in the current order.
    public func distinct() -> Results<Element> { Results(values: _sortedValues(.distinct)) }
}

extension ResultsQuery {
    func sorted(by descriptors: [SortDescriptor]) -> ResultsQuery {
        let orders = descriptors.map {
            order($0.keyPath, isAscending: $0.ascending, for: "sort", named: "key path")
        }
        guard let table = managedClass.table, !orders.isEmpty else { return self }
        // Of two consecutive sorts, the later one is more significant.
        var operations = operations
        var all = orders
        if case .sort(_, let earlier)? = operations.last {
            operations.removeLast()
            all += earlier
        } else if isWholeTable {
            operations = [.filter(.constant(true), attempt { try everything(of: table) })]
        }
        return replacing(operations + [.sort(attempt { try QuerySorter(table, all) }, all)])
    }

    func distinct(by keyPaths: [String]) -> ResultsQuery {
        let orders = keyPaths.map {
            order($0, isAscending: true, for: "distinct", named: "keypath")
        }
        guard let table = managedClass.table, !orders.isEmpty else { return self }
        let sorter = attempt { try QuerySorter(table, orders) }
        return replacing(operations + [.distinct(sorter, orders)])
    }

    /// Returns the columns of a key path through to-one links. Stops the program for any other key
    /// path.
    private func order(
        _ keyPath: String, isAscending: Bool, for purpose: String, named pathName: String
    ) -> QueryOrder {
        let prefix = "Cannot \(purpose) on \(pathName) '\(keyPath)': "
        if keyPath.contains("@") {
            stop(prefix + "KVC collection operators are not supported.")
        }
        let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var links: [Int] = []
        var current = managedClass
        for (index, name) in names.enumerated() {
            let place = "property '\(current.model.name).\(name)'"
            let position = current.model.properties.firstIndex { $0.name == name }
            guard let property = current.model[name] else {
                stop(prefix + place + " does not exist")
            }
            guard let position, property.shape.collection == .none else {
                stop(prefix + place + " is of unsupported type '\(property.sortTypeName)'.")
            }
            let column = current.columns[position]
            let isLast = index == names.count - 1
            if isLast != property.shape.isLink {
                if isLast {
                    return QueryOrder(links: links, column: column, isAscending: isAscending)
                }
                links.append(column)
                current = current.linkTarget(column: column)
                continue
            }
            stop(
                prefix + place + " of type '\(property.sortTypeName)' "
                    + (isLast
                        ? "cannot be the final property in the key path."
                        : "may only be the final property in the key path."))
        }
        preconditionFailure("a key path has a last name")
    }
}

extension PropertyModel {
    fileprivate var sortTypeName: String {
        if linkOriginPropertyName != nil { return "linking objects" }
        return shape.collection.elementsName ?? shape.type.name
    }
}
