/// Builds a tree from left to right. Leaves come whole and in order, and each branch is filled
/// until it has just the headroom that a later change needs.
///
/// Open branches are in memory of their own, so that transactions may end between two leaves.
/// Nothing that was built is reachable before the root that ``finish()`` returns is.
final class TreeBuilder {
    private let writer: TreeWriter
    private let treeID: UInt32
    private let format: TreeFormat
    /// The open branch above each level, from the lowest level up.
    private var branches: [MutableNode] = []
    private var count = 0

    init(_ writer: TreeWriter, treeID: UInt32, format: TreeFormat) {
        self.writer = writer
        self.treeID = treeID
        self.format = format
    }

    deinit {
        for branch in branches { branch.base.deallocate() }
    }

    /// Appends a leaf. `leaf` is its content.
    func append(_ reference: PageReference, _ leaf: Node) throws(StorageError) {
        count += leaf.rowCount
        let separator: TreeWriter.Separator =
            switch format {
            case .collection: .none
            case .cluster: .key(leaf.objectKey(0))
            case .map: .row(leaf, 0)
            }
        try append(reference, rows: leaf.rowCount, separator: separator, above: 0)
    }

    /// Completes the tree and returns its root.
    func finish() throws(StorageError) -> TreeRoot {
        var level = 0
        while level < branches.count {
            let branch = branches[level].reading
            if branch.rowCount == 1, level == branches.count - 1 {
                return TreeRoot(reference: branch.child(0), level: level, count: count)
            }
            try close(level)
            level += 1
        }
        return .empty
    }

    private func append(
        _ child: PageReference, rows: Int, separator: TreeWriter.Separator, above level: Int
    ) throws(StorageError) {
        // In a malicious file a separator may be so long that it fills a branch, which bounds the
        // depth here.
        guard level < TreeWriter.maximumDepth - 1 else { throw writer.tooDeep(child) }
        if level == branches.count { branches.append(makeBranch(above: level)) }
        if !writer.hasHeadroom(branches[level]) { try close(level) }
        let branch = branches[level]
        let row = branch.rowCount
        try writer.require(branch.insertPlaceholderRow(at: row))
        try writer.setChild(branch, row, to: child)
        try writer.require(branch.setInteger(BranchColumn.count, row, to: Int64(rows)))
        try writer.setSeparator(branch, row, format: format, to: separator)
    }

    /// Adds an open branch to the transaction and to the branch above it, and begins the next one.
    private func close(_ level: Int) throws(StorageError) {
        let branch = branches[level]
        let reference = try writer.pager.adopt(branch)
        try append(
            reference, rows: branch.reading.rowsBelow, separator: .row(branch.reading, 0),
            above: level + 1)
        clear(branch.base, above: level)
    }

    private func makeBranch(above level: Int) -> MutableNode {
        let base = UnsafeMutableRawPointer.allocate(
            byteCount: writer.pager.pageSize, alignment: 16)
        return clear(base, above: level)
    }

    @discardableResult
    private func clear(_ base: UnsafeMutableRawPointer, above level: Int) -> MutableNode {
        MutableNode.format(
            base, byteCount: writer.pager.pageSize, level: level + 1, treeID: treeID,
            columns: format.branchColumns, lowKey: 0)
    }
}
