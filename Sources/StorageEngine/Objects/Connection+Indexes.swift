/// Adding and removing indexes, and the moments at which they catch up with their tables.
extension Connection {
    /// Adds the index of a property, or removes it, inside a write transaction. Nothing happens if
    /// it is there, or gone, already. Adding reads all objects of the table once, and takes
    /// memory for the entries of a million at most.
    ///
    /// - Throws: `.invalidArgument` for a property that cannot be indexed or is the primary key,
    ///   `.damaged`, and what writing throws.
    public func setIndexed(_ isIndexed: Bool, _ column: Int, of table: Table) throws {
        try requireWriteTransaction()
        precondition(column >= 0 && column < table.propertyCount, "column out of range")
        if let index = table.index(of: column) {
            if isIndexed { return }
            try table.dropIndex(index)
            try changeSchema { (new) throws(SchemaProblem) in
                new.removeIndex(ofTable: table.number, column: column)
            }
        } else if isIndexed {
            try changeSchema { (new) throws(SchemaProblem) in
                try new.addIndex(ofTable: table.number, column: column)
            }
            try table.index(of: column)?.build()
        }
    }

    /// An index has changes of the open transaction to make.
    func indexFellBehind(_ index: ColumnIndex) {
        // It may have caught up alone before.
        if !indexesBehind.contains(where: { $0 === index }) { indexesBehind.append(index) }
    }

    /// All indexes make the changes of the transaction so far.
    func catchUpIndexes(limitingMemory: Bool = false) throws {
        if indexesBehind.isEmpty || pager.transactionFailure != nil { return }
        for index in indexesBehind { try index.catchUp(limitingMemory: limitingMemory) }
        indexesBehind.removeAll(keepingCapacity: true)
    }

    /// Indexes that have gathered many changes make them. Nobody has a pointer into a page.
    func catchUpLargeIndexes() throws {
        for index in indexesBehind where index.isFarBehind {
            try index.catchUp(limitingMemory: true)
        }
    }

    /// The transaction is rolled back.
    func forgetIndexChanges() {
        for index in indexesBehind { index.forgetChanges() }
        indexesBehind.removeAll(keepingCapacity: true)
    }
}

extension StoredSchema {
    /// Gives a property an index without entries.
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

    /// Gives a property that is to be indexed its trees; a primary key has one already.
    mutating func makeIndexTrees(ofTable table: Int, column: Int) throws(SchemaProblem) {
        guard let definition = tables[table].columns[column].definition, definition.isIndexed,
            !definition.isPrimaryKey
        else { return }
        guard definition.type.indexKeyKind != nil, definition.collection == .none else {
            throw SchemaProblem(
                "Column '\(tables[table].name).\(definition.name)' cannot be indexed: only bool, "
                    + "int, string, date, UUID and object id properties can.")
        }
        let values = makeIndexTreeID()
        tables[table].columns[column].index = .init(values: values, nulls: 0)
        if definition.allowsNull {
            let nulls = makeIndexTreeID()
            tables[table].columns[column].index?.nulls = nulls
        }
    }

    /// A removed index leaves its numbers, so that they do not grow with each one that comes and
    /// goes.
    private mutating func makeIndexTreeID() -> UInt32 {
        let used = Set(tables.flatMap { $0.trees.map(\.id) })
        return (Self.firstTreeID..<nextTreeID).first { !used.contains($0) } ?? makeTreeID()
    }
}
