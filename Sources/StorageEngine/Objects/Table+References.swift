/// What values refer to or own besides their row: backlinks in other objects, embedded objects, and
/// pages of nested collections.
extension Table {
    /// The object that a value of a column refers to; nil if it refers to none.
    @inline(__always)
    func target(_ column: Int, _ value: Scalar) -> TypedLink? {
        switch checks[column].format.type.traits.reference {
        case .key, .ownedKey:
            guard case .integer(let key) = value else { return nil }
            return TypedLink(
                table: backlinkColumns[column]!.table, key: ObjectKey(rawValue: key))
        case .typedLink: return TypedLink(value)
        case .mixed:
            if case .link(let link)? = MixedValue(value) { return link }
            return nil
        case .none: return nil
        }
    }

    /// Throws unless the target of a value exists and is not embedded. (Only owners link to
    /// embedded objects.) Afterwards the target's table has a column for the backlink.
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

    /// Adds the backlink of a stored value that refers to an object.
    @inline(__always)
    func addReference(_ column: Int, from origin: ObjectKey, _ value: Scalar) throws {
        if checks[column].format.type.mayRefer, let target = target(column, value) {
            try addBacklink(column, from: origin, to: target)
        }
    }

    /// Removes backlinks, embedded objects and collections of a value that is about to be replaced
    /// or removed. Its overflow pages are not freed.
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

    /// Removes the backlinks of values that are gone, and erases the embedded objects among their
    /// targets.
    ///
    /// `limitingMemory`: no pointers into pages are held (``Pager/limitMemory()``).
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

/// The objects that removed values referred to. Pages of collections are freed as they are added,
/// so that only references remain to be dropped.
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

    /// Adds the values of a collection and frees its pages.
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
