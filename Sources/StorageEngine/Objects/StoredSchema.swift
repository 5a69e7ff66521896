/// One column as it is stored in the file: a property, or a hidden backlink column.
struct StoredColumn: Equatable {
    /// Never reused within its table.
    var id: UInt16
    var content: Content
    /// The index of an indexed property.
    var index: Index?
    /// Whether a migration has removed the property. Its values stay in the rows, as those of any
    /// property do, but no definition of the table has it.
    var isRemoved = false
    /// Whether rows that lack the column have its zero although it may be null now: they are older
    /// than the column, which was required when it was added.
    var isZeroWhereAbsent = false

    enum Content: Equatable {
        case property(ColumnDefinition)
        case backlinks(Backlinks)
    }

    /// The link property that a backlink column mirrors.
    struct Backlinks: Equatable {
        var originTable: Int
        var originColumn: Int
        /// The tree of the map (target, origin) -> count, for targets with several references.
        var severalTreeID: UInt32
    }

    /// The trees of an index; see ``ColumnIndex``.
    struct Index: Equatable {
        var values: UInt32
        /// The tree of the objects without a value; 0 if the property cannot be null.
        var nulls: UInt32
    }

    var definition: ColumnDefinition? {
        if case .property(let definition) = content { definition } else { nil }
    }

    var backlinks: Backlinks? {
        if case .backlinks(let backlinks) = content { backlinks } else { nil }
    }

    /// Whether the column holds collections, which are stored as bytes in the owner's row: the
    /// elements, or the root of their tree.
    var isCollection: Bool { definition.map { $0.collection != .none } ?? false }

    var kind: ColumnKind {
        guard let definition else { return .integer }
        return isCollection ? .bytes : definition.type.columnKind
    }

    var defaultScalar: Scalar {
        guard let definition else { return .integer(0) }
        if isCollection { return .bytes(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return definition.type.defaultScalar(
            isOptional: definition.isOptional && !isZeroWhereAbsent)
    }

    /// Whether both are the same property, with values of the same form.
    func isStored(like other: StoredColumn) -> Bool {
        guard id == other.id, let own = definition, let known = other.definition else {
            return false
        }
        return own.type == known.type && own.collection == known.collection
            && own.isOptional == known.isOptional && own.isPrimaryKey == known.isPrimaryKey
            && isRemoved == other.isRemoved && isZeroWhereAbsent == other.isZeroWhereAbsent
    }

    var clusterColumn: ClusterTree.Column {
        ClusterTree.Column(
            format: ColumnFormat(id: id, kind: kind), defaultScalar: defaultScalar,
            isCollection: isCollection)
    }
}

/// One table as it is stored in the file.
struct StoredTable: Equatable {
    var name: String
    var isEmbedded: Bool
    var clusterTreeID: UInt32
    /// 0 without a primary key.
    var primaryKeyTreeID: UInt32
    var nextColumnID: UInt16
    /// Properties in definition order, then removed ones, then backlink columns.
    var columns: [StoredColumn]
    /// Whether a migration has removed the class. Its objects stay where they are.
    var isRemoved = false

    /// The number of properties, removed ones included, which is the position of the first backlink
    /// column.
    var propertyCount: Int { columns.firstIndex { $0.backlinks != nil } ?? columns.count }

    /// The number of properties that were not removed.
    var visibleCount: Int {
        columns.firstIndex { $0.backlinks != nil || $0.isRemoved } ?? columns.count
    }

    var definition: TableDefinition {
        TableDefinition(
            name: name, columns: columns.prefix(visibleCount).compactMap(\.definition),
            isEmbedded: isEmbedded)
    }

    var primaryKeyColumn: Int? {
        columns.firstIndex { $0.definition?.isPrimaryKey == true }
    }
}

/// Everything that the file records about tables, stored as one overflow value.
struct StoredSchema: Equatable {
    /// The schema version that the object layer stores for its users; nil if it was never set.
    var userVersion: UInt64?
    var nextTreeID = StoredSchema.firstTreeID
    /// The number of transactions that changed existing tables in another way than by adding
    /// columns of backlinks and indexes. Connections that know another number cannot go on.
    var layout: UInt64 = 0
    var tables: [StoredTable] = []

    /// Smaller ids belong to the tree of roots and the schema.
    static let firstTreeID: UInt32 = 2
    /// A limit, because a connection keeps some kilobytes in memory for each table.
    static let maximumTables = 10_000

    mutating func makeTreeID() -> UInt32 {
        defer { nextTreeID += 1 }
        return nextTreeID
    }
}

extension StoredSchema {
    /// Adds tables. Their links may refer to each other and to existing tables.
    mutating func add(_ definitions: [TableDefinition]) throws(SchemaProblem) {
        let firstNew = tables.count
        for definition in definitions {
            guard !tables.contains(where: { $0.name == definition.name }) else {
                throw SchemaProblem("A table named '\(definition.name)' exists already.")
            }
            tables.append(try makeTable(definition))
        }
        guard tables.count <= Self.maximumTables else {
            throw SchemaProblem("A database has at most \(Self.maximumTables) tables.")
        }
        for origin in firstNew..<tables.count {
            try addBacklinkColumns(origin)
            for column in 0..<tables[origin].propertyCount {
                try makeIndexTrees(ofTable: origin, column: column)
            }
        }
    }

    private mutating func makeTable(_ definition: TableDefinition) throws(SchemaProblem)
        -> StoredTable
    {
        if let problem = definition.problem { throw problem }
        let primaryKeys = definition.columns.filter(\.isPrimaryKey)
        var table = StoredTable(
            name: definition.name, isEmbedded: definition.isEmbedded,
            clusterTreeID: makeTreeID(),
            primaryKeyTreeID: primaryKeys.isEmpty ? 0 : makeTreeID(), nextColumnID: 0,
            columns: [])
        for column in definition.columns {
            table.columns.append(StoredColumn(id: table.nextColumnID, content: .property(column)))
            table.nextColumnID += 1
        }
        return table
    }

    private mutating func addBacklinkColumns(_ origin: Int) throws(SchemaProblem) {
        for column in tables[origin].columns.indices {
            try addBacklinkColumn(mirroring: column, ofTable: origin)
        }
    }

    /// Adds the hidden column that mirrors a new property, if that has links to one table.
    mutating func addBacklinkColumn(mirroring column: Int, ofTable origin: Int)
        throws(SchemaProblem)
    {
        guard let definition = tables[origin].columns[column].definition,
            definition.type.hasFixedTarget
        else { return }
        guard let name = definition.linkTarget,
            let target = tables.firstIndex(where: { $0.name == name })
        else {
            throw SchemaProblem(
                "Column '\(tables[origin].name).\(definition.name)' links to table "
                    + "'\(definition.linkTarget ?? "")', which does not exist.")
        }
        guard tables[target].isEmbedded == (definition.type == .embedded) else {
            throw SchemaProblem(
                "Column '\(tables[origin].name).\(definition.name)': objects of table "
                    + "'\(name)' are \(tables[target].isEmbedded ? "" : "not ")embedded.")
        }
        try addBacklinkColumn(origin, column, to: target)
    }

    /// Adds the hidden column to a table that mirrors a column with links to it.
    mutating func addBacklinkColumn(_ origin: Int, _ column: Int, to target: Int)
        throws(SchemaProblem)
    {
        // The last id denotes the keys of a leaf.
        guard tables[target].nextColumnID < Node.keyColumnID else {
            throw SchemaProblem("Too many columns link to table '\(tables[target].name)'.")
        }
        let backlinks = StoredColumn.Backlinks(
            originTable: origin, originColumn: column, severalTreeID: makeTreeID())
        tables[target].columns.append(
            StoredColumn(id: tables[target].nextColumnID, content: .backlinks(backlinks)))
        tables[target].nextColumnID += 1
    }

    /// The table and position of the backlink column that mirrors a column of links to one table.
    func backlinkColumn(ofTable origin: Int, column: Int) -> (table: Int, column: Int)? {
        guard let name = tables[origin].columns[column].definition?.linkTarget,
            let target = tables.firstIndex(where: { $0.name == name })
        else { return nil }
        return backlinkColumn(ofTable: origin, column: column, inTable: target)
            .map { (target, $0) }
    }

    /// The position in `target` of the backlink column that mirrors a column; nil if there is none.
    func backlinkColumn(ofTable origin: Int, column: Int, inTable target: Int) -> Int? {
        tables[target].columns.firstIndex { candidate in
            guard let backlinks = candidate.backlinks else { return false }
            return backlinks.originTable == origin && backlinks.originColumn == column
        }
    }
}

extension TableDefinition {
    /// What makes the definition invalid by itself, without regard to other tables.
    var problem: SchemaProblem? {
        let primaryKeys = columns.filter(\.isPrimaryKey)
        if primaryKeys.count > 1 {
            return SchemaProblem("Table '\(name)' has more than one primary key.")
        }
        if columns.count > 1000 {
            return SchemaProblem("Table '\(name)' has more than 1000 columns.")
        }
        if Set(columns.map(\.name)).count < columns.count {
            return SchemaProblem("Table '\(name)' has two columns of one name.")
        }
        for key in primaryKeys
        where key.collection != .none || isEmbedded
            || !key.type.traits.mayBePrimaryKey
        {
            return SchemaProblem("Column '\(name).\(key.name)' cannot be a primary key.")
        }
        for column in columns where column.type == .embedded && column.collection == .set {
            return SchemaProblem(
                "Column '\(name).\(column.name)': sets cannot hold embedded objects.")
        }
        return nil
    }
}

extension StoredTable {
    /// What makes the table invalid by itself, without regard to other tables. Removed properties
    /// count like others.
    var problem: SchemaProblem? {
        TableDefinition(
            name: name, columns: columns.compactMap(\.definition), isEmbedded: isEmbedded
        ).problem
    }
}

/// Why a table cannot be created.
struct SchemaProblem: Error {
    var message: String
    init(_ message: String) { self.message = message }
}
