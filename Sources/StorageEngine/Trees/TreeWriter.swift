/// Copy-on-write descent, splits and removals: what all trees share when they are changed.
///
/// One per connection. Between two calls it keeps the path of the last descent, from the root
/// (`steps[0]`) to a leaf (`steps[depth - 1]`): every node on it is a private copy of this
/// transaction. Branches are split on the way down before they could overflow, so that a change in
/// a leaf never fails for want of room above it.
final class TreeWriter {
    /// One node on the path, and which of its rows the path takes.
    struct Step {
        var reference: PageReference
        var node: MutableNode
        var index: Int
    }

    /// 40-bit page numbers and at least 64 children a branch need no more than 7 levels.
    static let maximumDepth = 16

    let pager: Pager
    let steps: UnsafeMutablePointer<Step>
    @exclusivity(unchecked) private(set) var depth = 0
    /// The tree and layout stamp that the path belongs to; see `hasPath(to:)`.
    @exclusivity(unchecked) private var pathTreeID: UInt32 = 0
    @exclusivity(unchecked) private var pathStamp: UInt64 = 0
    /// Called whenever rows may have moved.
    let layoutStamp: UnsafeMutablePointer<UInt64>

    init(pager: Pager, layoutStamp: UnsafeMutablePointer<UInt64>) {
        self.pager = pager
        self.layoutStamp = layoutStamp
        steps = .allocate(capacity: Self.maximumDepth)
    }

    deinit { steps.deallocate() }

    var leaf: MutableNode { steps[depth - 1].node }

    @inline(__always)
    func rowsMoved() { layoutStamp.pointee &+= 1 }

    // MARK: Descent

    /// Whether the path of the last descent still stands: it was in this tree, and no row has moved
    /// since. Branches on it may have used up their headroom, so it must not be used to split.
    @inline(__always)
    func hasPath(to treeID: UInt32) -> Bool {
        depth > 0 && pathTreeID == treeID && pathStamp == layoutStamp.pointee
    }

    /// Declares the path valid for `hasPath(to:)`; called at the end of a change that left it in
    /// place.
    @inline(__always)
    func keepPath(to treeID: UInt32) {
        pathTreeID = treeID
        pathStamp = layoutStamp.pointee
    }

    func dropPath() {
        depth = 0
        pathTreeID = 0
    }

    /// Makes the path to a leaf writable. `choose` picks the row of each branch.
    @inline(__always)
    func descend(
        _ root: inout TreeRoot, _ format: TreeFormat, choose: (Node) -> Int
    ) throws -> MutableNode {
        while true {
            if try tryDescend(&root, format, choose: choose) { return leaf }
        }
    }

    /// Makes the path writable to the leaf that holds the row at a position among all rows, and
    /// returns the leaf and the row in it. The position behind the last row is in the last leaf.
    func descend(
        _ root: inout TreeRoot, _ format: TreeFormat, to position: Int
    ) throws -> (leaf: MutableNode, row: Int) {
        while true {
            // Anew for each attempt: what comes before each child is taken off on the way down.
            var row = position
            let isThere = try tryDescend(&root, format) {
                ClusterTree.childRow($0, position: &row)
            }
            if isThere { return (leaf, row) }
        }
    }

    /// False if a branch had to be split: the path is to be walked again.
    @inline(__always)
    private func tryDescend(
        _ root: inout TreeRoot, _ format: TreeFormat, choose: (Node) -> Int
    ) throws -> Bool {
        dropPath()
        var (reference, node) = try writable(root.reference)
        root.reference = reference
        while true {
            guard depth < Self.maximumDepth else {
                throw pager.damaged(
                    reference.page, "the tree is deeper than any this library writes")
            }
            steps[depth] = Step(reference: reference, node: node, index: 0)
            depth += 1
            let view = node.reading
            if view.level == 0 { return true }
            guard hasHeadroom(node) else {
                try splitBranch(&root, format)
                return false
            }
            let index = choose(view)
            steps[depth - 1].index = index
            let child = view.child(index)
            _ = try pager.child(of: view, index)
            let (childReference, childNode) = try writable(child)
            if childReference != child { setChild(node, index, childReference) }
            reference = childReference
            node = childNode
        }
    }

    /// A private copy of a node; itself if it is one already.
    @inline(__always)
    func writable(_ reference: PageReference) throws -> (PageReference, MutableNode) {
        let copy = try pager.makeWritable(reference)
        if copy.0 != reference { rowsMoved() }
        return (copy.0, MutableNode(copy.1, byteCount: copy.byteCount))
    }

    /// Room for one more child and for the columns of all children to grow in width: what a change
    /// below may need. 12 bytes a child: birth 0 to 4, separator 4 to 8, page and count 2 to 4
    /// each.
    private func hasHeadroom(_ branch: MutableNode) -> Bool {
        branch.freeBytes >= branch.reading.rowCount * 12 + 128 + widestSeparator(branch)
    }

    /// Separators of maps with bytes as keys vary in length; assume the longest.
    private func widestSeparator(_ branch: MutableNode) -> Int {
        branch.reading.columnCount > BranchColumn.key
            && branch.reading.kind(BranchColumn.key) == .bytes ? OrderedMap.maximumKeyBytes + 8 : 0
    }

    func setChild(_ branch: MutableNode, _ row: Int, _ child: PageReference) {
        require(branch.setInteger(BranchColumn.page, row, Int64(bitPattern: child.page)))
        require(branch.setInteger(BranchColumn.birth, row, Int64(bitPattern: child.birth)))
    }

    /// Adds to the row counts of the whole path, the root's included.
    @inline(__always)
    func addToCounts(_ root: inout TreeRoot, _ difference: Int) {
        root.count += difference
        var level = depth - 2
        while level >= 0 {
            let step = steps[level]
            let count = step.node.reading.integer(BranchColumn.count, step.index)
            require(
                step.node.setInteger(BranchColumn.count, step.index, count + Int64(difference)))
            level -= 1
        }
    }

    /// Headroom was ensured on the way down; if it is missing all the same, going on would lose
    /// data.
    @inline(__always)
    func require(_ fits: Bool) {
        precondition(fits, "a branch node has no room for a change that its headroom covers")
    }

    // MARK: Growth

    /// A new, empty node of this transaction. Its layout starts like that of `model`.
    func makeNode(
        level: Int, treeID: UInt32, columns: [ColumnFormat], lowKey: Int64, pages: Int = 1,
        model: Node? = nil
    ) throws -> (PageReference, MutableNode) {
        let (reference, buffer) = try pager.allocate(pages: pages, kind: .node)
        let node = MutableNode.format(
            buffer, byteCount: pages * pager.pageSize, level: level, treeID: treeID,
            columns: columns, lowKey: lowKey, pageCount: pages, birth: reference.birth,
            model: model)
        return (reference, node)
    }

    /// A copy of a dirty node under a new page number, for splitting.
    func duplicate(_ node: MutableNode) throws -> (PageReference, MutableNode) {
        let pages = node.reading.pageCount
        let (reference, buffer) = try pager.allocate(pages: pages, kind: .node)
        buffer.copyMemory(from: node.base, byteCount: node.byteCount)
        let copy = MutableNode(buffer, byteCount: node.byteCount)
        copy.setBirth(reference.birth)
        return (reference, copy)
    }

    /// Splits the branch at the end of the path in two; the path is void afterwards.
    private func splitBranch(_ root: inout TreeRoot, _ format: TreeFormat) throws {
        let node = steps[depth - 1].node
        let rows = node.reading.rowCount
        precondition(rows >= 4, "a branch with \(rows) children is full")
        // On the right edge of the tree keys arrive in order: leave the left node nearly full.
        let isRightEdge = (0..<depth - 1).allSatisfy {
            steps[$0].index == steps[$0].node.reading.rowCount - 1
        }
        let cut = isRightEdge ? rows - 2 : rows / 2
        let (reference, right) = try duplicate(node)
        right.removeRows(0..<cut)
        try insertSibling(
            &root, format, after: depth - 1, reference, right, separator: .row(node.reading, cut))
        node.removeRows(cut..<rows)
    }

    /// What separates a new sibling from its left neighbour.
    enum Separator {
        case none
        /// Cluster trees: the lowest object key on the right.
        case key(ObjectKey)
        /// The keys of a row of a branch (any tree) or of a map's leaf.
        case row(Node, Int)
    }

    /// Enters `sibling` into the tree right of the node at `position` of the path.
    func insertSibling(
        _ root: inout TreeRoot, _ format: TreeFormat, after position: Int,
        _ reference: PageReference, _ sibling: MutableNode, separator: Separator
    ) throws {
        let moved = sibling.reading.rowsBelow
        var parentPosition = position - 1
        if position == 0 {
            try growRoot(&root, format)
            parentPosition = 0
        }
        let parent = steps[parentPosition].node
        let row = steps[parentPosition].index + 1
        let left = parent.reading.integer(BranchColumn.count, row - 1)
        require(parent.insertPlaceholderRow(at: row))
        setChild(parent, row, reference)
        require(parent.setInteger(BranchColumn.count, row, Int64(moved)))
        require(parent.setInteger(BranchColumn.count, row - 1, left - Int64(moved)))
        setSeparator(parent, row, format, separator)
        rowsMoved()
    }

    /// Puts a new root above the old one, which becomes its only child; `steps[0]` is the new root.
    func growRoot(_ root: inout TreeRoot, _ format: TreeFormat) throws {
        precondition(depth < Self.maximumDepth)
        let old = steps[0]
        let (reference, node) = try makeNode(
            level: root.level + 1, treeID: old.node.reading.treeID,
            columns: format.branchColumns, lowKey: 0)
        require(node.insertPlaceholderRow(at: 0))
        setChild(node, 0, old.reference)
        require(node.setInteger(BranchColumn.count, 0, Int64(old.node.reading.rowsBelow)))
        var position = depth
        while position > 0 {
            steps[position] = steps[position - 1]
            position -= 1
        }
        steps[0] = Step(reference: reference, node: node, index: 0)
        depth += 1
        root.reference = reference
        root.level += 1
    }

    private func setSeparator(
        _ parent: MutableNode, _ row: Int, _ format: TreeFormat, _ separator: Separator
    ) {
        switch (format, separator) {
        case (.collection, _), (_, .none):
            break
        case (_, .key(let key)):
            require(parent.setInteger(BranchColumn.key, row, key.rawValue))
        case (.cluster, .row(let node, let source)):
            let key = node.integer(BranchColumn.key, source)
            require(parent.setInteger(BranchColumn.key, row, key))
        case (.map(let firstKey, _), .row(let node, let source)):
            let column = node.level > 0 ? BranchColumn.key : 0
            if firstKey == .bytes {
                let bytes = node.bytes(column, source)
                require(parent.setBytes(BranchColumn.key, row, bytes, isOverflow: false))
            } else {
                require(parent.setInteger(BranchColumn.key, row, node.integer(column, source)))
            }
            let second = node.integer(column + 1, source)
            require(parent.setInteger(BranchColumn.secondKey, row, second))
        }
    }

    // MARK: Replacement and removal

    /// The node at `position` of the path lives in another buffer and under another number from now
    /// on.
    func replaceNode(
        _ root: inout TreeRoot, at position: Int, _ reference: PageReference, _ node: MutableNode
    ) {
        steps[position].reference = reference
        steps[position].node = node
        if position == 0 {
            root.reference = reference
        } else {
            setChild(steps[position - 1].node, steps[position - 1].index, reference)
        }
        rowsMoved()
    }

    /// Removes the (empty) node at the end of the path, and every branch that this leaves empty. A
    /// root with one child is replaced by it.
    func removeLeaf(_ root: inout TreeRoot) throws {
        var position = depth - 1
        while true {
            try pager.free(steps[position].reference)
            if position == 0 {
                root.reference = .none
                root.level = 0
                break
            }
            position -= 1
            let parent = steps[position].node
            parent.removeRow(at: steps[position].index)
            if parent.reading.rowCount > 0 { break }
        }
        dropPath()
        rowsMoved()
        while !root.reference.isNone, root.level > 0 {
            let node = try pager.node(root.reference)
            guard node.rowCount == 1 else { break }
            let child = node.child(0)
            try pager.free(root.reference)
            root.reference = child
            root.level -= 1
        }
    }
}

extension Node {
    /// Column id of a cluster leaf's keys, present once the keys have gaps.
    static var keyColumnID: UInt16 { 0xFFFF }

    /// Position of the key column of a cluster leaf, always the last one; -1 while keys are dense.
    @inline(__always)
    var keyColumn: Int {
        let last = columnCount - 1
        return last >= 0 && entry(last).id == Self.keyColumnID ? last : -1
    }

    /// The object key of a row of a cluster leaf.
    func objectKey(_ row: Int) -> ObjectKey {
        let column = keyColumn
        let relative = column < 0 ? Int64(row) : integer(column, row)
        return ObjectKey(rawValue: lowKey + relative)
    }

    /// The row of an object in a cluster leaf; nil if it is not there.
    @inline(__always)
    func row(of key: ObjectKey) -> Int? {
        let relative = key.rawValue &- lowKey
        let column = keyColumn
        if column < 0 { return relative >= 0 && relative < rowCount ? Int(relative) : nil }
        let row = lowerBound(column, relative, in: 0..<rowCount)
        return row < rowCount && integer(column, row) == relative ? row : nil
    }
}
