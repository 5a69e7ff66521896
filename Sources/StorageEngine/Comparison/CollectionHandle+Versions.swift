/// Lists, sets and maps in several versions.
extension CollectionHandle {
    /// The same collection as another connection reads it. `table` is that connection's table of
    /// the same class.
    fileprivate func moved(to table: Table) -> CollectionHandle {
        CollectionHandle(table: table, column: column, owner: owner, format: format, path: path)
    }

    /// Whether the collection is inside a mixed value.
    fileprivate var isNested: Bool { !path.isEmpty }

    /// Returns what has changed since an older version, which `older` reads. `changes` are those of
    /// the class.
    ///
    /// Changes of collections that an object holds itself were recorded or found already. Nested
    /// ones are compared.
    fileprivate func change(
        since older: CollectionHandle, _ changes: TableChanges?
    ) throws(StorageError) -> CollectionChange? {
        if isNested {
            guard changes?.modifications.columns(of: owner).contains(table.columnID(column)) == true
            else { return nil }
            return try CollectionComparison.change(from: older.stored(), to: stored())
        }
        return changes?.collections[
            CollectionPlace(owner: owner, column: table.columnID(column))]
    }

    fileprivate var exists: Bool {
        get throws(StorageError) {
            guard try table.contains(owner) else { return false }
            return !isNested || (try? stored()) != nil
        }
    }
}

/// What lists, sets and maps have in common when two versions of them are compared.
public protocol ComparableHandle {
    /// The same collection as another connection reads it. `table` is that connection's table of
    /// the same class.
    func moved(to table: Table) -> Self
    /// Returns what has changed since an older version, which `older` reads; nil if nothing has.
    /// `changes` are those of the objects of the owner's class. Both must exist.
    func change(since older: Self, _ changes: TableChanges?) throws(StorageError)
        -> CollectionChange?
    /// Whether the collection still exists.
    var exists: Bool { get throws(StorageError) }
}

extension ListHandle: ComparableHandle {
    public func moved(to table: Table) -> ListHandle {
        ListHandle(collection: collection.moved(to: table))
    }

    public func change(
        since older: ListHandle, _ changes: TableChanges?
    ) throws(StorageError) -> CollectionChange? {
        try collection.change(since: older.collection, changes)
    }

    public var exists: Bool { get throws(StorageError) { try collection.exists } }
}

extension SetHandle: ComparableHandle {
    public func moved(to table: Table) -> SetHandle {
        SetHandle(collection: collection.moved(to: table))
    }

    public func change(
        since older: SetHandle, _ changes: TableChanges?
    ) throws(StorageError) -> CollectionChange? {
        try collection.change(since: older.collection, changes)
    }

    public var exists: Bool { get throws(StorageError) { try collection.exists } }
}

extension MapHandle: ComparableHandle {
    public func moved(to table: Table) -> MapHandle {
        MapHandle(collection: collection.moved(to: table))
    }

    public func change(
        since older: MapHandle, _ changes: TableChanges?
    ) throws(StorageError) -> CollectionChange? {
        try collection.change(since: older.collection, changes)
    }

    public var exists: Bool { get throws(StorageError) { try collection.exists } }
}
