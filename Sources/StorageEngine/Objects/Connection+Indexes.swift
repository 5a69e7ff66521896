/// Adding and removing indexes, and bringing them up to date with the changes of a transaction.
extension Connection {
    /// Adds or removes the index of a property, inside a write transaction. Nothing happens if the
    /// property already is, or is not, indexed. Adding one reads all objects of the table once, and
    /// takes memory for the entries of at most a million.
    ///
    /// - Throws: `.invalidArgument` for a property that cannot be indexed or is the primary key,
    ///   `.damaged`, and what writing throws.
    public func setIndexed(
        _ isIndexed: Bool, _ column: Int, of table: Table,
        progress: ((_ table: String, _ position: Int, _ count: Int) -> Void)? = nil
    ) throws(StorageError) {
        try requireWriteTransaction()
        precondition(column >= 0 && column < table.propertyCount, "column out of range")
        try removeDeletedRows()
        if let index = table.index(of: column) {
            if isIndexed { return }
            try index.drop()
            try changeSchema { (new) throws(SchemaProblem) in
                new.removeIndex(ofTable: table.number, column: column)
            }
        } else if isIndexed {
            try changeSchema { (new) throws(SchemaProblem) in
                try new.addIndex(ofTable: table.number, column: column)
            }
            try table.index(of: column)?.build(progress)
        }
    }

    /// Registers an index that has collected changes of the open transaction.
    func indexFellBehind(_ index: ColumnIndex) {
        // The index may still be registered if it has caught up by itself before.
        if !indexesBehind.contains(where: { $0 === index }) { indexesBehind.append(index) }
    }

    /// Applies the collected changes of all indexes.
    func catchUpIndexes(limitingMemory: Bool = false) throws(StorageError) {
        if indexesBehind.isEmpty || pager.transactionFailure != nil { return }
        for index in indexesBehind { try index.catchUp(limitingMemory: limitingMemory) }
        indexesBehind.removeAll(keepingCapacity: true)
    }

    /// Applies the changes of indexes that have collected many. No pointers into pages may be held.
    func catchUpLargeIndexes() throws(StorageError) {
        for index in indexesBehind where index.isFarBehind {
            try index.catchUp(limitingMemory: true)
        }
    }

    /// Drops the collected changes, because the transaction is rolled back.
    func forgetIndexChanges() {
        for index in indexesBehind { index.forgetChanges() }
        indexesBehind.removeAll(keepingCapacity: true)
    }
}

extension StoredSchema {
    /// Adds an index without entries to a property.
    mutating func addIndex(ofTable table: Int, column: Int) throws(SchemaProblem) {
        guard var definition = tables[table].columns[column].definition else { return }
        definition.isIndexed = true
        tables[table].columns[column].content = .property(definition)
        try makeIndexTrees(ofTable: table, column: column)
        guard tables[table].columns[column].index != nil else {
            throw SchemaProblem(
                "Column '\(tables[table].name).\(definition.name)' is the primary key, which has "
                    + "an index of its own.")
        }
    }

    mutating func removeIndex(ofTable table: Int, column: Int) {
        guard var definition = tables[table].columns[column].definition else { return }
        definition.isIndexed = false
        tables[table].columns[column].content = .property(definition)
        tables[table].columns[column].index = nil
    }

    /// Adds the trees of an index to a property that is to be indexed. A primary key already has
    /// one.
    mutating func makeIndexTrees(ofTable table: Int, column: Int) throws(SchemaProblem) {
        guard let definition = tables[table].columns[column].definition, definition.isIndexed,
            !definition.isPrimaryKey
        else { return }
        guard definition.type.traits.indexKeyKind != nil, definition.collection == .none else {
            let types = ValueType.allCases.filter { $0.traits.indexKeyKind != nil }.map(\.name)
            throw SchemaProblem(
                "Column '\(tables[table].name).\(definition.name)' cannot be indexed. Properties "
                    + "of these types can be: \(types.joined(separator: ", ")).")
        }
        let values = makeUnusedTreeID()
        tables[table].columns[column].index = .init(values: values, nulls: 0)
        if definition.allowsNull {
            let nulls = makeUnusedTreeID()
            tables[table].columns[column].index?.nulls = nulls
        }
    }

    /// Returns an unused tree id. Ids of removed indexes are used again, so that ids do not grow
    /// each time an index is added and removed.
    mutating func makeUnusedTreeID() -> UInt32 {
        let used = Set(tables.flatMap { $0.trees.map(\.id) })
        return (Self.firstTreeID..<nextTreeID).first { !used.contains($0) } ?? makeTreeID()
    }
}
