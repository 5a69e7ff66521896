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
    public func insert(_ values: UnsafeBufferPointer<Scalar>) throws -> ObjectKey {
        if isEmbedded {
            throw pager.invalidArgument(
                "Objects of '\(stored.name)' are embedded: their owners make them.")
        }
        try requireWriteTransaction()
        return try insertRow(values)
    }

    /// Inserts an object as part of a change that has begun.
    func insertRow(_ values: UnsafeBufferPointer<Scalar>) throws -> ObjectKey {
        guard values.count <= propertyCount else {
            throw pager.invalidArgument("More values than columns in '\(stored.name)'.")
        }
        for column in 0..<values.count {
            if !checks[column].accepts(values[column]) { throw unfit(column, values[column]) }
        }
        if hasLinks {
            for column in 0..<values.count { try checkTarget(column, values[column]) }
        }
        let key = ObjectKey(rawValue: try state.pointee.extra)
        // The last check: a duplicate key throws before anything has changed.
        if let column = primaryKeyColumn {
            try enterPrimaryKey(
                column < values.count ? values[column] : cluster.columns[column].defaultScalar,
                ofNew: key)
        }
        // Only now, because loading the state of the primary key's tree may move the others.
        let state = try state
        state.pointee.isDirty = true
        if try !cluster.appendInPlace(appendWriter, &state.pointee.root, key, values) {
            try appendPrepared(values, key)
        }
        state.pointee.extra += 1
        if hasLinks {
            for column in 0..<values.count {
                try addReference(column, from: key, values[column])
            }
        }
        if !indexes.isEmpty { try enterIntoIndexes(values, key) }
        return key
    }

    /// Appends a row that may need a new leaf layout, or overflow pages for its values.
    @inline(never)
    private func appendPrepared(
        _ values: UnsafeBufferPointer<Scalar>, _ key: ObjectKey
    ) throws {
        for column in 0..<values.count {
            scratch[column] = try prepare(column, values[column])
        }
        let state = try state
        try cluster.append(
            appendWriter, &state.pointee.root, key,
            UnsafeBufferPointer(start: scratch, count: values.count))
    }

    /// Called once at the beginning of every change of objects, before anything is read or
    /// modified. It invalidates pointers into pages, except those that were passed to the change.
    @inline(__always)
    func requireWriteTransaction() throws {
        if !pager.isInWriteTransaction {
            throw pager.invalidArgument("This needs a write transaction.")
        }
        if pager.needsAttention { try connection.prepareChange() }
        connection.changeStamp &+= 1
    }

    /// The form in which a value accepted by its column is stored. A long value is written to
    /// overflow pages.
    @inline(__always)
    func prepare(_ column: Int, _ value: Scalar) throws -> ClusterTree.StoredValue {
        if case .bytes(let bytes) = value {
            let limit = pager.maximumInlineBytes
            if bytes.count > limit { return try prepareLong(column, bytes) }
            let copy = UnsafeMutableRawBufferPointer(
                start: copies + column * limit, count: bytes.count)
            copy.copyMemory(from: bytes)
            return .init(scalar: .bytes(UnsafeRawBufferPointer(copy)))
        }
        if checks[column].isCollection {
            return .init(scalar: .bytes(UnsafeRawBufferPointer(start: nil, count: 0)))
        }
        return .init(scalar: value)
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
        "'\(stored.name).\(definition.columns[column].name)'"
    }

    func prepareLong(_ column: Int, _ bytes: UnsafeRawBufferPointer) throws
        -> ClusterTree.StoredValue
    {
        let reference = try pager.writeOverflow(bytes)
        let image = images + column * 3
        image[0] = reference.page.littleEndian
        image[1] = reference.birth.littleEndian
        image[2] = UInt64(bytes.count).littleEndian
        return .init(
            scalar: .bytes(UnsafeRawBufferPointer(start: image, count: 24)), isOverflow: true)
    }

    // MARK: Setting

    /// Sets one value of an object. Setting a link, also to null, updates the backlinks of the old
    /// and the new target. Replacing an embedded object, or a mixed value that holds a list or map,
    /// deletes the old contents.
    ///
    /// - Throws: as `insert`, with the same guarantee.
    public func set(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
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
    ) throws {
        switch role {
        case .plain:
            // No check of its own: the cluster tree throws for an object that does not exist,
            // before it changes anything.
            try store(try prepare(column, value), column, of: key)
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

    private func setRecorded(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
        try set(column, of: key, to: value, as: checks[column].roleWithIndex)
        try recordModification(column, of: key)
    }

    func setLink(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
        try checkTarget(column, value)
        let old = try self.value(column, of: key)
        if case .integer(let target) = old {
            try removeBacklink(column, from: key, to: linked(column, target))
        }
        try store(.init(scalar: value), column, of: key)
        if case .integer(let target) = value {
            try addBacklink(column, from: key, to: linked(column, target))
        }
    }

    private func linked(_ column: Int, _ key: Int64) -> TypedLink {
        TypedLink(table: backlinkColumns[column]!.table, key: ObjectKey(rawValue: key))
    }

    /// Sets a checked value of an existing object, where the old value may refer to objects, own
    /// one, or have pages.
    func setReferring(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
        // Before the old value is freed, because the new one may be a view of it.
        let prepared = try prepare(column, value)
        let target = target(column, value)
        try release(column, of: key, try self.value(column, of: key))
        if cluster.columns[column].format.kind == .bytes { try freeOverflow(column, of: key) }
        try store(prepared, column, of: key)
        if let target { try addBacklink(column, from: key, to: target) }
    }

    /// Sets a value with data outside its row: a primary key's entry, or overflow pages.
    func setOwned(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
        guard try contains(key) else { throw pager.noSuchObject(key) }
        if column == primaryKeyColumn {
            if try find(primaryKey: value) == key { return }
            try checkNew(primaryKey: value)
        }
        // Before the old value is freed, because the new one may be a view of it.
        let prepared = try prepare(column, value)
        if column == primaryKeyColumn {
            try removePrimaryKey(of: key)
            try enterPrimaryKey(value, of: key)
        }
        if cluster.columns[column].format.kind == .bytes { try freeOverflow(column, of: key) }
        try store(prepared, column, of: key)
    }

    @inline(__always)
    func store(_ value: ClusterTree.StoredValue, _ column: Int, of key: ObjectKey) throws {
        let state = try state
        state.pointee.isDirty = true
        if mayHaveAppended(key), appendWriter.row(of: key) != nil {
            return try cluster.set(appendWriter, &state.pointee.root, key, column, value)
        }
        try cluster.set(clusterWriter, &state.pointee.root, key, column, value)
    }

    /// Makes the row of an object writable before it is read and then changed in place, so that
    /// both take one descent.
    func makeWritable(_ key: ObjectKey) throws {
        if mayHaveAppended(key), appendWriter.row(of: key) != nil { return }
        let state = try state
        state.pointee.isDirty = true
        try cluster.makeWritable(clusterWriter, &state.pointee.root, key)
    }

    /// Writes the bytes of a collection into its owner's row. They must fit a leaf, and must not
    /// lie in the leaf itself.
    func store(bytes: UnsafeRawBufferPointer, _ column: Int, of key: ObjectKey) throws {
        try store(.init(scalar: .bytes(bytes)), column, of: key)
    }

    /// Frees the pages of a long value before it is replaced.
    func freeOverflow(_ column: Int, of key: ObjectKey) throws {
        guard let location = try location(of: key),
            let (node, position) = try self.column(column, of: location.leaf),
            node.isOverflow(position, location.row)
        else { return }
        try pager.free(node.overflowReference(position, location.row).0)
    }
}
