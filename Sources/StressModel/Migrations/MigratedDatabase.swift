import StorageEngine

/// What a file that is migrated must hold: a few Swift dictionaries, which share no code with the
/// engine. Objects are known by their tags.
package struct MigratedDatabase: Equatable, Sendable {
    /// One object.
    package struct Row: Equatable, Sendable {
        package var values: [String: MigratedValue]
        /// The values of properties that the migration under way has removed.
        var removed: [String: MigratedValue] = [:]

        package init(values: [String: MigratedValue]) { self.values = values }
    }

    package var definitions: [String: TableDefinition] = [:]
    package var rows: [String: [Int: Row]] = [:]
    /// For each class, the properties that the migration under way has removed.
    var removed: [String: [ColumnDefinition]] = [:]

    package init() {}

    // MARK: References

    /// Whether the property holds embedded objects. Objects that are to become embedded are not
    /// until the end of a migration.
    func owns(_ column: ColumnDefinition) -> Bool {
        column.linkTarget.flatMap { definitions[$0]?.isEmbedded } ?? false
    }

    /// Deletes an object with what it owns, and clears all references to it.
    mutating func delete(_ tag: Int, of name: String) {
        guard let row = rows[name]?.removeValue(forKey: tag) else { return }
        for column in definitions[name]?.columns ?? [] {
            deleteOwned(column, row.values[column.name])
        }
        for column in removed[name] ?? [] { deleteOwned(column, row.removed[column.name]) }
        for (other, definition) in definitions {
            for column in definition.columns where column.linkTarget == name {
                clear(\.values, column.name, of: other, tag)
            }
            for column in removed[other] ?? [] where column.linkTarget == name {
                clear(\.removed, column.name, of: other, tag)
            }
        }
    }

    /// Clears the references of a property to a deleted object.
    private mutating func clear(
        _ values: WritableKeyPath<Row, [String: MigratedValue]>, _ column: String,
        of name: String, _ tag: Int
    ) {
        for (key, row) in rows[name]! {
            guard let value = row[keyPath: values][column], value.references.contains(tag) else {
                continue
            }
            rows[name]![key]![keyPath: values][column] = value.without(tag)
        }
    }

    /// Deletes the objects that a property owns, of which `value` names some.
    mutating func deleteOwned(_ column: ColumnDefinition, _ value: MigratedValue?) {
        guard let target = column.linkTarget, owns(column) else { return }
        for tag in value?.references ?? [] { delete(tag, of: target) }
    }

    /// Replaces a value. What it owned is deleted.
    mutating func set(
        _ column: ColumnDefinition, of tag: Int, _ name: String, to value: MigratedValue
    ) {
        let former = rows[name]?[tag]?.values[column.name]
        rows[name]?[tag]?.values[column.name] = value
        deleteOwned(column, former)
    }

    // MARK: Text

    /// What a file with these contents has: a line for each class and each object.
    package var lines: [String] {
        definitions.keys.sorted().flatMap { name -> [String] in
            let definition = definitions[name]!
            let columns = definition.columns.sorted { $0.name < $1.name }
            let objects = (rows[name] ?? [:]).values.map { row in
                MigratedContents.line(
                    of: name,
                    columns.map { ($0.name, row.values[$0.name]?.text(in: $0) ?? "missing") })
            }
            return [MigratedContents.line(of: definition)] + objects.sorted()
        }
    }
}
