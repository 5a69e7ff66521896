import StorageEngine

/// What a migration's block does to an object.
package enum MigrationEdit: Equatable, Sendable {
    /// Makes a value of the number that the old object has in a property.
    case convert(from: ColumnDefinition, to: ColumnDefinition)
    /// Draws a value (``MigratedValue/drawn(_:tag:salt:)``).
    case fill(ColumnDefinition, salt: UInt64)
    /// Has the property refer to its own object.
    case linkItself(ColumnDefinition)
    /// Creates an embedded object, whose tag is that of the owner and `base`.
    case embed(ColumnDefinition, TableDefinition, base: Int, salt: UInt64)
}

/// What a migration's block does.
package enum MigrationAction: Equatable, Sendable {
    /// Renames a property, by way of a name that it had between two versions. If nothing is named
    /// at the end, the migration must fail.
    case rename(String, from: String, via: String?, to: String?)
    /// Enumerates the objects of a class. Deletes those whose tags leave this remainder.
    case visit(String, [MigrationEdit], deletes: Int?)
    case create(TableDefinition, tags: [Int], salt: UInt64)
    case deleteData(String)

    /// Of so many remainders.
    package static let deletionModulus = 5
}

/// One migration: from a schema version to the next one.
package struct MigrationStage: Equatable, Sendable {
    /// The classes of the application.
    package let wanted: [TableDefinition]
    package let actions: [MigrationAction]
    package let before: MigratedDatabase
    /// What the file holds then; nil if the migration must fail.
    package let after: MigratedDatabase?

    package init(
        _ wanted: [TableDefinition], _ actions: [MigrationAction], from before: MigratedDatabase
    ) {
        self.wanted = wanted
        self.actions = actions
        self.before = before
        var model = MigrationModel(wanted, before)
        after = model.run(actions) ? model.database : nil
    }
}

/// A migration of a model.
private struct MigrationModel {
    let wanted: [TableDefinition]
    let before: MigratedDatabase
    var database: MigratedDatabase
    private var isComplete = true

    init(_ wanted: [TableDefinition], _ before: MigratedDatabase) {
        self.wanted = wanted
        self.before = before
        database = before
    }

    /// Migrates; false if that must fail.
    mutating func run(_ actions: [MigrationAction]) -> Bool {
        begin()
        for action in actions { apply(action) }
        return isComplete && finish()
    }

    // MARK: Schema

    private mutating func begin() {
        for definition in wanted {
            guard let old = before.definitions[definition.name] else {
                database.definitions[definition.name] = definition
                database.rows[definition.name] = [:]
                continue
            }
            database.definitions[definition.name] = definition
            // What becomes embedded is top-level until the end.
            database.definitions[definition.name]?.isEmbedded =
                old.isEmbedded && definition.isEmbedded
            adapt(definition, from: old)
        }
    }

    private mutating func adapt(_ definition: TableDefinition, from old: TableDefinition) {
        let name = definition.name
        let kept = definition.columns.filter { column in
            old.columns.contains { $0.name == column.name && $0.isKept(as: column) }
        }
        let names = Set(kept.map(\.name))
        let removed = old.columns.filter { !names.contains($0.name) }
        database.removed[name] = removed
        for (tag, row) in before.rows[name] ?? [:] {
            var new = MigratedDatabase.Row(values: [:])
            for column in definition.columns { new.values[column.name] = column.emptyValue }
            for column in kept {
                new.values[column.name] = row.values[column.name]?.becoming(column)
            }
            for column in removed { new.removed[column.name] = row.values[column.name] }
            database.rows[name]![tag] = new
        }
    }

    // MARK: Actions

    private mutating func apply(_ action: MigrationAction) {
        switch action {
        case .rename(let name, let old, _, let new):
            guard let new else {
                isComplete = false
                return
            }
            rename(old, to: new, of: name)
        case .visit(let name, let edits, let deletes):
            for tag in (database.rows[name] ?? [:]).keys.sorted() {
                for edit in edits { apply(edit, to: tag, of: name) }
                if let deletes, tag % MigrationAction.deletionModulus == deletes {
                    database.delete(tag, of: name)
                }
            }
        case .create(let definition, let tags, let salt):
            for tag in tags { create(definition, tag, salt) }
        case .deleteData(let name):
            for tag in (database.rows[name] ?? [:]).keys { database.delete(tag, of: name) }
            if !wanted.contains(where: { $0.name == name }) {
                database.definitions[name] = nil
                database.rows[name] = nil
            }
        }
    }

    private mutating func rename(_ old: String, to new: String, of name: String) {
        guard
            let column = database.definitions[name]?.columns.first(where: { $0.name == new })
        else { return }
        database.removed[name]?.removeAll { $0.name == old }
        for tag in (database.rows[name] ?? [:]).keys {
            guard let value = database.rows[name]?[tag]?.removed.removeValue(forKey: old)
            else { continue }
            database.rows[name]?[tag]?.values[new] = value.becoming(column)
        }
    }

    private mutating func apply(_ edit: MigrationEdit, to tag: Int, of name: String) {
        switch edit {
        case .convert(let old, let new):
            let value = before.rows[name]?[tag]?.values[old.name]
            let number = value?.number(in: old) ?? tag
            database.set(new, of: tag, name, to: .made(new, of: number))
        case .fill(let column, let salt):
            database.set(column, of: tag, name, to: .drawn(column, tag: tag, salt: salt))
        case .linkItself(let column):
            database.set(column, of: tag, name, to: .inCollection(column, [.object(tag)]))
        case .embed(let column, let definition, let base, let salt):
            create(definition, base + tag, salt)
            database.set(column, of: tag, name, to: .inCollection(column, [.object(base + tag)]))
        }
    }

    private mutating func create(_ definition: TableDefinition, _ tag: Int, _ salt: UInt64) {
        database.rows[definition.name]?[tag] = .init(
            values: Dictionary(
                uniqueKeysWithValues: definition.columns.map { column in
                    let value: MigratedValue =
                        column.isPlain
                        ? .drawn(column, tag: tag, salt: salt) : column.emptyValue
                    return (column.name, value)
                }))
    }

    // MARK: Finishing

    /// Ends the migration; false if that must fail.
    private mutating func finish() -> Bool {
        for (name, columns) in database.removed {
            for column in columns where database.owns(column) {
                for tag in (database.rows[name] ?? [:]).keys.sorted() {
                    let value = database.rows[name]?[tag]?.removed[column.name]
                    database.deleteOwned(column, value)
                }
            }
        }
        database.removed = [:]
        for name in database.rows.keys {
            for tag in database.rows[name]!.keys { database.rows[name]![tag]!.removed = [:] }
        }
        for definition in wanted
        where definition.isEmbedded && database.definitions[definition.name]?.isEmbedded == false {
            guard eachIsOwnedOnce(definition.name) else { return false }
        }
        for definition in wanted { database.definitions[definition.name] = definition }
        adaptReferences()
        return wanted.allSatisfy(hasUniqueKeys)
    }

    /// Whether each object has one reference, of a property that may own it.
    private func eachIsOwnedOnce(_ name: String) -> Bool {
        var owners: [Int: Int] = [:]
        for (origin, definition) in database.definitions {
            for column in definition.columns where column.linkTarget == name {
                if column.collection == .set { return false }
                for row in database.rows[origin]!.values {
                    for tag in row.values[column.name]?.references ?? [] {
                        owners[tag, default: 0] += 1
                    }
                }
            }
        }
        return database.rows[name]!.keys.allSatisfy { owners[$0] == 1 }
    }

    /// Has properties of classes that are not the application's any more refer to objects as what
    /// these have become.
    private mutating func adaptReferences() {
        for name in database.definitions.keys {
            for index in database.definitions[name]!.columns.indices {
                let column = database.definitions[name]!.columns[index]
                if column.isPlain { continue }
                database.definitions[name]!.columns[index].type =
                    database.owns(column) ? .embedded : .link
            }
        }
    }

    private func hasUniqueKeys(_ definition: TableDefinition) -> Bool {
        guard let key = definition.columns.first(where: \.isPrimaryKey) else { return true }
        let values = database.rows[definition.name]!.values.map { $0.values[key.name] }
        return Set(values).count == values.count
    }
}
