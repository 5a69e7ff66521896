/// The parts of a table that are younger than a version: the gaps between old nodes, those that
/// are not younger than the version.
///
/// An old node and everything below it are unchanged, and so are all objects between the first and
/// the last one below it. If no objects were deleted, this holds for the whole range of keys that
/// leads to the node, and the node need not be visited. A deletion may widen the key range of a
/// neighbouring node, which then covers keys of deleted objects.
struct ChangedParts {
    struct Part {
        /// A range of keys. All of its objects, now or at the old version, are in younger leaves.
        var keys: Range<Int64>
        /// The present leaves of these objects, in ``ChangedParts/leaves``.
        var leaves: Range<Int>
    }

    /// In ascending order of keys.
    private(set) var parts: [Part] = []
    private(set) var leaves: [Node] = []

    private let pager: Pager
    private let version: UInt64
    private let hasDeletions: Bool
    /// The number of rows in younger leaves that may still be added before testing all objects is
    /// better, and the number of nodes that may still be visited, of which a sound tree has no
    /// more.
    private var rowsLeft: Int
    private var nodesLeft: Int
    /// The end of the last old part, and the number of leaves before it.
    private var end = Int64.min
    private var leavesBefore = 0

    /// Nil if half of the table is younger.
    ///
    /// - Parameter hasDeletions: whether objects were deleted since the version.
    /// - Throws: `.damaged`.
    init?(of table: Table, since version: UInt64, hasDeletions: Bool) throws(StorageError) {
        pager = table.pager
        self.version = version
        self.hasDeletions = hasDeletions
        let tree = try table.root
        guard tree.level > 0 else { return nil }
        rowsLeft = tree.count / 2
        nodesLeft = 2 * tree.count
        let root = try pager.root(of: tree, ClusterShape())
        guard try visit(root, .min, upTo: .max) else { return nil }
        try close(at: .max)
    }

    /// Visits the nodes below a branch. Returns false if too much is younger.
    private mutating func visit(_ branch: Node, _ low: Int64, upTo high: Int64) throws(StorageError)
        -> Bool
    {
        let rows = branch.rowCount
        nodesLeft -= rows
        guard nodesLeft >= 0 else { return false }
        for row in 0..<rows {
            let low = row == 0 ? low : branch.integer(BranchColumn.key, row)
            let high = row + 1 < rows ? branch.integer(BranchColumn.key, row + 1) : high
            let isOld = branch.child(row).birth <= version
            if isOld, !hasDeletions {
                try keep(low, upTo: high)
                continue
            }
            let child = try pager.child(of: branch, row, shape: ClusterShape())
            if isOld {
                try keep(
                    edge(of: child) { _ in 0 },
                    upTo: edge(of: child) { $0.rowCount - 1 } &+ 1)
            } else if child.level > 0 {
                guard try visit(child, low, upTo: high) else { return false }
            } else {
                rowsLeft -= child.rowCount
                guard rowsLeft >= 0 else { return false }
                leaves.append(child)
            }
        }
        return true
    }

    /// The key of the object at one edge of the subtree of a node.
    private func edge(of node: Node, _ row: (Node) -> Int) throws(StorageError) -> Int64 {
        var node = node
        while node.level > 0 { node = try pager.child(of: node, row(node), shape: ClusterShape()) }
        return node.objectKey(row(node)).rawValue
    }

    /// Records that objects with these keys are unchanged.
    private mutating func keep(_ first: Int64, upTo end: Int64) throws(StorageError) {
        try close(at: first)
        guard first <= end else { throw unordered() }
        self.end = end
    }

    /// Ends the younger part that lies before a key, if there is one.
    private mutating func close(at key: Int64) throws(StorageError) {
        guard end <= key else { throw unordered() }
        if end < key || leavesBefore < leaves.count {
            parts.append(Part(keys: end..<key, leaves: leavesBefore..<leaves.count))
        }
        leavesBefore = leaves.count
    }

    private func unordered() -> StorageError {
        pager.damaged(0, "keys of objects are not in order")
    }
}
