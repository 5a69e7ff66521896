/// Embedded objects, and the collections inside mixed columns.
extension Table {
    // MARK: Embedded objects

    /// Creates the embedded object of a column; the previous one is deleted.
    ///
    /// `values` and errors are those of ``insert(_:)`` for the table of embedded objects.
    public func createEmbedded(
        _ column: Int, of key: ObjectKey, with values: UnsafeBufferPointer<Scalar>
    ) throws(StorageError) -> ObjectKey {
        try requireWriteTransaction()
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard checks[column].role == .embedded, !checks[column].isCollection else {
            throw pager.invalidArgument(
                "Column \(name(of: column)) holds no embedded object.")
        }
        guard try contains(key) else { throw pager.noSuchObject(key) }
        let embedded = try connection.table(backlinks.place(of: column)!.table).insertRow(values)
        try setReferring(column, of: key, to: .integer(embedded.rawValue))
        try recordModification(column, of: key)
        return embedded
    }

    /// Inserts an object into the table of an embedded column. It has no owner yet.
    func insertEmbedded(_ column: Int, _ values: UnsafeBufferPointer<Scalar>) throws(StorageError)
        -> ObjectKey
    {
        try requireWriteTransaction()
        return try connection.table(backlinks.place(of: column)!.table).insertRow(values)
    }

    /// The owner of an embedded object, and the column through which it owns the object; nil if the
    /// objects of this table are not embedded.
    public func owner(of key: ObjectKey) throws(StorageError) -> (object: TypedLink, column: Int)? {
        guard isEmbedded else { return nil }
        for position in stored.columns.indices {
            guard let column = stored.columns[position].backlinks,
                let owner = try Backlinks.origins(position, key, in: self).first?.origin
            else { continue }
            return (TypedLink(table: column.originTable, key: owner), column.originColumn)
        }
        throw pager.damaged(0, "an embedded object has no owner")
    }

    // MARK: Collections inside mixed values

    /// Sets the value of a mixed column to an empty list or map.
    public func setEmpty(_ kind: CollectionKind, _ column: Int, of key: ObjectKey)
        throws(StorageError)
    {
        try requireWriteTransaction()
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard checks[column].format.type == .mixed, !checks[column].isCollection,
            kind == .list || kind == .map
        else {
            throw pager.invalidArgument(
                "Column \(name(of: column)) holds no lists and maps.")
        }
        guard try contains(key) else { throw pager.noSuchObject(key) }
        let identity = connection.makeCollectionIdentity()
        let image = NestedCollection.image(kind, identity, of: [])
        try image.withBytes { bytes throws(StorageError) in
            try setReferring(column, of: key, to: .bytes(bytes))
        }
        try recordModification(column, of: key)
    }

    /// The list that is the value of a mixed column; nil if the value is something else.
    public func nestedList(_ column: Int, of key: ObjectKey) throws(StorageError) -> ListHandle? {
        try nestedCollection(column, of: key).flatMap(ListHandle.init(ifList:))
    }

    /// The map that is the value of a mixed column; nil if the value is something else.
    public func nestedMap(_ column: Int, of key: ObjectKey) throws(StorageError) -> MapHandle? {
        try nestedCollection(column, of: key).flatMap(MapHandle.init(ifMap:))
    }

    func nestedCollection(_ column: Int, of key: ObjectKey) throws(StorageError)
        -> CollectionHandle?
    {
        let check = checks[column]
        guard check.format.type == .mixed, !check.isCollection,
            let nested = NestedCollection(try value(column, of: key))
        else { return nil }
        return CollectionHandle(
            table: self, column: column, owner: key, format: .nested(nested.kind),
            path: [nested.step(at: 0)])
    }
}
