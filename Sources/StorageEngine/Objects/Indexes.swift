/// The indexes of a table's properties, which are updated with every change of an object. The
/// primary key is not among them; it has a map of its own.
struct Indexes: ~Copyable {
    /// In the order of their properties.
    private(set) var all: [ColumnIndex] = []

    @inline(__always)
    var isEmpty: Bool { all.isEmpty }

    @inline(__always)
    func index(of column: Int) -> ColumnIndex? { all.first { $0.column == column } }

    /// Adopts a changed schema. Indexes that remain keep their collected changes.
    mutating func adopt(_ columns: [StoredColumn], of table: Table) {
        let old = all
        all = []
        for (column, stored) in columns.enumerated() {
            guard let trees = stored.index else { continue }
            let known = old.first { $0.column == column && $0.trees == trees }
            all.append(known ?? ColumnIndex(table, column, trees: trees))
        }
    }

    // MARK: Changing

    /// Adds a new object with these values, which lack defaults at the end.
    func enter(
        _ values: UnsafeBufferPointer<Scalar>, of key: ObjectKey, in tree: ClusterTree
    ) throws(StorageError) {
        for index in all {
            let value =
                index.column < values.count
                ? values[index.column] : tree.columns[index.column].defaultScalar
            try index.note(value, key, isRemoval: false)
        }
    }

    /// Removes an object that is about to be deleted.
    func remove(_ key: ObjectKey, of table: Table) throws(StorageError) {
        if isEmpty { return }
        guard let location = try table.location(of: key) else {
            throw table.pager.noSuchObject(key)
        }
        for index in all {
            try index.note(try table.value(index.column, at: location), key, isRemoval: true)
        }
    }

    /// Removes objects that are about to be deleted together. The keys ascend. No pointers into
    /// pages may be held.
    func remove(_ keys: UnsafeBufferPointer<ObjectKey>, of table: Table) throws(StorageError) {
        if isEmpty { return }
        let (pager, root) = (table.pager, try table.root)
        var selection = RowSelection()
        var next = 0
        while next < keys.count {
            guard let leaf = try ClusterTree.leaf(pager, root, covering: keys[next]) else {
                throw pager.noSuchObject(keys[next])
            }
            let end = leaf.select(keys, from: next, into: &selection)
            guard end > next else { throw pager.noSuchObject(keys[next]) }
            for index in all {
                for (offset, row) in selection.removed.enumerated() {
                    let location = RowLocation(leaf: leaf, row: Int(row))
                    try index.note(
                        try table.value(index.column, at: location), keys[next + offset],
                        isRemoval: true)
                }
            }
            next = end
            if pager.needsAttention { try table.connection.catchUpLargeIndexes() }
        }
    }

    /// Empties all indexes, because all objects are deleted.
    func removeAll() throws(StorageError) {
        for index in all { try index.drop() }
    }
}
