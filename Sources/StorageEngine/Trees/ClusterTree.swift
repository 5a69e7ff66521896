/// The objects of one table: a map from object key to row, in leaves of packed columns.
///
/// Keys ascend and are never reused, so new rows are appended. This file contains the reading
/// operations; `ClusterTree+Writing` and its siblings contain the changing ones.
struct ClusterTree {
    let treeID: UInt32
    /// The table's stored columns, including hidden ones, which make up a new leaf. Points into the
    /// table's memory and is valid until the table's schema is read again. An array would cost
    /// reference counting at each change of a row.
    var columns: UnsafeBufferPointer<Column>

    /// What storing a value needs to know about its column. Trivial, because it is read for every
    /// value.
    struct Column {
        let format: ColumnFormat
        let tag: ColumnTag
        /// The value of rows that have been given none.
        let defaultScalar: Scalar
        /// Whether rows hold the location of a collection. Insertions give no such value.
        let isCollection: Bool

        init(format: ColumnFormat, defaultScalar: Scalar, isCollection: Bool = false) {
            self.format = format
            tag = ColumnTag(format)
            self.defaultScalar = defaultScalar
            self.isCollection = isCollection
        }

        var id: UInt16 { format.id }
    }

    /// Returns the row of a branch whose child covers `key`.
    @inline(__always)
    static func childRow(_ node: Node, _ key: ObjectKey) -> Int {
        // The first separator is ignored: all keys below the second belong to the first child.
        let rows = node.rowCount
        let row = node.lowerBound(BranchColumn.key, key.rawValue, in: 1..<rows)
        return row < rows && node.integer(BranchColumn.key, row) == key.rawValue ? row : row - 1
    }

    /// Returns the leaf that covers `key`, whether or not the object exists, or nil for an empty
    /// tree.
    @inline(__always)
    static func leaf(_ pager: Pager, _ root: TreeRoot, covering key: ObjectKey) throws(StorageError)
        -> Node?
    {
        if root.reference.isNone { return nil }
        var node = try pager.root(of: root, ClusterShape())
        while node.level > 0 {
            node = try pager.child(of: node, childRow(node, key), shape: ClusterShape())
        }
        return node
    }

    @inline(__always)
    static func location(_ pager: Pager, _ root: TreeRoot, of key: ObjectKey) throws(StorageError)
        -> RowLocation?
    {
        guard let leaf = try leaf(pager, root, covering: key), let row = leaf.row(of: key) else {
            return nil
        }
        return RowLocation(leaf: leaf, row: row)
    }

    /// Returns the node that holds a column of a leaf, and the column's index in it. The node is
    /// the leaf itself, or the column's own node. Returns nil if the leaf is older than the column.
    /// `root` is the root of the tree, which an error names.
    @inline(__always)
    func place(
        of column: Int, in leaf: Node, pager: Pager,
        under root: @autoclosure () throws(StorageError) -> TreeRoot
    ) throws(StorageError) -> (node: Node, column: Int)? {
        let format = columns[column].format
        let position = leaf.columnIndex(ofID: format.id, expected: column)
        if position < 0 { return nil }
        if !leaf.isSpilled(position), leaf.kind(position) == format.kind { return (leaf, position) }
        guard leaf.isSpilled(position) else {
            throw pager.damaged(
                try root().reference.page, "a leaf below it has another table's form")
        }
        return try spilledPlace(of: column, at: position, in: leaf, by: pager)
    }

    /// Checks that a spilled column's node fits its leaf. Each node has been checked only by
    /// itself.
    private func spilledPlace(
        of column: Int, at position: Int, in leaf: Node, by pager: Pager
    ) throws(StorageError) -> (node: Node, column: Int) {
        let reference = leaf.spillReference(position)
        // A reader of one property usually reads the next one too, and each spilled column is in a
        // page of its own.
        let next = position + 1
        if next < leaf.columnCount, leaf.isSpilled(next) {
            let page = leaf.spillReference(next).page
            pager.prefetch(page: page, offset: 0, byteCount: 2 * 64)
        }
        let node = try pager.node(reference)
        guard node.isSpill(of: columns[column].format, rows: leaf.rowCount) else {
            throw pager.damaged(reference.page, "it is not the column that its leaf expects")
        }
        return (node, 0)
    }

    /// Returns the row at a position in key order, or in the order of a collection. `position` must
    /// be in range.
    @inline(__always)
    static func location(
        _ pager: Pager, _ root: TreeRoot, at position: Int, format: TreeFormat = .cluster
    ) throws(StorageError) -> RowLocation {
        var node = try pager.root(of: root, format)
        var remaining = position
        while node.level > 0 {
            let row = childRow(node, position: &remaining)
            node = try pager.child(of: node, row, shape: format)
        }
        guard remaining >= 0, remaining < node.rowCount else {
            throw pager.countsDisagree(root.reference)
        }
        return RowLocation(leaf: node, row: remaining)
    }

    /// Returns the row of a branch whose child holds the position, and makes the position relative
    /// to that child.
    @inline(__always)
    static func childRow(_ node: Node, position: inout Int) -> Int {
        let last = node.rowCount - 1
        var row = 0
        while row < last {
            let count = node.childCount(row)
            if position < count { break }
            position &-= count
            row += 1
        }
        return row
    }

    /// Returns the number of objects before `key` in key order, or nil if the object does not
    /// exist.
    static func position(_ pager: Pager, _ root: TreeRoot, of key: ObjectKey) throws(StorageError)
        -> Int?
    {
        if root.reference.isNone { return nil }
        var node = try pager.root(of: root, ClusterShape())
        var position = 0
        while node.level > 0 {
            let child = childRow(node, key)
            for row in 0..<child { position += node.childCount(row) }
            node = try pager.child(of: node, child, shape: ClusterShape())
        }
        return node.row(of: key).map { position + $0 }
    }

    /// Visits leaves in key order, from the one that holds position `start` on, until `body`
    /// returns false.
    static func forEachLeaf(
        _ pager: Pager, _ root: TreeRoot, from start: Int = 0, as format: TreeFormat = .cluster,
        _ body: (_ leaf: Node, _ firstPosition: Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var cursor = try LeafCursor(pager, root, from: start, format: format)
        while try cursor.next() {
            if try !body(cursor.leaf, cursor.firstPosition) { return }
        }
    }
}
