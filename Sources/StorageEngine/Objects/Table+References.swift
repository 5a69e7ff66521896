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
                table: backlinks.place(of: column)!.table, key: ObjectKey(rawValue: key))
        case .typedLink: return TypedLink(value)
        case .mixed:
            if case .link(let link)? = MixedValue(value) { return link }
            return nil
        case .none: return nil
        }
    }

    /// Throws unless the target of a value exists and is not embedded. (Only owners link to
    /// embedded objects.) Afterwards the target's table has a column for the backlink.
    func checkTarget(_ column: Int, _ value: Scalar) throws(StorageError) {
        guard checks[column].format.type.mayRefer, let target = target(column, value) else {
            return
        }
        guard try backlinks.isThere(target) else { throw pager.noSuchObject(target.key) }
        if backlinks.place(of: column) == nil {
            try connection.addBacklinkColumn(from: index, column, to: target.table)
        }
    }

    /// Adds the backlink of a stored value that refers to an object.
    @inline(__always)
    func addReference(_ column: Int, from origin: ObjectKey, to value: Scalar) throws(StorageError)
    {
        if checks[column].format.type.mayRefer, let target = target(column, value) {
            try backlinks.add(column, from: origin, to: target)
        }
    }

    /// Removes backlinks, embedded objects and collections of a value that is about to be replaced
    /// or removed. Its overflow pages are not freed.
    func release(_ column: Int, of origin: ObjectKey, value: Scalar) throws(StorageError) {
        guard checks[column].format.type.mayRefer else { return }
        if let target = target(column, value) {
            try backlinks.remove(column, from: origin, to: target)
            if checks[column].format.type == .embedded { try connection.erase([target]) }
        } else if NestedCollection(value) != nil {
            var released = ReleasedValues()
            try released.add(value, self, column: column)
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
    ) throws(StorageError) {
        for target in released.targets {
            if limitingMemory { try pager.limitMemory() }
            try backlinks.remove(column, from: origin, to: target)
        }
        if checks[column].format.type == .embedded { try connection.erase(released.targets) }
    }

    // MARK: Backlinks

    /// Visits the objects of this table that refer to `target`, in the order of their keys, until
    /// `body` returns false. `column` is one of links to the target's table, or of collections of
    /// such links. `body` also gets the number of references from each object. O(log n) plus the
    /// number of these objects.
    public func forEachReference(
        to target: ObjectKey, in column: Int, _ body: (ObjectKey, Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try withBacklinkColumn(column) { table, position throws(StorageError) in
            try Backlinks.forEach(position, target, in: table) { key, count throws(StorageError) in
                try body(key, Int(count))
            }
        }
    }

    /// ``forEachReference(to:in:_:)`` for a target whose row was just found in its table.
    public func forEachReference(
        to target: ObjectKey, at location: RowLocation, in column: Int,
        _ body: (ObjectKey, Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try withBacklinkColumn(column) { table, position throws(StorageError) in
            let mark = try Backlinks.mark(position, at: location, in: table)
            try Backlinks.forEach(position, target, marked: mark, in: table) {
                key, count throws(StorageError) in
                try body(key, Int(count))
            }
        }
    }

    /// Visits the objects of this table that link to an object of any table through a column of
    /// mixed values, or of collections of them, until `body` returns false. Links in collections
    /// inside of the values count.
    public func forEachReference(
        toAny target: TypedLink, in column: Int, _ body: (ObjectKey) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard let other = try connection.table(number: target.table),
            let position = connection.schema.backlinkColumn(
                ofTable: index, column: column, inTable: target.table)
        else { return }
        try Backlinks.forEach(position, target.key, in: other) {
            origin, _ throws(StorageError) in try body(origin)
        }
    }

    /// The objects to which a mixed value of an object links, or a collection of them, also from
    /// collections inside of the values.
    ///
    /// - Throws: `.invalidArgument` if the object does not exist; `.damaged`.
    public func mixedTargets(
        _ column: Int, of key: ObjectKey
    ) throws(StorageError) -> [TypedLink] {
        var targets: [TypedLink] = []
        func visit(_ value: Scalar) throws(StorageError) -> Bool {
            try addTargets(of: value, column, to: &targets, depth: 0)
            return true
        }
        switch definition.columns[column].collection {
        case .none: _ = try visit(value(column, of: key))
        case .list: try list(column, of: key).forEach(visit)
        case .set: try set(column, of: key).forEach(visit)
        case .map:
            try map(column, of: key).forEach { _, value throws(StorageError) in
                try visit(value)
            }
        }
        return targets
    }

    /// The objects to which one of the mixed values in a column links, also from collections inside
    /// of it.
    ///
    /// - Throws: `.damaged`, `.fileAccess`.
    public func mixedTargets(
        of value: Scalar, in column: Int
    ) throws(StorageError) -> [TypedLink] {
        var targets: [TypedLink] = []
        try addTargets(of: value, column, to: &targets, depth: 0)
        return targets
    }

    /// Whether mixed values in a column have ever linked to objects of a table.
    public func mayLink(_ column: Int, to table: Int) -> Bool {
        connection.schema.backlinkColumn(ofTable: index, column: column, inTable: table) != nil
    }

    private func addTargets(
        of value: Scalar, _ column: Int, to targets: inout [TypedLink], depth: Int
    ) throws(StorageError) {
        if let target = target(column, value) { return targets.append(target) }
        guard let nested = NestedCollection(value) else { return }
        guard depth < NestedCollection.maximumDepth else {
            throw pager.damaged(0, "collections that lie too deep in each other")
        }
        let collection = StoredCollection(
            pager: pager, bytes: nested.rows, format: .nested(nested.kind))
        // swift-format-ignore: ReplaceForEachWithForLoop
        try collection.forEach { element throws(StorageError) in
            try addTargets(of: element.value, column, to: &targets, depth: depth + 1)
            return true
        }
    }

    /// Calls `body` with the table that a column leads to, and the position in it of the backlink
    /// column that mirrors the column.
    @inline(__always)
    private func withBacklinkColumn(
        _ column: Int, _ body: (_ table: Table, _ position: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let place = backlinks.place(of: column) else {
            throw pager.invalidArgument(
                "Column \(name(of: column)) does not lead to one table.")
        }
        try backlinks.withPlace(of: column, in: place.table, body)
    }

    /// The number of references to `target` from other objects, by links of all types and
    /// collections of them.
    public func backlinkCount(of target: ObjectKey) throws(StorageError) -> Int {
        var total = 0
        for position in stored.columns.indices where stored.columns[position].backlinks != nil {
            try Backlinks.forEach(position, target, in: self) { _, count in
                total &+= Int(count)
                return true
            }
        }
        return total
    }
}

/// The objects that removed values referred to. Pages of collections are freed as they are added,
/// so that only references remain to be dropped.
struct ReleasedValues {
    private(set) var targets: [TypedLink] = []

    mutating func add(_ value: Scalar, _ table: Table, column: Int) throws(StorageError) {
        try add(value, table, column: column, depth: 0)
    }

    private mutating func add(_ value: Scalar, _ table: Table, column: Int, depth: Int)
        throws(StorageError)
    {
        if let target = table.target(column, value) { return targets.append(target) }
        guard table.checks[column].format.type == .mixed, let nested = NestedCollection(value)
        else { return }
        guard depth < NestedCollection.maximumDepth else { throw tooDeep(table.pager) }
        let collection = StoredCollection(
            pager: table.pager, bytes: nested.rows, format: .nested(nested.kind))
        try add(collection, table, column: column, depth: depth + 1)
    }

    /// Adds the values of a collection and frees its pages.
    mutating func add(_ collection: StoredCollection, _ table: Table, column: Int, depth: Int = 0)
        throws(StorageError)
    {
        if collection.format.type.mayRefer {
            try collection.forEachValue { value throws(StorageError) in
                try add(value, table, column: column, depth: depth)
                return true
            }
        }
        guard let root = collection.root else { return }
        let pager = table.pager
        try forEachNode(pager, root, format: collection.tree.format) {
            reference, node throws(StorageError) in
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
