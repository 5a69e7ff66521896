/// Inserting objects and setting values. All conditions of a change are checked before anything is
/// modified.
extension Table {
    // MARK: Inserting

    /// Appends an object. `values` are in column order. Missing values at the end take their
    /// defaults. Columns of collections and embedded objects take `.null` and start empty.
    ///
    /// - Throws: `.duplicateKey` if the primary key exists, `.valueTooLarge` for strings and data
    ///   over 16 MiB, `.invalidArgument` for values that do not fit their columns, links to objects
    ///   that do not exist, and tables of embedded objects: then nothing has changed. After any
    ///   other error the transaction can only be rolled back.
    public func insert(_ values: UnsafeBufferPointer<Scalar>) throws(StorageError) -> ObjectKey {
        if isEmbedded {
            throw pager.invalidArgument(
                "Objects of '\(stored.name)' are embedded: their owners make them.")
        }
        try requireWriteTransaction()
        return try insertRow(values)
    }

    /// Inserts an object as part of a change that has begun.
    func insertRow(_ values: UnsafeBufferPointer<Scalar>) throws(StorageError) -> ObjectKey {
        guard values.count <= visibleCount else {
            throw pager.invalidArgument("More values than columns in '\(stored.name)'.")
        }
        for column in 0..<values.count {
            if !checks[column].accepts(values[column]) { throw unfit(column, values[column]) }
        }
        if hasLinks {
            for column in 0..<values.count { try checkTarget(column, values[column]) }
        }
        let key = try rows.nextKey
        // The last check: a duplicate key throws before anything has changed.
        if let column = primaryKeyColumn {
            let value =
                column < values.count ? values[column] : cluster.columns[column].defaultScalar
            if try !PrimaryKeyMap.enter(value, ofNew: key, in: self) { throw duplicateKey }
        }
        try rows.append(values, as: key, to: cluster)
        if hasLinks {
            for column in 0..<values.count {
                try addReference(column, from: key, to: values[column])
            }
        }
        if !indexes.isEmpty { try indexes.enter(values, of: key, in: cluster) }
        return key
    }

    private var duplicateKey: StorageError {
        StorageError(
            .duplicateKey, path: connection.database.path,
            message: "An object of '\(stored.name)' with this primary key exists already.")
    }

    /// Called once at the beginning of every change of objects, before anything is read or
    /// modified. It invalidates pointers into pages, except those that were passed to the change.
    @inline(__always)
    func requireWriteTransaction() throws(StorageError) {
        if !pager.isInWriteTransaction {
            throw pager.invalidArgument("This needs a write transaction.")
        }
        if pager.needsAttention { try connection.prepareChange() }
        connection.changeStamp &+= 1
    }

    func unfit(_ column: Int, _ value: Scalar) -> StorageError {
        let name = name(of: column)
        if checks[column].isCollection {
            return pager.invalidArgument("The collection \(name) is changed through its handle.")
        }
        if checks[column].role == .embedded {
            return pager.invalidArgument("Objects of \(name) are made by createEmbedded.")
        }
        if value.isNull { return pager.invalidArgument("Column \(name) must not be null.") }
        if case .bytes(let bytes) = value, bytes.count > checks[column].maximumBytes {
            return tooLarge(column, bytes.count)
        }
        return pager.invalidArgument("Column \(name) holds values of another type.")
    }

    func tooLarge(_ column: Int, _ count: Int) -> StorageError {
        StorageError(
            .valueTooLarge, path: connection.database.path,
            message: "The value of \(name(of: column)) has \(count) bytes; the limit is "
                + "\(Pager.maximumValueBytes).")
    }

    /// The name of a column in messages.
    func name(of column: Int) -> String {
        "'\(stored.name).\(stored.columns[column].definition?.name ?? "")'"
    }

    // MARK: Setting

    /// Sets one value of an object. Setting a link, also to null, updates the backlinks of the old
    /// and the new target. Replacing an embedded object, or a mixed value that holds a list or map,
    /// deletes the old contents.
    ///
    /// - Throws: as `insert`, with the same guarantee.
    public func set(_ column: Int, of key: ObjectKey, to value: Scalar) throws(StorageError) {
        try requireWriteTransaction()
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard !checks[column].isCollection, checks[column].accepts(value) else {
            throw unfit(column, value)
        }
        try set(column, of: key, to: value, as: checks[column].setting)
    }

    @inline(__always)
    func set(
        _ column: Int, of key: ObjectKey, to value: Scalar, as role: ColumnCheck.Role
    ) throws(StorageError) {
        switch role {
        case .plain:
            // No check of its own: the cluster tree throws for an object that does not exist,
            // before it changes anything.
            try store(try rows.prepare(column, value), column, of: key)
        case .link: try setLink(column, of: key, to: value)
        case .bytes, .primaryKey: try setOwned(column, of: key, to: value)
        case .referring, .embedded:
            guard try contains(key) else { throw pager.noSuchObject(key) }
            try checkTarget(column, value)
            try setReferring(column, of: key, to: value)
        case .indexed: try setIndexed(column, of: key, to: value)
        case .recorded: try setRecorded(column, of: key, to: value)
        }
    }

    private func setIndexed(_ column: Int, of key: ObjectKey, to value: Scalar) throws(StorageError)
    {
        guard let index = index(of: column) else {
            preconditionFailure("an indexed property has an index")
        }
        guard let location = try location(of: key) else { throw pager.noSuchObject(key) }
        let old = try self.value(column, at: location)
        if old.isIdentical(to: value) { return }
        try index.note(old, key, isRemoval: true)
        try index.note(value, key, isRemoval: false)
        try set(column, of: key, to: value, as: checks[column].role)
    }

    private func setRecorded(_ column: Int, of key: ObjectKey, to value: Scalar)
        throws(StorageError)
    {
        try set(column, of: key, to: value, as: checks[column].roleWithIndex)
        try recordModification(column, of: key)
    }

    func setLink(_ column: Int, of key: ObjectKey, to value: Scalar) throws(StorageError) {
        try checkTarget(column, value)
        let old = try self.value(column, of: key)
        if case .integer(let target) = old {
            try backlinks.remove(column, from: key, to: linked(column, target))
        }
        try store(.init(scalar: value), column, of: key)
        if case .integer(let target) = value {
            try backlinks.add(column, from: key, to: linked(column, target))
        }
    }

    private func linked(_ column: Int, _ key: Int64) -> TypedLink {
        TypedLink(table: backlinks.place(of: column)!.table, key: ObjectKey(rawValue: key))
    }

    /// Sets a checked value of an existing object, where the old value may refer to objects, own
    /// one, or have pages.
    func setReferring(_ column: Int, of key: ObjectKey, to value: Scalar) throws(StorageError) {
        // Before the old value is freed, because the new one may be a view of it.
        let prepared = try rows.prepare(column, value)
        let target = target(column, value)
        try release(column, of: key, value: try self.value(column, of: key))
        if cluster.columns[column].format.kind == .bytes { try freeOverflow(column, of: key) }
        try store(prepared, column, of: key)
        if let target { try backlinks.add(column, from: key, to: target) }
    }

    /// Sets a value with data outside its row: a primary key's entry, or overflow pages.
    func setOwned(_ column: Int, of key: ObjectKey, to value: Scalar) throws(StorageError) {
        guard let location = try location(of: key) else { throw pager.noSuchObject(key) }
        let hasOverflow = try isOverflow(column, at: location)
        if column == primaryKeyColumn {
            let owner = try find(primaryKey: value)
            if owner == key { return }
            if owner != nil { throw duplicateKey }
        }
        // Before the old value is freed, because the new one may be a view of it.
        let prepared = try rows.prepare(column, value)
        if column == primaryKeyColumn {
            try PrimaryKeyMap.remove(of: key, in: self)
            try PrimaryKeyMap.enter(value, of: key, in: self)
        }
        if hasOverflow { try freeOverflow(column, of: key) }
        try store(prepared, column, of: key)
    }

    /// Whether a value is in pages of its own.
    private func isOverflow(_ column: Int, at location: RowLocation) throws(StorageError) -> Bool {
        guard cluster.columns[column].format.kind == .bytes,
            let (node, position) = try self.column(column, of: location.leaf)
        else { return false }
        return node.isOverflow(position, location.row)
    }

    @inline(__always)
    func store(_ value: ClusterTree.StoredValue, _ column: Int, of key: ObjectKey)
        throws(StorageError)
    {
        if hasDeletedRows, deletedRows.contains(key) { throw pager.noSuchObject(key) }
        try rows.set(column, of: key, to: value, in: cluster)
    }

    /// Replaces `old` by another integer if the object has it in a row to which the path of a
    /// writer leads. Returns false, with nothing changed, otherwise.
    @inline(__always)
    func exchange(_ column: Int, of key: ObjectKey, from old: Int64, to new: Int64)
        throws(StorageError) -> Bool
    {
        if hasDeletedRows, deletedRows.contains(key) { return false }
        return try rows.exchange(cluster.columns[column], at: column, of: key, from: old, to: new)
    }

    /// Makes the row of an object writable before it is read and then changed in place, so that
    /// both take one descent.
    func makeWritable(_ key: ObjectKey) throws(StorageError) {
        try rows.makeWritable(key, in: cluster)
    }

    /// Writes the bytes of a collection into its owner's row. They must fit a leaf, and must not
    /// lie in the leaf itself.
    func store(bytes: UnsafeRawBufferPointer, _ column: Int, of key: ObjectKey) throws(StorageError)
    {
        if hasDeletedRows, deletedRows.contains(key) { throw pager.noSuchObject(key) }
        if try rows.overwrite(cluster.columns[column], at: column, of: key, with: bytes) { return }
        try store(.init(scalar: .bytes(bytes)), column, of: key)
    }

    /// Frees the pages of a long value before it is replaced.
    func freeOverflow(_ column: Int, of key: ObjectKey) throws(StorageError) {
        guard let location = try location(of: key),
            let (node, position) = try self.column(column, of: location.leaf),
            node.isOverflow(position, location.row)
        else { return }
        try pager.free(node.overflowReference(position, location.row).0)
    }
}
