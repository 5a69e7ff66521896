/// Checking what the values of an object own and refer to: long values, collections, links and
/// backlinks.
extension Verification {
    mutating func walkValue(
        _ table: Table, _ column: Int, of key: ObjectKey, at location: RowLocation
    ) throws(StorageError) {
        let check = table.checks[column]
        var targets: [TypedLink: Int64] = [:]
        if check.isCollection {
            let collection = table.collection(column, of: key, kind: check.format.collection)
            try walkCollection(
                table, column, of: key, in: try collection.stored(), into: &targets, depth: 0)
        } else {
            if check.kind == .bytes,
                let (node, position) = try table.column(column, of: location.leaf),
                node.isOverflow(position, location.row)
            {
                try reach(node.overflowReference(position, location.row).0, isNode: false)
            }
            if check.format.type.mayRefer {
                let value = try table.value(column, at: location)
                try walkReference(table, column, of: key, from: value, into: &targets, depth: 0)
            }
        }
        try checkLinks(table, column, of: key, to: targets)
    }

    // MARK: Collections

    private mutating func walkCollection(
        _ table: Table, _ column: Int, of key: ObjectKey, in collection: StoredCollection,
        into targets: inout [TypedLink: Int64], depth: Int
    ) throws(StorageError) {
        if let root = collection.root {
            let count = try walkNodes(root, collection.tree.format) {
                verification, _, leaf throws(StorageError) in
                for column in 0..<leaf.columnCount where leaf.kind(column) == .bytes {
                    for row in 0..<leaf.rowCount where leaf.isOverflow(column, row) {
                        try verification.reach(leaf.overflowReference(column, row).0, isNode: false)
                    }
                }
            }
            guard let count else { return }
            if count != root.count {
                report(
                    "A collection of object \(key.rawValue) counts \(root.count) and has \(count).")
                return
            }
        }
        if !(try collection.isInOrder()) {
            report(
                "A \(collection.format.collection) of object \(key.rawValue) of "
                    + "'\(table.stored.name)' is not in order.")
        }
        guard collection.format.type.mayRefer else { return }
        try collection.forEachValue { value throws(StorageError) in
            try walkReference(table, column, of: key, from: value, into: &targets, depth: depth)
            return true
        }
    }

    /// Counts the references from a value to each object, by itself or in nested collections.
    private mutating func walkReference(
        _ table: Table, _ column: Int, of key: ObjectKey, from value: Scalar,
        into targets: inout [TypedLink: Int64], depth: Int
    ) throws(StorageError) {
        if let target = table.target(column, value) {
            targets[target, default: 0] += 1
        } else if table.checks[column].format.type == .mixed {
            guard let mixed = MixedValue(value) else {
                return report("A mixed value of object \(key.rawValue) cannot be read.")
            }
            guard mixed.isCollection, let nested = NestedCollection(value) else { return }
            guard depth < NestedCollection.maximumDepth else { throw tooDeep(pager) }
            let collection = StoredCollection(
                pager: pager, bytes: nested.rows, format: .nested(nested.kind))
            try walkCollection(
                table, column, of: key, in: collection, into: &targets, depth: depth + 1)
        }
    }

    // MARK: Links

    /// Checks that every target has a backlink for the link.
    private mutating func checkLinks(
        _ table: Table, _ column: Int, of key: ObjectKey, to targets: [TypedLink: Int64]
    ) throws(StorageError) {
        for (target, count) in targets {
            let (targetTable, position) = try table.backlinks.withPlace(
                of: column, in: target.table
            ) { ($0, $1) }
            unmatched[.init(table: target.table, column: position), default: 0] &+= count
            guard try targetTable.contains(target.key) else {
                report("Object \(key.rawValue) of '\(table.stored.name)' links to nothing.")
                continue
            }
            if try targetTable.backlinkCount(position, target.key, from: key) != count {
                report(
                    "Object \(target.key.rawValue) of '\(targetTable.stored.name)' has wrong "
                        + "backlinks from \(key.rawValue).")
            }
        }
    }

    /// Checks that there are no more backlinks than links. As every link was found among the
    /// backlinks, every backlink then has its link.
    mutating func checkBacklinks() {
        for (place, difference) in unmatched where difference != 0 {
            report(
                "Table '\(connection.table(place.table).stored.name)' has \(-difference) backlinks "
                    + "of links that do not exist.")
        }
    }
}

extension StoredCollection {
    /// Whether the values of a set, or the keys of a map, ascend without duplicates.
    fileprivate func isInOrder() throws(StorageError) -> Bool {
        if format.collection == .list { return true }
        let order = ValueOrder.ofSets(format.type)
        var previous: CollectionRow?
        var isInOrder = true
        try forEach { row in
            if let previous {
                isInOrder =
                    format.hasKeys
                    ? compareBytes(previous.key, row.key) < 0
                    : order.compare(previous.value, row.value) < 0
            }
            previous = row
            return isInOrder
        }
        return isInOrder
    }
}
