/// Changes of tables that leave the rows of their objects as they are.
///
/// A property that is added is a column that leaves lack. One that is removed stays behind the
/// others, with its backlinks, and no definition has it. A renamed one has another name. So each of
/// these costs the same whatever the number of objects. Columns of backlinks name properties by
/// their positions, and are told when these change.
extension StoredSchema {
    /// Gives a table the properties of a definition. Properties of the same name and type stay;
    /// single values may become optional or required. Primary keys, indexes, and whether the table
    /// is embedded stay as they are. Returns the names of the properties that were removed and are
    /// now at the returned positions; nil if nothing has changed.
    mutating func adapt(_ index: Int, to wanted: TableDefinition) throws(SchemaProblem)
        -> [String: UInt16]?
    {
        let old = tables[index]
        if old.isStored(like: wanted) { return nil }
        var columns: [StoredColumn] = []
        var kept: [Int: Int] = [:]
        var added: [Int] = []
        for definition in wanted.columns {
            if let position = old.position(of: definition.name),
                old.columns[position].mayBecome(definition)
            {
                kept[position] = columns.count
                columns.append(old.columns[position].becoming(definition))
            } else {
                added.append(columns.count)
                columns.append(try makeColumn(definition, in: index))
            }
        }
        var removed: [String: UInt16] = [:]
        for position in 0..<old.propertyCount where kept[position] == nil {
            let column = old.columns[position]
            kept[position] = columns.count
            columns.append(column.removed)
            if !column.isRemoved, let name = column.definition?.name { removed[name] = column.id }
        }
        guard columns.count <= 1000 else {
            throw SchemaProblem(
                "Table '\(old.name)' would have more than 1000 columns, with those of removed "
                    + "properties. A copy of the file has fewer.")
        }
        tables[index].columns = columns + old.columns[old.propertyCount...]
        moveOrigins(inTable: index, to: kept)
        for column in added { try addBacklinkColumn(mirroring: column, ofTable: index) }
        return removed
    }

    /// Gives the contents of a removed property to the visible one at a position, which was added.
    /// `isEmpty`: nothing was stored in that one, so nothing remains of it. Otherwise it takes the
    /// place of the removed one.
    mutating func rename(
        _ removed: Int, to added: Int, ofTable index: Int, isEmpty: Bool
    ) throws(SchemaProblem) {
        let place = tables[index].columns[added]
        guard let definition = place.definition else { return }
        var contents = tables[index].columns[removed].becoming(definition)
        contents.isRemoved = false
        tables[index].columns[added] = contents
        guard isEmpty else {
            tables[index].columns[removed] = place.removed
            moveOrigins(inTable: index, to: [removed: added, added: removed])
            return
        }
        for table in tables.indices {
            tables[table].columns.removeAll {
                $0.backlinks?.originTable == index && $0.backlinks?.originColumn == added
            }
        }
        tables[index].columns.remove(at: removed)
        var positions = [removed: added]
        for position in tables[index].columns.indices where position >= removed {
            positions[position + 1] = position
        }
        moveOrigins(inTable: index, to: positions)
        nextTreeID = (tables.flatMap { $0.trees.map(\.id) }.max() ?? 1) + 1
    }

    /// Removes a class. Its table keeps its number and its objects, and gets a name that no class
    /// can have; so do the definitions of links to it.
    mutating func removeTable(_ index: Int) {
        let name = tables[index].name
        let hidden = "-\(index)-\(name)"
        tables[index].isRemoved = true
        tables[index].name = hidden
        for table in tables.indices {
            for column in tables[table].columns.indices {
                tables[table].columns[column].change {
                    if $0.linkTarget == name { $0.linkTarget = hidden }
                }
            }
        }
    }

    /// Makes the objects of a table embedded ones, or the reverse, and the links to them as well.
    /// Removed sets, which are empty, stay sets of links, because no set can hold embedded objects.
    mutating func setEmbedded(_ isEmbedded: Bool, _ index: Int) {
        let name = tables[index].name
        tables[index].isEmbedded = isEmbedded
        for table in tables.indices {
            for column in tables[table].columns.indices {
                let isRemoved = tables[table].columns[column].isRemoved
                tables[table].columns[column].change {
                    if $0.linkTarget != name || isRemoved && $0.collection == .set { return }
                    $0.type = isEmbedded ? .embedded : .link
                }
            }
        }
    }

    mutating func setIntegerBits(_ bits: Int, _ column: Int, ofTable index: Int) {
        tables[index].columns[column].change { $0.integerBits = bits }
    }

    /// Adds the primary key to a table that has none. Its map is empty.
    mutating func addPrimaryKey(_ column: Int, ofTable index: Int) {
        tables[index].columns[column].change { $0.isPrimaryKey = true }
        tables[index].primaryKeyTreeID = makeUnusedTreeID()
    }

    /// Removes the primary key, whose map must be empty.
    mutating func removePrimaryKey(ofTable index: Int) {
        guard let column = tables[index].primaryKeyColumn else { return }
        tables[index].columns[column].change { $0.isPrimaryKey = false }
        tables[index].primaryKeyTreeID = 0
    }

    /// The schema without removed properties that have neither links nor an index, for a copy, and
    /// the former positions of the columns of each table. Trees may have other ids.
    func withoutPlainRemoved() -> (schema: StoredSchema, columns: [[Int]]) {
        var schema = self
        var columns: [[Int]] = []
        for index in tables.indices {
            let kept = tables[index].columns.indices.filter {
                let column = tables[index].columns[$0]
                return !column.isRemoved || column.index != nil
                    || column.definition?.isPrimaryKey == true
                    || column.definition?.type.mayRefer == true
            }
            columns.append(kept)
            if kept.count == tables[index].columns.count { continue }
            // Their origins may have been moved already.
            schema.tables[index].columns = kept.map { schema.tables[index].columns[$0] }
            schema.moveOrigins(
                inTable: index,
                to: Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) }))
        }
        if schema != self { schema.renumberTrees() }
        return (schema, columns)
    }

    /// Gives trees the smallest ids, table by table in the order of `StoredTable.trees`. A schema
    /// cannot have much greater ones than its columns need.
    private mutating func renumberTrees() {
        nextTreeID = Self.firstTreeID
        for table in tables.indices {
            tables[table].clusterTreeID = makeTreeID()
            if tables[table].primaryKeyTreeID != 0 {
                tables[table].primaryKeyTreeID = makeTreeID()
            }
            for column in tables[table].columns.indices {
                if let index = tables[table].columns[column].index {
                    tables[table].columns[column].index = StoredColumn.Index(
                        values: makeTreeID(), nulls: index.nulls == 0 ? 0 : makeTreeID())
                }
                if var backlinks = tables[table].columns[column].backlinks {
                    backlinks.severalTreeID = makeTreeID()
                    tables[table].columns[column].content = .backlinks(backlinks)
                }
            }
        }
    }

    private mutating func makeColumn(
        _ definition: ColumnDefinition, in index: Int
    ) throws(SchemaProblem) -> StoredColumn {
        // The last id denotes the keys of a leaf.
        guard tables[index].nextColumnID < Node.keyColumnID else {
            throw SchemaProblem(
                "Table '\(tables[index].name)' has had too many columns: no id is left.")
        }
        var definition = definition
        definition.isPrimaryKey = false
        definition.isIndexed = false
        defer { tables[index].nextColumnID += 1 }
        return StoredColumn(id: tables[index].nextColumnID, content: .property(definition))
    }

    /// Tells columns of backlinks where the properties that they mirror are now.
    private mutating func moveOrigins(inTable origin: Int, to positions: [Int: Int]) {
        for table in tables.indices {
            for column in tables[table].columns.indices {
                guard var backlinks = tables[table].columns[column].backlinks,
                    backlinks.originTable == origin,
                    let position = positions[backlinks.originColumn]
                else { continue }
                backlinks.originColumn = position
                tables[table].columns[column].content = .backlinks(backlinks)
            }
        }
    }
}

extension StoredTable {
    /// The position of a property that was not removed.
    func position(of name: String) -> Int? {
        columns.prefix(visibleCount).firstIndex { $0.definition?.name == name }
    }

    /// The position of a property, removed or not.
    func position(ofID id: UInt16) -> Int? {
        columns.prefix(propertyCount).firstIndex { $0.id == id }
    }

    /// Whether its objects may refer to others, or others to them.
    var hasLinks: Bool {
        columns.contains { $0.backlinks != nil || $0.definition?.type.mayRefer == true }
    }

    /// Whether the table has the properties of a definition, apart from keys and indexes.
    fileprivate func isStored(like definition: TableDefinition) -> Bool {
        visibleCount == definition.columns.count
            && zip(columns, definition.columns).allSatisfy { column, wanted in
                column.definition?.name == wanted.name && column.mayBecome(wanted)
                    && column.definition?.isOptional == wanted.isOptional
            }
    }
}

extension StoredColumn {
    /// Whether the values of the property can be those of another definition, of whatever name.
    ///
    /// `convertingElements`: collections are copied if their elements may be null in one of them.
    func mayBecome(_ other: ColumnDefinition, convertingElements: Bool = false) -> Bool {
        guard let own = definition, own.type == other.type, own.collection == other.collection,
            own.linkTarget == other.linkTarget, !own.isWider(than: other)
        else { return false }
        // Elements of collections are stored differently if they may be null.
        return own.isOptional == other.isOptional
            || (own.collection == .none || convertingElements)
                && own.type.traits.reference == .none
    }

    /// The property with the name and the optionality of a definition.
    fileprivate func becoming(_ other: ColumnDefinition) -> StoredColumn {
        var column = self
        let wasOptional = definition?.isOptional == true
        if !wasOptional && other.isOptional { column.isZeroWhereAbsent = true }
        column.change {
            $0.name = other.name
            $0.isOptional = other.isOptional
            if other.integerBits != 0 { $0.integerBits = other.integerBits }
        }
        return column
    }

    /// The property once it is removed, with a name that no property can have.
    fileprivate var removed: StoredColumn {
        if isRemoved { return self }
        var column = self
        column.isRemoved = true
        column.change { $0.name = "-\(id)-\($0.name)" }
        return column
    }

    fileprivate mutating func change(_ change: (inout ColumnDefinition) -> Void) {
        guard var definition else { return }
        change(&definition)
        content = .property(definition)
    }
}
