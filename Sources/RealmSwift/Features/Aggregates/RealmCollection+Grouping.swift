import StorageEngine

extension RealmCollection where Element: ObjectBase {
    /// Returns the objects grouped by a property, with aggregates of other properties.
    ///
    /// ```swift
    /// // SELECT city, COUNT(*), SUM(age), MAX(age) FROM Person GROUP BY city ORDER BY city
    /// for group in people.grouped(by: \.city, aggregating: \.age) {
    ///     print(group.key, group.count, group.sum(of: \.age), group.max(of: \.age) ?? 0)
    /// }
    /// ```
    /// There is one group for each value, also for nil. The groups are sorted by their keys in the
    /// order of ``sorted(by:)``: nil first, false before true, strings by their bytes. All NaN are
    /// one key. Cases of enums have the order of their raw values.
    ///
    /// Everything is computed at once, from the columns of the file, without objects. The groups
    /// are values that do not follow changes. They show what the collection shows now, including
    /// the changes of an open write transaction. This method is an extension of RealmSwift's
    /// interface.
    ///
    /// - Parameters:
    ///   - keyPath: A property with bools, numbers, enums, strings, data, dates, object ids or
    ///     UUIDs.
    ///   - properties: The properties that the groups have aggregates of: numbers and dates.
    /// - Precondition: The collection is managed. No property is a decimal or mixed value, or lies
    ///   behind a link.
    public func grouped<Key: RealmCollectionValue>(
        by keyPath: KeyPath<Element, Key>, aggregating properties: PartialKeyPath<Element>...
    ) -> [ObjectGroup<Key, Element>] {
        grouped(byProperty: _name(for: keyPath), aggregating: properties.map { _name(for: $0) })
    }

    /// Returns the objects grouped by the property with this name. See
    /// ``grouped(by:aggregating:)``.
    ///
    /// ```swift
    /// let cities: [ObjectGroup<String, Person>] = people.grouped(byProperty: "city")
    /// ```
    /// - Parameters:
    ///   - property: The property to group by.
    ///   - properties: The names of the properties that the groups have aggregates of.
    /// - Precondition: As above, and the keys have the type of the property.
    public func grouped<Key: RealmCollectionValue>(
        byProperty property: String, aggregating properties: [String] = []
    ) -> [ObjectGroup<Key, Element>] {
        let query = _querySource.query()
        query.requireValid()
        let column = query.groupingColumn(property, for: Key.self)
        let aggregated = properties.map { query.aggregatedColumn($0) }
        let described = AggregatedProperties(
            className: query.managedClass.model.name, names: properties,
            types: aggregated.map(\.type))
        return query.groups(by: column, of: aggregated.map(\.column)).map { group in
            let key = group.key.withScalar { Key._decode($0, nil) }
            return ObjectGroup(key: key, group, of: described)
        }
    }
}

extension ResultsQuery {
    /// Groups the objects. Those that a plan finds are read leaf by leaf, and all others one by
    /// one.
    fileprivate func groups(by column: Int, of columns: [Int]) -> [ValueGroup] {
        guard let table = managedClass.table else { return [] }
        return realm.connection.searching {
            if let plan = planOfAggregates {
                return attempt { try plan.groups(by: column, of: columns) }
            }
            let objects = keys.unpacked.lazy.map { ObjectKey(rawValue: $0) }
            return attempt { try table.groups(of: objects, by: column, of: columns) }
        }
    }

    /// Returns the column of a property that objects can be grouped by, if its values have the type
    /// of the keys. Stops the program for any other property.
    fileprivate func groupingColumn<Key: RealmCollectionValue>(
        _ name: String, for type: Key.Type
    ) -> Int {
        let (property, column) = column(named: name, for: "group by")
        let place = "\(property.typeDescription) property '\(managedClass.model.name).\(name)'"
        guard property.shape.collection == .none, Table.canGroup(by: property.shape.type) else {
            stop("Cannot group by \(place).")
        }
        let shape = Key._elementShape
        guard shape.type == property.shape.type, shape.isOptional || !property.shape.isOptional
        else {
            stop("Keys of type '\(Key._typeName)' are not the values of \(place).")
        }
        return column
    }

    fileprivate func aggregatedColumn(_ name: String) -> (column: Int, type: ValueType) {
        let (property, column) = column(named: name, for: "aggregate")
        let type = property.shape.type
        let hasNumbers =
            switch type.traits.addition {
            case .integers, .doubles: true
            case .none, .decimals: type.traits.family == .date
            }
        guard property.shape.collection == .none, hasNumbers else {
            stop(
                "Cannot aggregate \(property.typeDescription) property "
                    + "'\(managedClass.model.name).\(name)' in groups.")
        }
        return (column, type)
    }

    private func column(
        named name: String, for purpose: String
    ) -> (property: PropertyModel, column: Int) {
        let model = managedClass.model
        if name.contains(".") {
            stop("Cannot \(purpose) '\(name)': groups are made of an object's own properties.")
        }
        guard let position = model.properties.firstIndex(where: { $0.name == name }) else {
            stop("Property '\(name)' not found in object of type '\(model.name)'")
        }
        return (model.properties[position], managedClass.columns[position])
    }
}
