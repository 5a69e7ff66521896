/// Entries with unique first keys: primary keys.
///
/// The path of the previous entry is tried first, so that keys that come in order, or near each
/// other, cost no descent. The leaf is not searched either for bytes that follow the previous
/// entry's, or for integers above all others.
extension OrderedMap {
    /// Inserts an entry unless there is one with this first key. Returns whether it did. The second
    /// key must be above those of all entries that ever existed.
    ///
    /// The path is made writable in any case.
    func insertUnique(
        _ writer: TreeWriter, _ root: inout TreeRoot, treeID: UInt32, first: FirstKey, second: Int64
    ) throws(StorageError) -> Bool {
        if case .bytes(let key) = first, writer.hasPath(to: treeID),
            insertBehindPrevious(writer, key, second: second)
        {
            try writer.addToCounts(&root, 1)
            return true
        }
        guard let row = try rowForUnique(writer, &root, treeID: treeID, of: first) else {
            return false
        }
        if put(writer.leaf, row, first: first, second: second) {
            writer.rowBehindInsertion = row + 1
            try writer.addToCounts(&root, 1)
        } else {
            try set(writer, &root, treeID: treeID, first: first, second: second)
        }
        return true
    }

    /// Returns the row of the leaf at the end of the path where an entry with this first key
    /// belongs, or nil if such an entry exists.
    @inline(__always)
    private func rowForUnique(
        _ writer: TreeWriter, _ root: inout TreeRoot, treeID: UInt32, of first: FirstKey
    ) throws(StorageError) -> Int? {
        if case .integer(let key) = first, writer.hasPath(to: treeID) {
            let leaf = writer.leaf.reading
            let rows = leaf.rowCount
            if rows > 0, leaf.integer(0, rows - 1) < key, writer.isAtLastLeaf {
                return rows
            }
        }
        return try searchedRowForUnique(writer, &root, treeID: treeID, of: first)
    }

    @inline(never)
    private func searchedRowForUnique(
        _ writer: TreeWriter, _ root: inout TreeRoot, treeID: UInt32, of first: FirstKey
    ) throws(StorageError) -> Int? {
        if writer.hasPath(to: treeID) {
            let leaf = writer.leaf.reading
            let rows = leaf.rowCount
            let row = lowerBound(leaf, 0, of: first, second: Int64.min)
            if row < rows, isFirstEqual(leaf, 0, at: row, to: first) { return nil }
            // A key before the first row may belong to the previous leaf.
            if row > 0, row < rows || writer.isAtLastLeaf { return row }
        }
        if root.reference.isNone { root.reference = try makeLeaf(writer, treeID).0 }
        // Leads to the last leaf that may hold the key. It holds the entry with this key if there
        // is one.
        let leaf = try writer.descend(&root, format) { childRow($0, first, second: Int64.max) }
            .reading
        writer.keepPath(to: treeID)
        let row = lowerBound(leaf, 0, of: first, second: Int64.min)
        return row < leaf.rowCount && isFirstEqual(leaf, 0, at: row, to: first) ? nil : row
    }

    /// Inserts an entry behind the one inserted before it, if it belongs there and the leaf has
    /// room as it is laid out. Returns whether it did.
    @inline(__always)
    private func insertBehindPrevious(
        _ writer: TreeWriter, _ key: UnsafeRawBufferPointer, second: Int64
    ) -> Bool {
        let leaf = writer.leaf
        let (view, row, rows) = (leaf.reading, writer.rowBehindInsertion, leaf.rowCount)
        guard row > 0, row <= rows, let tail = view.tail(0, of: key),
            compareBytes(view.bytes(0, row - 1), tail) < 0,
            row < rows ? compareBytes(tail, view.bytes(0, row)) < 0 : writer.isAtLastLeaf,
            leaf.insertRow(at: row, tail, number: second)
        else { return false }
        writer.rowBehindInsertion = row + 1
        return true
    }

    /// Inserts an entry of a map without values into a leaf. Returns false if the leaf has no room.
    @inline(__always)
    private func put(_ leaf: MutableNode, _ row: Int, first: FirstKey, second: Int64) -> Bool {
        switch first {
        case .integer(let key):
            if row == leaf.rowCount, leaf.appendRow(key, second) { return true }
        case .bytes(let key):
            if let tail = leaf.reading.tail(0, of: key),
                leaf.insertRow(at: row, tail, number: second)
            {
                return true
            }
        }
        guard leaf.insertPlaceholderRow(at: row) else { return false }
        if setKey(leaf, row, to: first, second: second) { return true }
        leaf.removeRow(at: row)
        return false
    }
}
