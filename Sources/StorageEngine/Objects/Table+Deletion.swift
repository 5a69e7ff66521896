/// Deleting objects: links to them become null, lists and sets lose them, maps keep their keys with
/// null values, and objects owned by them are deleted as well.
extension Table {
    /// Deletes an object and the embedded objects that it owns. The object may itself be embedded;
    /// its owner then has none. To delete many objects, use ``delete(_:)-([ObjectKey])``.
    public func delete(_ key: ObjectKey) throws(StorageError) {
        try requireWriteTransaction()
        guard let location = try location(of: key) else { throw pager.noSuchObject(key) }
        try detachReferrers(of: key, at: location)
        var owned: [TypedLink] = []
        try erase(key, &owned)
        if !owned.isEmpty { try connection.erase(owned) }
    }

    /// Removes all references to the object from the objects that refer to it.
    private func detachReferrers(of key: ObjectKey, at location: RowLocation) throws(StorageError) {
        var location: RowLocation? = location
        // Backlink columns come after all properties.
        for position in propertyCount..<stored.columns.count {
            // Without referrers, which is most often so, one look finds the marks of all columns.
            if let location, try !Backlinks.isTarget(position, at: location, in: self) { continue }
            location = nil
            let origins = try Backlinks.origins(position, key, in: self)
            if origins.isEmpty { continue }
            guard let mirrored = stored.columns[position].backlinks else { continue }
            // In one step for all referrers: `removeReferences` does not update backlinks.
            try Backlinks.forget(position, key, in: self)
            let table = connection.table(mirrored.originTable)
            for (origin, count) in origins where !planted(.leavesLinks) {
                try pager.limitMemory()
                try table.removeReferences(
                    mirrored.originColumn, of: origin,
                    to: .one(TypedLink(table: index, key: key), count: count))
            }
        }
    }

    /// Removes objects that are about to be deleted from the collections that hold several of them.
    /// Each collection is visited once, not once for each object.
    func leaveCollections(_ keys: [ObjectKey]) throws(StorageError) {
        for position in propertyCount..<stored.columns.count {
            guard let mirrored = stored.columns[position].backlinks else { continue }
            let table = connection.table(mirrored.originTable)
            let format = table.checks[mirrored.originColumn].format
            guard format.collection != .none || format.type == .mixed else { continue }
            var holders: [(origin: ObjectKey, target: ObjectKey, count: Int)] = []
            for key in keys {
                let origins = try Backlinks.origins(position, key, in: self)
                if origins.isEmpty { continue }
                try Backlinks.forget(position, key, in: self)
                for (origin, count) in origins { holders.append((origin, key, count)) }
            }
            holders.sort {
                ($0.origin.rawValue, $0.target.rawValue) < ($1.origin.rawValue, $1.target.rawValue)
            }
            var rest = holders[...]
            while let origin = rest.first?.origin, !planted(.leavesLinks) {
                try pager.limitMemory()
                let some = rest.prefix { $0.origin == origin }
                let targets = some.map { TypedLink(table: index, key: $0.target) }
                if targets.count > CollectionHandle.fewTargets {
                    try table.removeReferences(
                        mirrored.originColumn, of: origin, to: .many(Set(targets)))
                } else {
                    for (target, holder) in zip(targets, some) {
                        try table.removeReferences(
                            mirrored.originColumn, of: origin,
                            to: .one(target, count: holder.count))
                    }
                }
                rest = rest.dropFirst(targets.count)
            }
        }
    }

    /// Removes references in `origin` to targets whose backlinks are removed already.
    private func removeReferences(
        _ column: Int, of origin: ObjectKey, to targets: ForgottenTargets
    ) throws(StorageError) {
        let format = checks[column].format
        if format.collection != .none {
            return try collection(column, of: origin, kind: format.collection).forget(targets)
        }
        let value = try value(column, of: origin)
        if let nested = try nestedCollection(column, of: origin) {
            try nested.forget(targets)
        } else if let target = self.target(column, value), targets.contains(target) {
            try store(.init(scalar: .null), column, of: origin)
            try recordModification(column, of: origin)
        }
    }

    /// Erases an object without referrers, and appends the embedded objects it owned to `owned`.
    func erase(_ key: ObjectKey, _ owned: inout [TypedLink]) throws(StorageError) {
        // First, while the object's values can still be read: long ones are freed with the columns.
        if primaryKeyColumn != nil, !planted(.leavesPrimaryKeys) {
            try PrimaryKeyMap.remove(of: key, in: self)
        }
        if !planted(.leavesIndexEntries) { try indexes.remove(key, of: self) }
        for column in 0..<propertyCount { try releaseValue(column, of: key, collecting: &owned) }
        try removeRow(of: key)
        recorder?.delete(key, inTable: index)
    }

    private func releaseValue(_ column: Int, of key: ObjectKey, collecting owned: inout [TypedLink])
        throws(StorageError)
    {
        let check = checks[column]
        guard check.kind == .bytes || check.format.type.mayRefer else { return }
        var released = ReleasedValues()
        if check.isCollection {
            try released.add(
                try collection(column, of: key, kind: check.format.collection).stored(), self,
                column: column)
        } else {
            if check.format.type.mayRefer {
                try released.add(try value(column, of: key), self, column: column)
            }
            if check.kind == .bytes { try freeOverflow(column, of: key) }
        }
        for target in released.targets where !planted(.leavesBacklinks) {
            try backlinks.remove(column, from: key, to: target)
        }
        if check.format.type == .embedded { owned += released.targets }
    }
}

/// Rows of deleted objects, which a transaction removes together.
///
/// Closing the gap of a row moves what is behind it in every column of its leaf. So deleting an
/// object only notes its key, once everything else of it is gone: its primary key, the entries of
/// indexes, links, backlinks and what its values own. The rows that wait are removed leaf by leaf:
///
/// 1. before anything reads a tree of objects by position or as a whole (``Table/root``, the only
///    way to one for reading), so that nothing but a lookup by key meets a row that waits,
/// 2. when `maximumDeletedRows` of a table wait,
/// 3. before the schema of tables changes, and when the transaction is complete.
///
/// Lookups by key (``Table/location(of:)``, ``Table/row(of:in:)``, and `store`) take the keys that
/// wait for those of no object. Inserting, and changing other objects, meets rows that wait as it
/// meets any other row, because they are found by their keys. A transaction that fails or is rolled
/// back forgets them with the roots of its trees.
extension Table {
    /// The place of an object's row in the tree, for reading by key: rows that wait are in it.
    @inline(__always)
    var rootWithDeletedRows: TreeRoot {
        get throws(StorageError) { try state.pointee.root }
    }

    /// Notes that an object is gone except for its row, which must be in the tree. Locations found
    /// before are out of date.
    func removeRow(of key: ObjectKey) throws(StorageError) {
        connection.layoutStamp.pointee &+= 1
        if deletedRows.isEmpty { connection.noteDeletedRows(in: self) }
        deletedRows.insert(key)
        if deletedRows.count >= connection.maximumDeletedRows { try removeDeletedRows() }
    }

    /// Removes the rows that wait from the tree. After an error the transaction can only be rolled
    /// back.
    ///
    /// `limitingMemory`: no pointers into pages are held (``Pager/limitMemory()``).
    @inline(never)
    func removeDeletedRows(limitingMemory: Bool = false) throws(StorageError) {
        if deletedRows.isEmpty { return }
        let keys = deletedRows.keys
        // Nothing waits any more, whatever happens: an error fails the transaction.
        deletedRows.removeAll()
        do throws(StorageError) {
            try rows.removeTogether(keys, from: cluster, limitingMemory: limitingMemory)
        } catch {
            pager.failTransaction(error)
            throw error
        }
    }

    /// Forgets the rows that wait, because the transaction has failed, is rolled back, or has
    /// dropped the tree.
    func forgetDeletedRows() { deletedRows.removeAll() }
}

extension Connection {
    /// Erases objects without referrers, and everything they own. Iterative rather than recursive,
    /// because embedded objects may own each other in chains of any length.
    func erase(_ objects: [TypedLink]) throws(StorageError) {
        var doomed = objects
        while let next = doomed.popLast() {
            let table = table(next.table)
            guard try table.contains(next.key) else { throw pager.noSuchObject(next.key) }
            try table.erase(next.key, &doomed)
        }
    }

    // MARK: Rows that wait

    /// Notes that a table has rows of deleted objects.
    fileprivate func noteDeletedRows(in table: Table) {
        // It may still be listed if it has removed its rows by itself.
        if !tablesWithDeletedRows.contains(where: { $0 === table }) {
            tablesWithDeletedRows.append(table)
        }
    }

    /// Removes the rows of deleted objects from all tables.
    ///
    /// `limitingMemory`: no pointers into pages are held (``Pager/limitMemory()``).
    @inline(__always)
    func removeDeletedRows(limitingMemory: Bool = false) throws(StorageError) {
        if !tablesWithDeletedRows.isEmpty { try removeListedRows(limitingMemory) }
    }

    @inline(never)
    private func removeListedRows(_ limitsMemory: Bool) throws(StorageError) {
        for table in tablesWithDeletedRows {
            try table.removeDeletedRows(limitingMemory: limitsMemory)
        }
        tablesWithDeletedRows.removeAll(keepingCapacity: true)
    }

    /// Forgets the rows of deleted objects, because the transaction has failed or is rolled back.
    func forgetDeletedRows() {
        if tablesWithDeletedRows.isEmpty { return }
        for table in tablesWithDeletedRows { table.forgetDeletedRows() }
        tablesWithDeletedRows.removeAll(keepingCapacity: true)
    }
}
