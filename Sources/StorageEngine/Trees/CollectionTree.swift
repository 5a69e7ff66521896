/// A long list, set or map: rows addressed by position, in leaves of one column of values, or of
/// keys and values. Branches count rows and have no separators.
///
/// Sets and maps keep their rows in order. A search by order compares with the first row below a
/// branch's child instead of a separator, so that branches need no copies of keys of any length.
struct CollectionTree {
    /// The most rows of a leaf, which bounds what an insertion shifts where values are narrow.
    static let maximumRows = 4096

    /// Whether leaves have a column of keys, which is then the first one.
    let hasKeys: Bool
    let kind: ColumnKind
    let treeID: UInt32

    var valueColumn: Int { hasKeys ? 1 : 0 }
    var format: TreeFormat { .collection(hasKeys: hasKeys, kind) }

    // MARK: Reading

    /// Returns the leaf and row that hold a position, which must be in range.
    @inline(__always)
    func find(_ pager: Pager, _ root: TreeRoot, at index: Int) throws(StorageError) -> (Node, Int) {
        let location = try ClusterTree.location(pager, root, at: index, format: format)
        return (location.leaf, location.row)
    }

    /// Visits leaves in order, from the one that holds position `start` on, until `body` returns
    /// false.
    func forEachLeaf(
        _ pager: Pager, _ root: TreeRoot, from start: Int = 0,
        _ body: (_ leaf: Node, _ firstPosition: Int) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try ClusterTree.forEachLeaf(pager, root, from: start, as: format, body)
    }

    func firstIndex(
        _ pager: Pager, _ root: TreeRoot, where matches: (Node, Int) throws(StorageError) -> Bool
    ) throws(StorageError) -> Int? {
        try firstIndex(pager, root) { leaf throws(StorageError) in
            for row in 0..<leaf.rowCount where try matches(leaf, row) { return row }
            return nil
        }
    }

    func firstIndex(_ pager: Pager, _ root: TreeRoot, ofInteger value: Int64) throws(StorageError)
        -> Int?
    {
        let isValue = NumberRange(.equal, NumberEdges(value))
        return try firstIndex(pager, root) { leaf in
            // The kernels skip whole leaves without the value.
            guard PackedColumn(leaf, valueColumn).count(isValue) > 0 else { return nil }
            let row = leaf.indexOfInteger(valueColumn, value, from: 0)
            return row < 0 ? nil : row
        }
    }

    private func firstIndex(
        _ pager: Pager, _ root: TreeRoot, row: (Node) throws(StorageError) -> Int?
    ) throws(StorageError) -> Int? {
        var found: Int?
        try forEachLeaf(pager, root) { leaf, first throws(StorageError) in
            found = try row(leaf).map { first + $0 }
            return found == nil
        }
        return found
    }

    /// Returns the first position whose row is not before the sought one. The rows are in that
    /// order.
    func lowerBound(
        _ pager: Pager, _ root: TreeRoot, isBefore: (Node, Int) throws(StorageError) -> Bool
    ) throws(StorageError) -> Int {
        if root.reference.isNone { return 0 }
        let format = format
        var node = try pager.root(of: root, format)
        var position = 0
        while node.level > 0 {
            // Finds the last child that begins before the sought row, or the first child.
            var (low, high) = (0, node.rowCount - 1)
            while low < high {
                let middle = (low + high + 1) / 2
                let child = try pager.child(of: node, middle, shape: format)
                let first = try firstLeaf(pager, root, below: child)
                if try isBefore(first, 0) { low = middle } else { high = middle - 1 }
            }
            for row in 0..<low { position &+= node.childCount(row) }
            node = try pager.child(of: node, low, shape: format)
        }
        var (low, high) = (0, node.rowCount)
        while low < high {
            let middle = (low + high) / 2
            if try isBefore(node, middle) { low = middle + 1 } else { high = middle }
        }
        position &+= low
        guard position >= 0, position <= root.count else {
            throw pager.countsDisagree(root.reference)
        }
        return position
    }

    private func firstLeaf(_ pager: Pager, _ root: TreeRoot, below top: Node) throws(StorageError)
        -> Node
    {
        var node = top
        while node.level > 0 { node = try pager.child(of: node, 0, shape: format) }
        guard node.rowCount > 0 else {
            throw pager.damaged(root.reference.page, "a collection has an empty leaf")
        }
        return node
    }

    // MARK: Changing

    /// Inserts a row. `set` writes its values and returns false if the leaf has no room for them.
    func insert(
        _ writer: TreeWriter, _ root: inout TreeRoot, at index: Int,
        set: (MutableNode, Int) -> Bool
    ) throws(StorageError) {
        // Not to split the leaf: branches above it may have no room left.
        if let row = writer.knownRow(at: index, in: root, of: self),
            insert(into: writer.leaf, at: row, set)
        {
            return try writer.addToCounts(&root, 1)
        }
        if root.reference.isNone {
            root.reference = try makeLeaf(writer).0
        }
        let isAppend = index == root.count
        while true {
            let (leaf, row) = try writer.descend(&root, format, to: index)
            try check(leaf, row, below: leaf.rowCount + 1, by: writer, in: root)
            if insert(into: leaf, at: row, set) {
                try writer.addToCounts(&root, 1)
                return writer.keepPath(to: treeID)
            }
            if isAppend {
                let (reference, right) = try makeLeaf(writer)
                try writer.insertSibling(
                    &root, format, after: writer.depth - 1, reference: reference, sibling: right,
                    separator: .none)
            } else {
                try split(writer, &root)
            }
        }
    }

    /// Returns false, with nothing changed, if the leaf has no room.
    @inline(__always)
    private func insert(
        into leaf: MutableNode, at row: Int, _ set: (MutableNode, Int) -> Bool
    ) -> Bool {
        guard leaf.rowCount < Self.maximumRows, leaf.insertPlaceholderRow(at: row) else {
            return false
        }
        if set(leaf, row) { return true }
        leaf.removeRow(at: row)
        return false
    }

    func set(
        _ writer: TreeWriter, _ root: inout TreeRoot, at index: Int,
        set: (MutableNode, Int) -> Bool
    ) throws(StorageError) {
        while true {
            let (leaf, row) = try writer.descend(&root, format, to: index)
            try check(leaf, row, below: leaf.rowCount, by: writer, in: root)
            if set(leaf, row) { return writer.keepPath(to: treeID) }
            try split(writer, &root)
        }
    }

    func remove(_ writer: TreeWriter, _ root: inout TreeRoot, at index: Int) throws(StorageError) {
        try remove(writer, &root, at: index) { _, _ in }
    }

    /// Removes a row that `read` is called with before, so that reading and removing it take one
    /// descent. Where a leaf has to be split first, `read` is called again.
    @inline(__always)
    func remove(
        _ writer: TreeWriter, _ root: inout TreeRoot, at index: Int,
        read: (Node, Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Not to split the leaf: branches above it may have no room left.
        if let row = writer.knownRow(at: index, in: root, of: self), row < writer.leaf.rowCount {
            try read(writer.leaf.reading, row)
            if writer.leaf.prepareRemoval(ofRow: row) {
                return try removeRow(writer, &root, at: row)
            }
        }
        while true {
            let (leaf, row) = try writer.descend(&root, format, to: index)
            try check(leaf, row, below: leaf.rowCount, by: writer, in: root)
            try read(leaf.reading, row)
            if leaf.prepareRemoval(ofRow: row) { return try removeRow(writer, &root, at: row) }
            try split(writer, &root)
        }
    }

    /// Removes a row of the leaf at the end of the path, and the leaf if that was its last one.
    @inline(__always)
    private func removeRow(
        _ writer: TreeWriter, _ root: inout TreeRoot, at row: Int
    ) throws(StorageError) {
        writer.leaf.removeRow(at: row)
        try writer.addToCounts(&root, -1)
        if writer.leaf.rowCount == 0 { return try writer.removeLeaf(&root, format) }
        writer.keepPath(to: treeID)
    }

    /// Checks that the row to which the counts in branches led exists in the leaf.
    private func check(
        _ leaf: MutableNode, _ row: Int, below limit: Int, by writer: TreeWriter, in root: TreeRoot
    ) throws(StorageError) {
        guard row >= 0, row < limit else { throw writer.pager.countsDisagree(root.reference) }
    }

    private func makeLeaf(_ writer: TreeWriter) throws(StorageError) -> (PageReference, MutableNode)
    {
        try writer.makeNode(level: 0, treeID: treeID, columns: format.leafColumns, lowKey: 0)
    }

    private func split(_ writer: TreeWriter, _ root: inout TreeRoot) throws(StorageError) {
        let leaf = writer.leaf
        let rows = leaf.reading.rowCount
        guard rows > 1 else {
            throw writer.pager.damaged(root.reference.page, "a row fills more than a leaf")
        }
        let cut = rows / 2
        let (reference, right) = try writer.duplicate(leaf)
        right.removeRows(0..<cut)
        try writer.insertSibling(
            &root, format, after: writer.depth - 1, reference: reference, sibling: right,
            separator: .none)
        // Removed last, because `insertSibling` counts the leaf's rows with those that have moved.
        leaf.removeRows(cut..<rows)
    }
}

/// Walks all nodes of a tree, children before parents, to free them. In a malicious file a node may
/// occur twice. Freeing detects this; any other use of this function would have to detect it
/// itself.
func forEachNode(
    _ pager: Pager, _ root: TreeRoot, format: TreeFormat,
    _ body: (PageReference, Node) throws(StorageError) -> Void
) throws(StorageError) {
    if root.reference.isNone { return }
    try forEachNode(
        pager, root.reference, node: try pager.root(of: root, format), format: format, body)
}

private func forEachNode(
    _ pager: Pager, _ reference: PageReference, node: Node, format: TreeFormat,
    _ body: (PageReference, Node) throws(StorageError) -> Void
) throws(StorageError) {
    if node.level > 0 {
        for row in 0..<node.rowCount {
            let child = try pager.child(of: node, row, shape: format)
            try forEachNode(pager, node.child(row), node: child, format: format, body)
        }
    }
    try body(reference, node)
}
