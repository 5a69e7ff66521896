import StorageEngine

/// A type whose collections can be sorted by key paths: objects and projections.
@_marker public protocol KeypathSortable {}

extension ObjectBase: KeypathSortable {}
extension Projection: KeypathSortable {}

extension RealmCollection {
    /// The same objects in the order of several properties, the first of them the most
    /// significant.
    ///
    /// Nil comes first, false before true, strings in the order of their bytes. Objects that are
    /// equal in all properties stay in their order: so of several sorts in a row the last is the
    /// most significant. Without descriptors the order is what it was. A property that does not
    /// exist, a collection or a link at the end of a key path stop the program.
    ///
    /// Values are sorted by `self`.
    public func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Element>
    where S.Iterator.Element == SortDescriptor {
        let descriptors = Array(sortDescriptors)
        guard hasValues else {
            return Results(query: _querySource.query().sorted(by: descriptors))
        }
        for descriptor in descriptors { requireSelf(descriptor.keyPath, "sort on key path") }
        return Results(
            values: sortedValues(
                descriptors.first.map { .sort(isAscending: $0.ascending) } ?? .none))
    }

    /// The first, in the present order, of all objects that agree in some properties.
    ///
    /// ```swift
    /// people.sorted(byKeyPath: "age").distinct(by: ["firstName", "lastName"])   // the youngest
    /// ```
    /// Objects from which a key path is cut short by a link that is nil are left out. Values are told
    /// apart by `self`.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == String {
        let keyPaths = Array(keyPaths)
        guard hasValues else {
            return Results(query: _querySource.query().distinct(by: keyPaths))
        }
        for keyPath in keyPaths { requireSelf(keyPath, "distinct on keypath") }
        return Results(values: sortedValues(keyPaths.isEmpty ? .none : .distinct))
    }

    private func requireSelf(_ keyPath: String, _ purpose: String) {
        if keyPath == "self" { return }
        stop(
            "Cannot \(purpose) '\(keyPath)': arrays of '\(Element._typeName)' can only be sorted "
                + "on 'self'")
    }

    /// Whether the elements are values of a Realm.
    var hasValues: Bool {
        switch _querySource.kind {
        case .values: true
        case .results, .links, .unmanaged: false
        }
    }

    func sortedValues(_ operation: SortedValues<Element>.Operation) -> SortedValues<Element> {
        if let results = self as? Results<Element>, let values = results.values {
            return values.adding(operation)
        }
        guard let realm = realm?.instance, case .stored(let type, _, _) = _contents.source else {
            if let realm = RealmCache.failedInstance {
                return SortedValues(realm, Element._elementShape.type, [operation]) { nil }
            }
            // An unmanaged collection, for which this stops with the documented text.
            _ = _querySource.query()
            stop("Only collections of values have an order of their own.")
        }
        return SortedValues(realm, type, [operation]) {
            isInvalidated ? nil : (Array(self), _contents)
        }
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// The same objects in the order of a property. See ``sorted(by:)``.
    ///
    /// ```swift
    /// dogs.sorted(byKeyPath: "owner.name", ascending: false)
    /// ```
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Element> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The same objects in the order of a property. See ``sorted(by:)``.
    public func sorted<T: _HasPersistedType>(
        by keyPath: KeyPath<Element, T>, ascending: Bool = true
    ) -> Results<Element> where T.PersistedType: SortableType, Element: ObjectBase {
        sorted(byKeyPath: _name(for: keyPath), ascending: ascending)
    }

    /// The first, in the present order, of all objects that agree in some properties.
    public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
    where S.Iterator.Element == PartialKeyPath<Element>, Element: ObjectBase {
        distinct(by: keyPaths.map { _name(for: $0) })
    }
}

extension RealmCollection where Element.PersistedType: SortableType {
    /// The same values in their order, nil first.
    ///
    /// ```swift
    /// let best = player.scores.sorted(ascending: false).first
    /// ```
    public func sorted(ascending: Bool = true) -> Results<Element> {
        Results(values: sortedValues(.sort(isAscending: ascending)))
    }

    /// Each value once, in the present order.
    public func distinct() -> Results<Element> { Results(values: sortedValues(.distinct)) }
}

extension ResultsQuery {
    func sorted(by descriptors: [SortDescriptor]) -> ResultsQuery {
        let orders = descriptors.map {
            order($0.keyPath, isAscending: $0.ascending, for: "sort", named: "key path")
        }
        guard let table = managedClass.table, !orders.isEmpty else { return self }
        // Of two sorts in a row the later one decides first.
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
        return replacing(operations + [.distinct(sorter)])
    }

    /// The columns of a key path through to-one links. Another one stops the program.
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
