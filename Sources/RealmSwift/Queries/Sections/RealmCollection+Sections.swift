extension RealmCollection {
    /// The elements in sections, each of which has those with one key.
    ///
    /// ```swift
    /// dogs.sectioned(sortDescriptors: [SortDescriptor(keyPath: "name")]) { $0.name.count }
    /// ```
    /// - Parameters:
    ///   - sortDescriptors: the order of the elements, and so of the sections. None stops the
    ///     program.
    ///   - keyBlock: the key of an element. It depends on the element only, and changes nothing.
    public func sectioned<Key: _Persistable>(
        sortDescriptors: [SortDescriptor], _ keyBlock: @escaping (Element) -> Key
    ) -> SectionedResults<Key, Element> {
        if sortDescriptors.isEmpty {
            stop("Can not section Results with empty sortDescriptor parameter.")
        }
        return SectionedResults(
            sectioning: Sectioning(sorted(by: sortDescriptors), keyBlock))
    }

    /// Sections by a property of the elements' class: the names of the sections are its values.
    ///
    /// - Parameter name: of the property that `key` reads.
    private func sectioned<Key: _Persistable>(
        _ key: @escaping (Element) -> Key, named name: String, _ sortDescriptors: [SortDescriptor]
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
    /// The objects in the order of a property, in sections that have those with one value of it.
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

    /// The objects in the order of several properties, in sections that have those with one value
    /// of a property, which is that of the first descriptor.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned({ $0[keyPath: keyPath] }, named: _name(for: keyPath), sortDescriptors)
    }
}

extension RealmCollection where Element: KeypathSortable {
    /// The objects in the order of some properties, in sections that have those with one key.
    ///
    /// - Parameters:
    ///   - block: the key of an object. It depends on the object only, and changes nothing.
    ///   - sortDescriptors: the order of the objects, and so of the sections. None stops the
    ///     program.
    public func sectioned<Key: _Persistable>(
        by block: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned(sortDescriptors: sortDescriptors, block)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// The projections in the order of a property, in sections that have those with one value of
    /// it.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        let descriptor = SortDescriptor(keyPath: _name(for: keyPath), ascending: ascending)
        return sectioned(by: keyPath, sortDescriptors: [descriptor])
    }

    /// The projections in the order of several properties of their objects, in sections that have
    /// those with one value of a property, which is that of the first descriptor.
    public func sectioned<Key: _Persistable>(
        by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
    ) -> SectionedResults<Key, Element> {
        sectioned({ $0[keyPath: keyPath] }, named: _name(for: keyPath), sortDescriptors)
    }
}

extension RealmCollection {
    /// The elements in sections that have those with one key: values in their order, objects in the
    /// order in which they are.
    ///
    /// ```swift
    /// let words = document.words.sectioned(by: { String($0.prefix(1)) })
    /// ```
    /// - Parameters:
    ///   - block: the key of an element. It depends on the element only, and changes nothing.
    ///   - ascending: false for the opposite order.
    public func sectioned<Key: _Persistable>(
        by block: @escaping (Element) -> Key, ascending: Bool = true
    ) -> SectionedResults<Key, Element> {
        if hasValues {
            let values = sortedValues(.sort(isAscending: ascending))
            return SectionedResults(sectioning: Sectioning(Results(values: values), block))
        }
        let objects = Results<Element>(query: _querySource.query())
        return SectionedResults(
            sectioning: Sectioning(objects, isReversed: !ascending, block))
    }
}
