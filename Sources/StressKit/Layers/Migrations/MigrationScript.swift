import Foundation
import RealmSwift
import StorageEngine
import StressModel

/// Carries out on a Realm what a plan says.
enum MigrationScript {
    /// What the block of a stage does.
    static func run(_ actions: [MigrationAction], on migration: Migration) {
        for action in actions {
            switch action {
            case .rename(let name, let old, let via, let new):
                let names = [old, via, new].compactMap { $0 }
                for (old, new) in zip(names, names.dropFirst()) {
                    migration.renameProperty(onType: name, from: old, to: new)
                }
            case .visit(let name, let edits, let deletes):
                migration.enumerateObjects(ofType: name) { old, new in
                    guard let new, let tag = new[ColumnDefinition.tag] as? Int else { return }
                    for edit in edits { run(edit, tag, old, new) }
                    if let deletes, tag % MigrationAction.deletionModulus == deletes {
                        migration.delete(new)
                    }
                }
            case .create(let definition, let tags, let salt):
                for tag in tags {
                    migration.create(definition.name, value: drawn(definition, tag, salt))
                }
            case .deleteData(let name): migration.deleteData(forType: name)
            }
        }
    }

    private static func run(
        _ edit: MigrationEdit, _ tag: Int, _ old: MigrationObject?, _ new: MigrationObject
    ) {
        switch edit {
        case .convert(let source, let column):
            let given = old.flatMap { number(in: $0, source) } ?? tag
            new[column.name] = value(.made(column, of: given))
        case .fill(let column, let salt):
            new[column.name] = value(.drawn(column, tag: tag, salt: salt))
        case .linkItself(let column): new[column.name] = collected(new, in: column)
        case .embed(let column, let definition, let base, let salt):
            new[column.name] = collected(drawn(definition, base + tag, salt), in: column)
        }
    }

    private static func number(in old: MigrationObject, _ column: ColumnDefinition) -> Int? {
        guard column.collection == .none else { return nil }
        if column.type == .int { return old[column.name] as? Int }
        guard column.type == .string, let text = old[column.name] as? String else { return nil }
        return MigratedValue.number(ofText: text)
    }

    /// Returns one element in the form of a property.
    private static func collected(_ element: Any, in column: ColumnDefinition) -> Any {
        switch column.collection {
        case .none: element
        case .list, .set: [element]
        case .map: [MigratedValue.firstEntry: element]
        }
    }

    private static func drawn(
        _ definition: TableDefinition, _ tag: Int, _ salt: UInt64
    ) -> [String: Any] {
        let plain = definition.columns.filter(\.isPlain)
        return Dictionary(
            uniqueKeysWithValues: plain.map {
                ($0.name, value(.drawn($0, tag: tag, salt: salt)))
            })
    }

    // MARK: Contents

    /// Writes the objects of a model, whose classes the Realm's file has.
    static func write(_ database: MigratedDatabase, to realm: Realm) throws {
        var objects: [Int: DynamicObject] = [:]
        for (name, definition) in database.definitions.sorted(by: { $0.key < $1.key })
        where !definition.isEmbedded {
            try realm.write {
                for (tag, row) in database.rows[name]!.sorted(by: { $0.key < $1.key }) {
                    objects[tag] = realm.dynamicCreate(
                        name, value: contents(of: row, definition, database))
                }
            }
        }
        try realm.write {
            for (name, definition) in database.definitions where !definition.isEmbedded {
                let links = definition.columns.filter { $0.type == .link }
                for (tag, row) in database.rows[name]! {
                    for column in links {
                        objects[tag]![column.name] = value(row.values[column.name]!) {
                            objects[$0]!
                        }
                    }
                }
            }
        }
    }

    /// Returns the values of an object, and of those that it owns.
    private static func contents(
        of row: MigratedDatabase.Row, _ definition: TableDefinition, _ database: MigratedDatabase
    ) -> [String: Any] {
        let columns = definition.columns.filter { $0.type != .link }
        return Dictionary(
            uniqueKeysWithValues: columns.map { column in
                let value = value(row.values[column.name]!) { tag in
                    let target = column.linkTarget!
                    return contents(
                        of: database.rows[target]![tag]!, database.definitions[target]!, database)
                }
                return (column.name, value)
            })
    }

    // MARK: Values

    private static func value(
        _ value: MigratedValue, object: (Int) -> Any = { _ in NSNull() }
    ) -> Any {
        switch value {
        case .null: NSNull()
        case .scalar(let type, let number):
            MigratedValue.withScalar(type, number) { scalar($0, type) }
        case .object(let tag): object(tag)
        case .elements(let elements): elements.map { Self.value($0, object: object) }
        case .entries(let entries): entries.mapValues { Self.value($0, object: object) }
        }
    }

    private static func scalar(_ scalar: Scalar, _ type: ValueType) -> Any {
        switch type {
        case .bool: Bool._decodeScalar(scalar)
        case .int: Int._decodeScalar(scalar)
        case .float: Float._decodeScalar(scalar)
        case .double: Double._decodeScalar(scalar)
        case .string: String._decodeScalar(scalar)
        case .data: Data._decodeScalar(scalar)
        case .date: Date._decodeScalar(scalar)
        case .uuid: UUID._decodeScalar(scalar)
        case .objectID: ObjectId._decodeScalar(scalar)
        case .decimal128: Decimal128._decodeScalar(scalar)
        case .link, .mixed, .typedLink, .embedded: NSNull()
        }
    }
}
