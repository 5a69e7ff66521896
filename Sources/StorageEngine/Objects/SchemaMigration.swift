/// A migration: a change of tables in an open write transaction, after which they have the
/// properties of other definitions.
///
/// When it begins, tables get their new properties. Then properties can be renamed. Once
/// ``prepare()`` was called, objects can be read and changed in their new form; the old form is
/// what another connection reads that was opened before (`Connection(readingLike:)`).
/// ``finish()`` ends it. Only the commit of the transaction makes any of this part of the file.
/// docs/migrations.md says what each change costs, and what others who have the file open notice.
///
/// ```swift
/// try connection.beginWrite()
/// let migration = try SchemaMigration(connection, to: definitions)
/// try migration.rename("years", to: "age", ofTable: "Person")
/// try migration.finish()
/// try connection.commit()
/// ```
///
/// Used by the connection's thread. After an error the transaction can only be rolled back.
public final class SchemaMigration {
    let connection: Connection
    /// What tables are to be at the end.
    let wanted: [TableDefinition]
    /// The tables whose objects are to become embedded at the end.
    private(set) var becomingEmbedded: [String] = []
    /// For each table, the columns of the properties that this migration has removed, by name.
    private var removed: [String: [String: UInt16]] = [:]
    /// For each table, the columns that renamed properties have taken the places of, after objects
    /// were given values there.
    private var replaced: [String: [UInt16]] = [:]
    /// The properties that were optional, as tables and positions.
    private var required: [(table: Int, column: UInt16)] = []
    /// The collections whose elements may be null now, or may not any more: the columns before and
    /// after, which are stored differently.
    private var converted: [(table: Int, old: UInt16, new: UInt16)] = []
    private var isPrepared = false
    private var hasChangedLayout = false
    /// Called with the name of a table, how many of its objects were visited, and how many there
    /// are, each time some of them were.
    public var progress: ((_ table: String, _ position: Int, _ count: Int) -> Void)?

    /// Begins a migration in the open write transaction. Adds the tables that do not exist.
    ///
    /// - Throws: `.invalidArgument` for definitions that no table can have; what writing throws.
    public init(_ connection: Connection, to definitions: [TableDefinition]) throws(StorageError) {
        self.connection = connection
        wanted = definitions
        try connection.requireWriteTransaction()
        try dropUnfitIndexes()
        let schema = connection.schema
        becomingEmbedded = definitions.filter { definition in
            definition.isEmbedded
                && schema.tables.contains { $0.name == definition.name && !$0.isEmbedded }
        }.map(\.name)
        try change { (new) throws(SchemaProblem) in try begin(&new) }
    }

    // MARK: Tables

    private func begin(_ schema: inout StoredSchema) throws(SchemaProblem) {
        for definition in wanted where !definition.isEmbedded {
            guard let index = schema.tables.firstIndex(where: { $0.name == definition.name }),
                schema.tables[index].isEmbedded
            else { continue }
            schema.setEmbedded(false, index)
        }
        let definitions = wanted.map(interim)
        let names = Set(schema.tables.map(\.name))
        try schema.add(definitions.filter { !names.contains($0.name) })
        for definition in definitions where names.contains(definition.name) {
            if let problem = definition.problem { throw problem }
            guard let index = schema.tables.firstIndex(where: { $0.name == definition.name })
            else { continue }
            let old = schema.tables[index]
            guard let removed = try schema.adapt(index, to: definition) else { continue }
            self.removed[definition.name] = removed
            noteRequired(from: old, to: schema.tables[index], at: index)
            noteConverted(removed, to: schema.tables[index], at: index)
        }
    }

    /// The definition of a table as long as its objects, or those that it refers to, are not
    /// embedded yet.
    private func interim(_ definition: TableDefinition) -> TableDefinition {
        var interim = definition
        if becomingEmbedded.contains(definition.name) { interim.isEmbedded = false }
        for position in interim.columns.indices {
            guard let target = interim.columns[position].linkTarget,
                becomingEmbedded.contains(target)
            else { continue }
            interim.columns[position].type = .link
        }
        return interim
    }

    private func noteRequired(from old: StoredTable, to new: StoredTable, at index: Int) {
        for column in new.columns.prefix(new.visibleCount) {
            guard let before = old.position(ofID: column.id),
                old.columns[before].definition?.isOptional == true,
                column.definition?.isOptional == false
            else { continue }
            required.append((index, column.id))
        }
    }

    private func noteConverted(_ removed: [String: UInt16], to new: StoredTable, at index: Int) {
        for (name, id) in removed {
            guard let before = new.position(ofID: id), let after = new.position(of: name),
                let definition = new.columns[after].definition,
                new.columns[before].mayBecome(definition, convertingElements: true)
            else { continue }
            converted.append((index, old: id, new: new.columns[after].id))
        }
    }

    /// Stores a changed schema. The first one that changes the layout of tables counts it.
    func change(
        _ change: (inout StoredSchema) throws(SchemaProblem) -> Void
    ) throws(StorageError) {
        // Both belong to tables that may be replaced.
        try connection.removeDeletedRows(limitingMemory: true)
        try connection.catchUpIndexes(limitingMemory: true)
        let old = connection.schema.tables
        try connection.changeSchema { (new) throws(SchemaProblem) in
            try change(&new)
            let changesLayout = zip(old, new.tables).contains { $0.hasOtherLayout(than: $1) }
            if changesLayout, !hasChangedLayout {
                hasChangedLayout = true
                new.layout += 1
            }
        }
    }

    /// Removes indexes of properties that are to become optional or required, because these are
    /// stored differently. They are added again like new ones.
    private func dropUnfitIndexes() throws(StorageError) {
        for definition in wanted {
            guard let table = try connection.table(named: definition.name) else { continue }
            for column in definition.columns {
                guard let position = table.stored.position(of: column.name),
                    let old = table.stored.columns[position].definition,
                    old.isOptional != column.isOptional, table.index(of: position) != nil
                else { continue }
                try connection.setIndexed(false, position, of: table)
            }
        }
    }

    // MARK: Renaming

    /// Gives the values of a property that this migration has removed to one that it has added.
    ///
    /// The values of the added one are lost. Costs the same whatever the number of objects; once
    /// ``prepare()`` was called, a primary key and an index are built anew. Tables have to be
    /// looked up again then.
    ///
    /// - Throws: `.invalidArgument` if there are no such properties, or if their types differ.
    public func rename(_ old: String, to new: String, ofTable name: String) throws(StorageError) {
        let index = connection.schema.tables.firstIndex { $0.name == name }
        guard let index, let id = removed[name]?[old] else {
            throw connection.pager.invalidArgument(
                "This migration has not removed '\(name).\(old)'.")
        }
        let table = connection.schema.tables[index]
        guard let source = table.position(ofID: id), let target = table.position(of: new),
            let definition = table.columns[target].definition
        else {
            throw connection.pager.invalidArgument("There is no property '\(name).\(new)'.")
        }
        guard table.columns[source].mayBecome(definition) else {
            throw connection.pager.invalidArgument(
                "'\(name).\(old)' and '\(name).\(new)' have different types.")
        }
        let wasOptional = table.columns[source].definition?.isOptional == true
        let isEmpty = !isPrepared
        if wasOptional != definition.isOptional, table.columns[source].index != nil {
            try connection.setIndexed(false, source, of: connection.table(index))
        }
        try change { (schema) throws(SchemaProblem) in
            try schema.rename(source, to: target, ofTable: index, isEmpty: isEmpty)
        }
        removed[name]?[old] = nil
        if !isEmpty { replaced[name, default: []].append(table.columns[target].id) }
        guard wasOptional, !definition.isOptional else { return }
        required.append((index, id))
        if isPrepared { try replaceNulls(required.removeLast()) }
    }

    // MARK: Objects

    /// Prepares tables for reading and changing their objects. Renaming is cheaper before. Does
    /// nothing the second time.
    public func prepare() throws(StorageError) {
        if isPrepared { return }
        isPrepared = true
        for definition in wanted {
            guard let table = try connection.table(named: definition.name) else { continue }
            try dropRemovedIndexes(of: table)
            try dropUnwantedKey(of: table, as: definition)
        }
        while let column = required.popLast() { try replaceNulls(column) }
        while let columns = converted.popLast() {
            try convertElements(columns.old, to: columns.new, of: connection.table(columns.table))
        }
    }

    private func dropRemovedIndexes(of table: Table) throws(StorageError) {
        for column in table.visibleCount..<table.propertyCount where table.index(of: column) != nil
        {
            try connection.setIndexed(false, column, of: table)
        }
    }

    private func dropUnwantedKey(
        of table: Table, as definition: TableDefinition
    ) throws(StorageError) {
        guard let column = table.primaryKeyColumn else { return }
        let name = definition.columns.first(where: \.isPrimaryKey)?.name
        let id = table.columnID(column)
        // Nulls that become zero may be alike until objects are changed.
        let staysOptional = !required.contains { $0 == (table.number, id) }
        if let name, table.stored.position(of: name) == column, staysOptional { return }
        try PrimaryKeyMap.removeAll(in: table)
        let index = table.number
        try change { $0.removePrimaryKey(ofTable: index) }
    }

    /// Gives the zero of their type to values of a property that must not be null any more.
    private func replaceNulls(_ place: (table: Int, column: UInt16)) throws(StorageError) {
        let table = connection.table(place.table)
        guard let column = table.stored.position(ofID: place.column),
            let type = table.stored.columns[column].definition?.type
        else { return }
        let zero = type.defaultScalar(isOptional: false)
        try forEachKey(of: table) { location throws(StorageError) in
            try table.value(column, at: location).isNull
        } then: { key throws(StorageError) in
            try table.set(column, of: key, to: zero)
        }
    }

    /// Removes a class and its objects. Those of a class that has no links, and to which none lead,
    /// stay where they are, out of reach, so that this costs the same whatever their number; their
    /// space is free in a copy of the file (``Connection/writeCopy(toPath:encryptionKey:)``).
    ///
    /// - Throws: `.invalidArgument` if there is no such table, or if it is wanted.
    public func removeTable(_ name: String) throws(StorageError) {
        try prepare()
        guard let table = try connection.table(named: name),
            !wanted.contains(where: { $0.name == name })
        else {
            throw connection.pager.invalidArgument("Table '\(name)' cannot be removed.")
        }
        if table.stored.hasLinks { try table.deleteAll(progress: progress) }
        let index = table.number
        try change { $0.removeTable(index) }
    }

    // MARK: Finishing

    /// Ends the migration: deletes the objects that removed properties owned, makes objects
    /// embedded, and adds primary keys. Indexes are the caller's to add and to remove
    /// (``Connection/setIndexed(_:_:of:progress:)``).
    ///
    /// - Throws: `.migrationFailed` if two objects have the same primary key, or if an object that
    ///   is to be embedded has no owner or several.
    public func finish() throws(StorageError) {
        try prepare()
        let gone = removed.mapValues { Array($0.values) }.merging(replaced, uniquingKeysWith: +)
        for (name, columns) in gone {
            guard let table = try connection.table(named: name) else { continue }
            for id in columns {
                guard let column = table.stored.position(ofID: id),
                    table.stored.columns[column].definition?.type == .embedded
                else { continue }
                try empty(column, of: table)
            }
        }
        for name in becomingEmbedded {
            guard let table = try connection.table(named: name) else { continue }
            try embed(table)
        }
        for definition in wanted { try addKey(definition) }
    }
}

extension StoredTable {
    fileprivate func hasOtherLayout(than new: StoredTable) -> Bool {
        name != new.name || isEmbedded != new.isEmbedded || isRemoved != new.isRemoved
            || primaryKeyTreeID != new.primaryKeyTreeID || propertyCount != new.propertyCount
            || visibleCount != new.visibleCount
            || !zip(columns, new.columns).prefix(propertyCount).allSatisfy {
                $0.isStored(like: $1) && $0.definition?.name == $1.definition?.name
            }
    }
}
