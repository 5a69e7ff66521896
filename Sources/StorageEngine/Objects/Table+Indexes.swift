/// Indexes of properties, which are updated with every change of an object.
extension Table {
    /// The index of a property; nil if it has none. A primary key has a map of its own: see `find`
    /// and `forEachInPrimaryKeyOrder`.
    public func index(of column: Int) -> ColumnIndex? {
        // An index that the failed transaction created is not in the version that reads see now.
        if connection.schemaIsAbandoned { return nil }
        return indexes.first { $0.column == column }
    }

    /// Adds a new object with these values to the indexes.
    func enterIntoIndexes(_ values: UnsafeBufferPointer<Scalar>, _ key: ObjectKey) throws {
        for index in indexes {
            let value =
                index.column < values.count
                ? values[index.column] : cluster.columns[index.column].defaultScalar
            try index.note(value, key, isRemoval: false)
        }
    }

    /// Removes an object that is about to be deleted from the indexes.
    func removeFromIndexes(_ key: ObjectKey) throws {
        if indexes.isEmpty { return }
        guard let location = try location(of: key) else { throw pager.noSuchObject(key) }
        for index in indexes {
            try index.note(try value(index.column, at: location), key, isRemoval: true)
        }
    }

    /// Removes objects that are about to be deleted together from the indexes. The keys ascend. No
    /// pointers into pages may be held.
    func removeFromIndexes(_ keys: UnsafeBufferPointer<ObjectKey>) throws {
        if indexes.isEmpty { return }
        let root = try root
        var selection = RowSelection()
        var next = 0
        while next < keys.count {
            guard let leaf = try ClusterTree.leaf(pager, root, covering: keys[next]) else {
                throw pager.noSuchObject(keys[next])
            }
            let end = leaf.select(keys, from: next, into: &selection)
            guard end > next else { throw pager.noSuchObject(keys[next]) }
            for index in indexes {
                for (offset, row) in selection.removed.enumerated() {
                    let location = RowLocation(leaf: leaf, row: Int(row))
                    try index.note(
                        try value(index.column, at: location), keys[next + offset], isRemoval: true)
                }
            }
            next = end
            if pager.needsAttention { try connection.catchUpLargeIndexes() }
        }
    }

    /// Sets a checked value of an indexed property.
    func setIndexed(_ column: Int, of key: ObjectKey, to value: Scalar) throws {
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

    /// Empties the indexes, because all objects are deleted.
    func dropIndexes() throws {
        for index in indexes { try dropIndex(index) }
    }

    func dropIndex(_ index: ColumnIndex) throws {
        index.forgetChanges()
        for (map, tree) in index.maps { try dropTree(tree, map.format, quietWriter) }
    }
}
