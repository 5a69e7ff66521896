/// What values bring along beside their row: backlinks in other objects, embedded objects, pages of
/// nested collections.
extension Table {
    /// The object that a value of a column refers to.
    @inline(__always)
    func target(_ column: Int, _ value: Scalar) -> TypedLink? {
        switch (checks[column].format.type, value) {
        case (.link, .integer(let key)), (.embedded, .integer(let key)):
            return TypedLink(
                table: backlinkColumns[column]!.table, key: ObjectKey(rawValue: key))
        case (.typedLink, _): return TypedLink(value)
        case (.mixed, _):
            if case .link(let link)? = MixedValue(value) { return link }
            return nil
        default: return nil
        }
    }

    /// Links may only lead to objects that exist, and to embedded ones only from their owners.
    /// After this, the target's table has a place for the backlink.
    func checkTarget(_ column: Int, _ value: Scalar) throws {
        guard checks[column].format.type.mayRefer, let target = target(column, value) else {
            return
        }
        let isThere = try uncountedConnection._withUnsafeGuaranteedRef { connection in
            guard target.table >= 0, target.table < connection.tableCount else { return false }
            return try connection.uncountedTable(target.table)._withUnsafeGuaranteedRef {
                try !$0.isEmbedded && $0.contains(target.key)
            }
        }
        guard isThere else { throw pager.noSuchObject(target.key) }
        if backlinkColumns[column] == nil {
            try connection.addBacklinkColumn(from: index, column, to: target.table)
        }
    }

    /// Records what a stored value refers to.
    @inline(__always)
    func addReference(_ column: Int, from origin: ObjectKey, _ value: Scalar) throws {
        if checks[column].format.type.mayRefer, let target = target(column, value) {
            try addBacklink(column, from: origin, to: target)
        }
    }

    /// Drops what a value refers to or owns, before it is replaced or removed; its overflow pages
    /// excepted.
    func release(_ column: Int, of origin: ObjectKey, _ value: Scalar) throws {
        guard checks[column].format.type.mayRefer else { return }
        if let target = target(column, value) {
            try removeBacklink(column, from: origin, to: target)
            if checks[column].format.type == .embedded { try connection.erase([target]) }
        } else if NestedCollection(value) != nil {
            var released = ReleasedValues()
            try released.add(value, self, column)
            try drop(released, column, of: origin)
        }
    }

    /// Drops the backlinks of values that are gone, and the embedded objects among them.
    /// `limitingMemory`: nobody has a pointer into a page (``Pager/limitMemory()``).
    func drop(
        _ released: ReleasedValues, _ column: Int, of origin: ObjectKey,
        limitingMemory: Bool = false
    ) throws {
        for target in released.targets {
            if limitingMemory { try pager.limitMemory() }
            try removeBacklink(column, from: origin, to: target)
        }
        if checks[column].format.type == .embedded { try connection.erase(released.targets) }
    }
}

/// What values that are given up referred to. Pages of their collections are freed at once, so that
/// only references remain to be dropped.
struct ReleasedValues {
    private(set) var targets: [TypedLink] = []

    mutating func add(_ value: Scalar, _ table: Table, _ column: Int) throws {
        try add(value, table, column, depth: 0)
    }

    private mutating func add(_ value: Scalar, _ table: Table, _ column: Int, depth: Int) throws {
        if let target = table.target(column, value) { return targets.append(target) }
        guard table.checks[column].format.type == .mixed, let nested = NestedCollection(value)
        else { return }
        guard depth < NestedCollection.maximumDepth else { throw tooDeep(table.pager) }
        let collection = StoredCollection(
            pager: table.pager, bytes: nested.rows, format: .nested(nested.kind))
        try add(collection, table, column, depth: depth + 1)
    }

    /// Frees the collection's pages.
    mutating func add(_ collection: StoredCollection, _ table: Table, _ column: Int, depth: Int = 0)
        throws
    {
        if collection.format.type.mayRefer {
            try collection.forEachValue {
                try add($0, table, column, depth: depth)
                return true
            }
        }
        guard let root = collection.root else { return }
        let pager = table.pager
        try forEachNode(pager, root, collection.tree.format) { reference, node in
            if node.level == 0 {
                for column in 0..<node.columnCount where node.kind(column) == .bytes {
                    for row in 0..<node.rowCount where node.isOverflow(column, row) {
                        try pager.free(node.overflowReference(column, row).0)
                    }
                }
            }
            try pager.free(reference)
        }
    }
}
