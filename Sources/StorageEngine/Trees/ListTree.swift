/// A long list: values by position, in leaves of one column. Branches count rows and have no
/// separators.
struct ListTree {
    /// Narrow values end a leaf here, so that one insertion never shifts more.
    static let maximumRows = 4096

    let kind: ColumnKind
    let treeID: UInt32

    var format: TreeFormat { .list(kind) }

    // MARK: Reading

    /// The leaf and row that hold a position, which must be in range.
    @inline(__always)
    func find(_ pager: Pager, _ root: TreeRoot, _ index: Int) throws -> (Node, Int) {
        let location = try ClusterTree.location(pager, root, at: index)
        return (location.leaf, location.row)
    }

    func firstIndex(
        _ pager: Pager, _ root: TreeRoot, from start: Int = 0, where matches: (Node, Int) -> Bool
    ) throws -> Int? {
        var found: Int?
        try ClusterTree.forEachLeaf(pager, root, from: start) { leaf, first in
            for row in max(0, start - first)..<leaf.rowCount where matches(leaf, row) {
                found = first + row
                return false
            }
            return true
        }
        return found
    }

    func firstIndex(_ pager: Pager, _ root: TreeRoot, ofInteger value: Int64, from start: Int)
        throws -> Int?
    {
        var found: Int?
        try ClusterTree.forEachLeaf(pager, root, from: start) { leaf, first in
            if let bounds = leaf.integerBounds(0), !bounds.contains(value) { return true }
            let row = leaf.indexOfInteger(0, value, from: max(0, start - first))
            guard row >= 0, !leaf.isNull(0, row) else { return true }
            found = first + row
            return false
        }
        return found
    }

    // MARK: Changing

    /// `set` writes the element into its row; false if the leaf has no room for it.
    func insert(
        _ writer: TreeWriter, _ root: inout TreeRoot, at index: Int,
        set: (MutableNode, Int) -> Bool
    ) throws {
        if root.reference.isNone {
            root.reference = try makeLeaf(writer).0
        }
        let isAppend = index == root.count
        while true {
            var remaining = index
            let leaf = try writer.descend(&root, format) {
                isAppend ? last($0, &remaining) : child($0, &remaining)
            }
            let row = remaining
            if leaf.reading.rowCount < Self.maximumRows, leaf.insertPlaceholderRow(at: row) {
                if set(leaf, row) {
                    writer.addToCounts(&root, 1)
                    return
                }
                leaf.removeRow(at: row)
            }
            if isAppend {
                let (reference, right) = try makeLeaf(writer)
                try writer.insertSibling(
                    &root, format, after: writer.depth - 1, reference, right, separator: .none)
            } else {
                try split(writer, &root)
            }
        }
    }

    func set(
        _ writer: TreeWriter, _ root: inout TreeRoot, at index: Int,
        set: (MutableNode, Int) -> Bool
    ) throws {
        while true {
            var remaining = index
            let leaf = try writer.descend(&root, format) { child($0, &remaining) }
            if set(leaf, remaining) { return }
            try split(writer, &root)
        }
    }

    func remove(_ writer: TreeWriter, _ root: inout TreeRoot, at index: Int) throws {
        var remaining = index
        let leaf = try writer.descend(&root, format) { child($0, &remaining) }
        leaf.removeRow(at: remaining)
        writer.addToCounts(&root, -1)
        if leaf.reading.rowCount == 0 { try writer.removeLeaf(&root) }
    }

    private func child(_ node: Node, _ remaining: inout Int) -> Int {
        ClusterTree.childRow(node, position: &remaining)
    }

    /// The last child, for appending: `remaining` becomes the end of it.
    private func last(_ node: Node, _ remaining: inout Int) -> Int {
        let last = node.rowCount - 1
        for row in 0..<last { remaining -= node.childCount(row) }
        return last
    }

    private func makeLeaf(_ writer: TreeWriter) throws -> (PageReference, MutableNode) {
        try writer.makeNode(level: 0, treeID: treeID, columns: format.leafColumns, lowKey: 0)
    }

    private func split(_ writer: TreeWriter, _ root: inout TreeRoot) throws {
        let leaf = writer.leaf
        let rows = leaf.reading.rowCount
        precondition(rows > 1, "one list element does not fit a leaf")
        let cut = rows / 2
        let (reference, right) = try writer.duplicate(leaf)
        right.removeRows(0..<cut)
        try writer.insertSibling(
            &root, format, after: writer.depth - 1, reference, right, separator: .none)
        leaf.removeRows(cut..<rows)
    }
}

/// Walks all nodes of a tree, children before parents.
func forEachNode(
    _ pager: Pager, _ reference: PageReference, _ body: (PageReference, Node) throws -> Void
) throws {
    if reference.isNone { return }
    try forEachNode(pager, reference, try pager.node(reference), body)
}

private func forEachNode(
    _ pager: Pager, _ reference: PageReference, _ node: Node,
    _ body: (PageReference, Node) throws -> Void
) throws {
    if node.level > 0 {
        for row in 0..<node.rowCount {
            try forEachNode(pager, node.child(row), try pager.child(of: node, row), body)
        }
    }
    try body(reference, node)
}
