extension RealmCollection {
    /// Returns the elements divided into sections by a key.
    ///
    /// ```swift
    /// dogs.sectioned(sortDescriptors: [SortDescriptor(keyPath: "name")]) { $0.name.count }
    /// ```
    /// - Parameters:
    ///   - sortDescriptors: The order of the elements, which determines the order of the sections.
    ///   - keyBlock: A function that returns the key of an element. It must depend only on the
    ///     properties of the element and of objects up to four links away, and on the objects that
    ///     link to the element and their own properties. It must not change anything.
    /// - Precondition: There is at least one sort descriptor.
    public func sectioned<Key: _Persistable>(
        sortDescriptors: [SortDescriptor], _ keyBlock: @escaping (Element) -> Key
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            stop("Can not section Results with empty sortDescriptor parameter.")
        }
        return SectionedResults(
            sectioning: Sectioning(sorted(by: sortDescriptors), keyBlock))
    }

    /// Returns sections by a property of the elements' class. The keys of the sections are the
    /// values of the property.
    ///
    /// - Parameters:
    ///   - key: A function that reads the property of an element.
    ///   - name: The name of the property that `key` reads.
    ///   - sortDescriptors: The order of the elements.
    private func sectioned<Key: _Persistable>(
        _ key: @escaping (Element) -> Key, named name: String,
        sortedBy sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        guard let first = sortDescriptors.first else {
            stop("There must be at least one SortDescriptor when using SectionedResults.")
        }
        if first.keyPath != name {
            stop("The section key path must match the primary sort descriptor.")
        }
        return sectioned(sortDescriptors: sortDescriptors, key)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Returns the objects sorted by a property and divided into sections by its values.
    ///
    /// ```swift
    /// let dogsByBreed = realm.objects(Dog.self).sectioned(by: \.breed)
    /// ```
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        sectioned(
            by: keyPath, sortDescriptors: [.init(keyPath: keyPath, ascending: ascending)])
    }

    /// Returns the objects sorted by several properties and divided into sections by the values of
    /// a property.
    ///
    /// - Parameters:
    ///   - keyPath: The property that divides the sections.
    ///   - sortDescriptors: The order of the objects.
    /// - Precondition: The first sort descriptor is for the same property.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned({ $0[keyPath: keyPath] }, named: _name(for: keyPath), sortedBy: sortDescriptors)
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// Returns the objects sorted by some properties and divided into sections by a key.
    ///
    /// - Parameters:
    ///   - block: A function that returns the key of an object. It must depend on the object only,
    ///     and must not change anything.
    ///   - sortDescriptors: The order of the objects, which determines the order of the sections.
    /// - Precondition: There is at least one sort descriptor.
    public func sectioned<Key: _Persistable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned(sortDescriptors: sortDescriptors, block)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Returns the projections sorted by a property and divided into sections by its values.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let descriptor = SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)
        return sectioned(by: keyPath, sortDescriptors: [descriptor])
    }

    /// Returns the projections sorted by several properties of their objects and divided into
    /// sections by the values of a property.
    ///
    /// - Parameters:
    ///   - keyPath: The property that divides the sections.
    ///   - sortDescriptors: The order of the projections.
    /// - Precondition: The first sort descriptor is for the same property.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned({ $0[keyPath: keyPath] }, named: _name(for: keyPath), sortedBy: sortDescriptors)
    }
}

extension RealmCollection {
    /// Returns the elements divided into sections by a key. Values are sorted, and objects keep
    /// their current order.
    ///
    /// ```swift
    /// let words = document.words.sectioned(by: { String($0.prefix(1)) })
    /// ```
    /// - Parameters:
    ///   - block: A function that returns the key of an element. It must depend on the element
    ///     only, and must not change anything.
    ///   - ascending: Whether the order is ascending. False reverses the order.
    public func sectioned<Key: _Persistable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        if _backing.hasValues {
            let values = _sortedValues(.sort(isAscending: ascending))
            return SectionedResults(sectioning: Sectioning(Results(values: values), block))
        }
        let objects = Results<Element>(query: _querySource.query())
        return SectionedResults(
            sectioning: Sectioning(objects, isReversed: !ascending, block))
    }
}
