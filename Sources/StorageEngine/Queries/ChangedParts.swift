/// The parts of a table that are younger than a version: what lies between nodes that are not.
///
/// An old node and all below it are what they were, and all objects between the first and the last
/// below it are the same ones. Where no object was deleted this holds for the whole range of keys
/// that leads to the node, so that it need not be visited. A deletion may widen the range of a
/// neighbour, which then covers keys of objects that are gone.
struct ChangedParts {
    struct Part {
        /// All objects of this range were, or are, in younger leaves.
        var keys: Range<Int64>
        /// Those that are there now, in ``ChangedParts/leaves``.
        var leaves: Range<Int>
    }

    /// Their keys ascend.
    private(set) var parts: [Part] = []
    private(set) var leaves: [Node] = []

    private let pager: Pager
    private let version: UInt64
    private let hasDeletions: Bool
    /// Rows of younger leaves from which on all are to be asked, and nodes that no sound tree has.
    private var rowsLeft: Int
    private var nodesLeft: Int
    /// The end of the old part that came last, and the number of leaves before it.
    private var end = Int64.min
    private var leavesBefore = 0

    /// Nil if half of the table is younger.
    ///
    /// - Parameter hasDeletions: whether objects were deleted since the version.
    /// - Throws: `.damaged`.
    init?(of table: Table, since version: UInt64, hasDeletions: Bool) throws {
        pager = table.pager
        self.version = version
        self.hasDeletions = hasDeletions
        let tree = try table.root
        guard tree.level > 0 else { return nil }
        rowsLeft = tree.count / 2
        nodesLeft = 2 * tree.count
        let root = try pager.root(of: tree, ClusterShape())
        guard try visit(root, .min, .max) else { return nil }
        try close(at: .max)
    }

    /// False if too much is younger.
    private mutating func visit(_ branch: Node, _ low: Int64, _ high: Int64) throws -> Bool {
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
            let child = try pager.child(of: branch, row, ClusterShape())
            if isOld {
                try keep(
                    edge(of: child) { _ in 0 },
                    upTo: edge(of: child) { $0.rowCount - 1 } &+ 1)
            } else if child.level > 0 {
                guard try visit(child, low, high) else { return false }
            } else {
                rowsLeft -= child.rowCount
                guard rowsLeft >= 0 else { return false }
                leaves.append(child)
            }
        }
        return true
    }

    /// The key of an object at the edge of what is below a node.
    private func edge(of node: Node, _ row: (Node) -> Int) throws -> Int64 {
        var node = node
        while node.level > 0 { node = try pager.child(of: node, row(node), ClusterShape()) }
        return node.objectKey(row(node)).rawValue
    }

    /// Objects of these keys are what they were.
    private mutating func keep(_ first: Int64, upTo end: Int64) throws {
        try close(at: first)
        guard first <= end else { throw unordered() }
        self.end = end
    }

    /// Ends the younger part that lies before a key, if there is one.
    private mutating func close(at key: Int64) throws {
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
