/// Checking indexes against the values of their objects, in both directions.
extension Verification {
    /// Checks the indexes of a table. Entries must ascend, so that none occurs twice, and each must
    /// lead to an object with the entry's value. So if there are as many entries as objects, every
    /// object has its entry.
    mutating func walkIndexes(_ table: Table, objects: Int) throws(StorageError) {
        for index in table.indexes.all {
            var entries = 0
            for (map, tree) in index.maps {
                let root = try index.root(tree)
                var previous: (leaf: Node, row: Int)?
                let count = try walkNodes(root, map.format) {
                    verification, _, leaf throws(StorageError) in
                    for row in 0..<leaf.rowCount {
                        if let previous,
                            try !map.isBefore(previous.leaf, previous.row, other: leaf, row: row)
                        {
                            verification.report("\(index.name): entries do not ascend.")
                        }
                        previous = (leaf, row)
                        if try !index.isEntryOfItsObject(leaf, row, inTree: tree) {
                            verification.report(
                                "\(index.name) has an entry of object \(leaf.integer(1, row)) "
                                    + "that is not its value.")
                        }
                    }
                }
                guard let count else { continue }
                if count != root.count {
                    report("\(index.name) counts \(root.count) entries and has \(count).")
                }
                entries += count
            }
            if entries != objects {
                report("\(index.name) has \(entries) entries for \(objects) objects.")
            }
        }
    }
}

extension ColumnIndex {
    /// The name of the index in messages.
    fileprivate var name: String { "The index of \(table.name(of: column))" }

    /// Whether the object of an entry exists and has the entry's value.
    fileprivate func isEntryOfItsObject(_ leaf: Node, _ row: Int, inTree tree: UInt32)
        throws(StorageError) -> Bool
    {
        let key = ObjectKey(rawValue: leaf.integer(1, row))
        guard let location = try table.location(of: key) else { return false }
        let value = try table.value(column, at: location)
        if tree == trees.nulls { return value.isNull && leaf.integer(0, row) == 0 }
        if value.isNull { return false }
        return try OrderedMap.withFirstKey(of: value, table.pager) { first, _ in
            map.isFirstEqual(leaf, 0, at: row, to: first)
        }
    }
}
