/// Appending rows: they go to the end of the last leaf, or to a new leaf behind it.
extension ClusterTree {
    /// Appends a row without laying anything out again, if the path ends at the last leaf and the
    /// leaf has room for the row as it is: true of nearly all rows of a bulk insert. Returns false,
    /// with nothing changed, for other rows, which `append` stores. `values` are as in `append`,
    /// but in the form that the table receives, and may lie in the leaf.
    @inline(never)
    func appendInPlace(
        _ writer: TreeWriter, _ root: inout TreeRoot, key: ObjectKey,
        values: UnsafeBufferPointer<Scalar>
    ) throws(StorageError) -> Bool {
        guard writer.hasPath(to: treeID), writer.isAtLastLeaf else { return false }
        let leaf = writer.leaf
        let row = leaf.rowCount
        guard row > 0, row < Self.maximumRows, row < leaf.reading.rowCapacity,
            placeKey(leaf, row, key: key)
        else { return false }
        let maximumBytes = writer.pager.maximumInlineBytes
        var hasSpills = false
        for column in 0..<columns.count {
            let stored = columns[column]
            let entry = leaf.entry(column)
            if entry.isInline(stored.tag) {
                let value = scalar(values, column, stored: stored)
                if !value.isLonger(than: maximumBytes), leaf.place(value, entry, at: row) {
                    continue
                }
            } else if entry.isSpilled {
                hasSpills = true
                continue
            }
            leaf.takeBackRow(row, before: column)
            return false
        }
        if hasSpills, try !placeInSpills(writer, row, of: values) {
            leaf.takeBackRow(row, before: columns.count)
            return false
        }
        // Counted last: until here, undoing a failure only has to restore the sizes of heaps.
        leaf.header.rowCount = row + 1
        try writer.addToCounts(&root, 1)
        return true
    }

    /// Places the values of a row in the nodes of the spilled columns, as `appendInPlace` does in
    /// the leaf. Returns false if one has no room; the others then have as many rows as before.
    @inline(never)
    private func placeInSpills(
        _ writer: TreeWriter, _ row: Int, of values: UnsafeBufferPointer<Scalar>
    ) throws(StorageError) -> Bool {
        for column in columns.indices where writer.leaf.reading.isSpilled(column) {
            guard
                try placeInSpill(
                    writer, column, row: row,
                    value: scalar(values, column, stored: columns[column]))
            else {
                try takeBackFromSpills(writer, row, before: column)
                return false
            }
        }
        writer.keepPath(to: treeID)
        return true
    }

    private func placeInSpill(
        _ writer: TreeWriter, _ column: Int, row: Int, value: Scalar
    ) throws(StorageError) -> Bool {
        let leaf = writer.leaf
        // A leaf from before a change of columns may have another column at this index.
        guard leaf.reading.format(column) == columns[column].format,
            !value.isLonger(than: writer.pager.maximumInlineBytes)
        else { return false }
        let (reference, node) = try writableSpill(writer, column, rows: row)
        // Set even if the value has no room, because the copy has replaced the old node.
        leaf.setSpillReference(column, reference)
        guard row < node.reading.rowCapacity, node.place(value, node.entry(0), at: row)
        else { return false }
        node.header.rowCount = row + 1
        return true
    }

    private func takeBackFromSpills(_ writer: TreeWriter, _ row: Int, before end: Int)
        throws(StorageError)
    {
        for column in 0..<end where writer.leaf.reading.isSpilled(column) {
            let node = try writableSpill(writer, column, rows: row + 1).1
            node.takeBackRow(row, before: 1)
            node.header.rowCount = row
        }
    }

    /// Returns the value of a new row in a column. Collections start as null, which is the empty
    /// collection.
    @inline(__always)
    private func scalar(
        _ values: UnsafeBufferPointer<Scalar>, _ column: Int, stored: Column
    ) -> Scalar {
        column < values.count && !stored.isCollection ? values[column] : stored.defaultScalar
    }

    /// Appends a row. `key` must be above all keys in the tree. `values` are in the order of the
    /// stored columns; missing ones at the end take their defaults.
    @inline(never)
    func append(
        _ writer: TreeWriter, _ root: inout TreeRoot, key: ObjectKey,
        values: UnsafeBufferPointer<StoredValue>
    ) throws(StorageError) {
        if writer.hasPath(to: treeID), writer.isAtLastLeaf {
            if tryAppend(writer, key, values: values) { return try writer.addToCounts(&root, 1) }
            if try appendThroughSpills(writer, &root, key: key, values: values) == .done { return }
        }
        try appendSlowly(writer, &root, key: key, values: values)
    }

    @inline(never)
    func appendSlowly(
        _ writer: TreeWriter, _ root: inout TreeRoot, key: ObjectKey,
        values: UnsafeBufferPointer<StoredValue>
    ) throws(StorageError) {
        writer.noteAppend(to: treeID, root)
        if root.reference.isNone {
            root.reference = try newLeaf(writer, lowKey: key).0
        }
        while true {
            let leaf = try writer.descend(&root, .cluster) { $0.rowCount - 1 }.reading
            let isBehindAll =
                leaf.rowCount == 0 || leaf.objectKey(leaf.rowCount - 1).rawValue < key.rawValue
            guard isBehindAll else {
                throw writer.pager.damaged(
                    root.reference.page, "the table has objects beyond its next key")
            }
            if tryAppend(writer, key, values: values) {
                try writer.addToCounts(&root, 1)
                writer.keepPath(to: treeID)
                return
            }
            let outcome = try appendThroughSpills(writer, &root, key: key, values: values)
            if outcome == .done { return }
            try makeRoomForAppend(writer, &root, key: key, values: values, after: outcome)
        }
    }

    /// Appends in place. Returns false, with nothing changed, if the leaf has no room.
    @inline(__always)
    func tryAppend(
        _ writer: TreeWriter, _ key: ObjectKey, values: UnsafeBufferPointer<StoredValue>
    ) -> Bool {
        let leaf = writer.leaf
        let row = leaf.reading.rowCount
        guard row < Self.maximumRows, isPlain(leaf.reading), leaf.insertPlaceholderRow(at: row)
        else { return false }
        if setKey(leaf, row, to: key) {
            var column = 0
            while column < values.count, leaf.set(column, row, to: values[column]) { column += 1 }
            if column == values.count, setDefaults(leaf, row, from: values.count) { return true }
        }
        leaf.removeRow(at: row)
        return false
    }

    /// Whether the key of an appended row fits the leaf as it is laid out. The leaf must have all
    /// columns of the table. If the leaf has a key column, the key is placed there.
    @inline(__always)
    func placeKey(_ leaf: MutableNode, _ row: Int, key: ObjectKey) -> Bool {
        let relative = key.rawValue &- leaf.reading.lowKey
        switch leaf.columnCount - columns.count {
        case 0: return relative == Int64(row)
        case 1:
            return leaf.reading.keyColumn == columns.count
                && leaf.place(packed: relative, leaf.entry(columns.count), at: row)
        default: return false
        }
    }

    func setDefaults(_ leaf: MutableNode, _ row: Int, from column: Int) -> Bool {
        for column in column..<columns.count {
            let value = StoredValue(scalar: columns[column].defaultScalar)
            if !leaf.set(column, row, to: value) { return false }
        }
        return true
    }

    /// Whether the leaf has all stored columns, at their positions, none of them spilled.
    @inline(__always)
    func isPlain(_ leaf: Node) -> Bool {
        for column in columns.indices where !leaf.hasInline(column, columns[column].tag) {
            return false
        }
        return true
    }

    /// Sets the key of a row. A key that continues a dense leaf is implied; any other needs the key
    /// column.
    func setKey(_ leaf: MutableNode, _ row: Int, to key: ObjectKey) -> Bool {
        let view = leaf.reading
        let relative = key.rawValue - view.lowKey
        let column = view.keyColumn
        if column >= 0 { return leaf.setInteger(column, row, to: relative) }
        if relative == Int64(row) { return true }
        if row == 0 {
            leaf.setLowKey(key.rawValue)
            return true
        }
        guard addKeyColumn(leaf) else { return false }
        return leaf.setInteger(leaf.reading.keyColumn, row, to: relative)
    }

    /// Adds the key column that a dense leaf needs once keys have gaps. Returns false if there is
    /// no room.
    func addKeyColumn(_ leaf: MutableNode) -> Bool {
        let keys = ContiguousArray(0..<Int64(leaf.reading.rowCount))
        return keys.withUnsafeBufferPointer { addKeyColumn(leaf, $0) }
    }

    /// Adds the key column. `keys` are relative to the leaf's low key. Returns false if there is no
    /// room.
    func addKeyColumn(_ leaf: MutableNode, _ keys: UnsafeBufferPointer<Int64>) -> Bool {
        leaf.addColumn(
            ColumnFormat(id: Node.keyColumnID, kind: .integer), at: leaf.reading.columnCount,
            integers: keys)
    }

    /// Appends to a leaf that has spilled columns or lacks columns of the table.
    func appendThroughSpills(
        _ writer: TreeWriter, _ root: inout TreeRoot, key: ObjectKey,
        values: UnsafeBufferPointer<StoredValue>
    ) throws(StorageError) -> Outcome {
        let row = writer.leaf.reading.rowCount
        guard row < Self.maximumRows, !isPlain(writer.leaf.reading) else { return .leafFull }
        var outcome = try insertRow(writer, at: row)
        if outcome != .done { return outcome }
        if !setKey(writer.leaf, row, to: key) { outcome = .leafFull }
        for column in columns.indices where outcome == .done {
            let value =
                column < values.count
                ? values[column] : StoredValue(scalar: columns[column].defaultScalar)
            outcome = try setThroughSpill(writer, column, at: row, to: value)
        }
        if outcome == .done {
            try writer.addToCounts(&root, 1)
            writer.keepPath(to: treeID)
        } else {
            try removeRow(writer, at: row)
        }
        return outcome
    }

    func newLeaf(
        _ writer: TreeWriter, lowKey: ObjectKey, pages: Int = 0, like model: Node? = nil
    ) throws(StorageError) -> (PageReference, MutableNode) {
        try writer.makeNode(
            level: 0, treeID: treeID,
            columns: columns.map(\.format),
            lowKey: lowKey.rawValue, pages: max(pages, leafPages(writer.pager.pageSize)),
            model: model)
    }

    /// Makes room in the last leaf, or adds a new one to its right. The path is invalid afterwards.
    func makeRoomForAppend(
        _ writer: TreeWriter, _ root: inout TreeRoot, key: ObjectKey,
        values: UnsafeBufferPointer<StoredValue>, after outcome: Outcome
    ) throws(StorageError) {
        let rows = writer.leaf.reading.rowCount
        if rows == 0 { return try spillLargest(of: values, writer) }
        if outcome == .leafFull, try makeRoomInLeaf(writer, &root) { return }
        // If a bulk insert will fill the new leaf too, it starts as long as the previous one. A
        // leaf that grows page by page leaves a hole whenever another page lies behind it. A short
        // leaf leaves a hole that nothing fits into when the next transaction copies it.
        let full = writer.leaf.reading
        let comesInBulk = writer.rowsAppended(to: treeID, root) >= full.rowCount / 2
        let (reference, leaf) = try newLeaf(
            writer, lowKey: key, pages: comesInBulk ? full.pageCount : 0, like: full)
        try writer.insertSibling(
            &root, .cluster, after: writer.depth - 1, reference: reference, sibling: leaf,
            separator: .key(key))
        writer.dropPath()
    }
}
