/// Copy-on-write descents, splits and removals, which all trees share when they are changed.
///
/// Between two calls a writer keeps the path of the last descent, from the root (`steps[0]`) to a
/// leaf (`steps[depth - 1]`). Every node on it is a private copy of this transaction. Branches are
/// split on the way down before they can overflow, so that a change in a leaf never fails for lack
/// of room above it.
final class TreeWriter {
    /// One node on the path, and the row of it that the path takes.
    struct Step {
        var reference: PageReference
        var node: MutableNode
        var index: Int
    }

    /// Page numbers of 40 bits and at least 64 children per branch need no more than 7 levels.
    static let maximumDepth = 16

    let pager: Pager
    let steps: UnsafeMutablePointer<Step>
    @exclusivity(unchecked) private(set) var depth = 0
    /// The tree and the stamps that the path belongs to; see `hasPath(to:)`.
    @exclusivity(unchecked) private var pathTreeID: UInt32 = 0
    @exclusivity(unchecked) private var keptStamp: UInt64 = 0
    @exclusivity(unchecked) private var pathCopies: UInt64 = 0
    /// The row in which an object was last found; see `row(of:)`.
    @exclusivity(unchecked) private var lastRow = 0
    /// The row behind the last inserted entry with a unique key, where the next one often belongs.
    /// Only a hint.
    @exclusivity(unchecked) var rowBehindInsertion = 0
    /// The tree to which rows were last appended, the version of that transaction, and the tree's
    /// row count before; see `rowsAppended(to:)`.
    @exclusivity(unchecked) private var appendedTreeID: UInt32 = 0
    @exclusivity(unchecked) private var appendedVersion: UInt64 = 0
    @exclusivity(unchecked) private var rowsBeforeAppends = 0
    /// A stamp that changes whenever rows may have moved.
    let layoutStamp: UnsafeMutablePointer<UInt64>
    /// A stamp that changes whenever nodes are added, removed or moved, which invalidates paths. It
    /// changes less often than rows move. Writers of one tree share it.
    private let pathStamp: UnsafeMutablePointer<UInt64>

    /// Creates a writer. Without a stamp for paths, every move of rows invalidates the path.
    init(
        pager: Pager, layoutStamp: UnsafeMutablePointer<UInt64>,
        pathStamp: UnsafeMutablePointer<UInt64>? = nil
    ) {
        self.pager = pager
        self.layoutStamp = layoutStamp
        self.pathStamp = pathStamp ?? layoutStamp
        steps = .allocate(capacity: Self.maximumDepth)
    }

    deinit { steps.deallocate() }

    var leaf: MutableNode { steps[depth - 1].node }

    /// Records that nodes were added, removed or moved, and rows with them.
    @inline(__always)
    func rowsMoved() {
        layoutStamp.pointee &+= 1
        pathStamp.pointee &+= 1
    }

    /// Records that rows moved within their leaf. Paths still lead to it.
    @inline(__always)
    func rowsMovedInLeaf() { layoutStamp.pointee &+= 1 }

    // MARK: Descent

    /// Whether the path of the last descent is still valid: it is in this tree and transaction, no
    /// node has moved, and no private copy has been dropped since. Branches on it may have used up
    /// their headroom, so it must not be used for a split.
    @inline(__always)
    func hasPath(to treeID: UInt32) -> Bool {
        depth > 0 && pathTreeID == treeID && keptStamp == pathStamp.pointee
            && pathCopies == pager.copiesStamp
    }

    /// Whether the leaf at the end of the path is the last one of the tree.
    var isAtLastLeaf: Bool { isOnRightEdge(depth - 1) }

    /// Whether no node of the same level comes after the one at `position` of the path.
    func isOnRightEdge(_ position: Int) -> Bool {
        for level in 0..<position {
            let step = steps[level]
            if step.index != step.node.reading.rowCount - 1 { return false }
        }
        return true
    }

    /// Declares the path valid for `hasPath(to:)`. Called at the end of a change that preserved it.
    @inline(__always)
    func keepPath(to treeID: UInt32) {
        pathTreeID = treeID
        keptStamp = pathStamp.pointee
        pathCopies = pager.copiesStamp
    }

    func dropPath() {
        depth = 0
        pathTreeID = 0
    }

    /// Records that rows are about to be appended to a tree.
    func noteAppend(to treeID: UInt32, _ root: TreeRoot) {
        guard appendedTreeID != treeID || appendedVersion != pager.writeVersion else { return }
        appendedTreeID = treeID
        appendedVersion = pager.writeVersion
        rowsBeforeAppends = root.count
    }

    /// Returns the number of rows that this transaction appended to a tree. When appends to several
    /// trees are interleaved, only those since the last change of trees count. Deletions reduce the
    /// number.
    func rowsAppended(to treeID: UInt32, _ root: TreeRoot) -> Int {
        guard appendedTreeID == treeID, appendedVersion == pager.writeVersion else { return 0 }
        return root.count - rowsBeforeAppends
    }

    /// Returns the row of an object in the cluster leaf at the end of the path, or nil if it is not
    /// there. Several changes to one object often follow each other, so the row of the last call is
    /// tried first.
    @inline(__always)
    func row(of key: ObjectKey) -> Int? {
        let leaf = leaf.reading
        let column = leaf.keyColumn
        if column >= 0, lastRow < leaf.rowCount,
            leaf.integer(column, lastRow) == key.rawValue &- leaf.lowKey
        {
            return lastRow
        }
        guard let row = leaf.row(of: key) else { return nil }
        lastRow = row
        return row
    }

    /// Makes the path to a leaf writable and returns the leaf. `choose` picks the row in each
    /// branch.
    @inline(__always)
    func descend(
        _ root: inout TreeRoot, _ format: TreeFormat, choose: (Node) -> Int
    ) throws(StorageError) -> MutableNode {
        while true {
            if try tryDescend(&root, format, choose: choose) { return leaf }
        }
    }

    /// Makes the path writable to the leaf that holds a position, and returns the leaf and the row
    /// in it. The position after the last row is in the last leaf.
    func descend(
        _ root: inout TreeRoot, _ format: TreeFormat, to position: Int
    ) throws(StorageError) -> (leaf: MutableNode, row: Int) {
        while true {
            // Each attempt starts from the position again, because the descent makes it relative to
            // each child.
            var row = position
            let isThere = try tryDescend(&root, format) {
                ClusterTree.childRow($0, position: &row)
            }
            if isThere { return (leaf, row) }
        }
    }

    /// Attempts one descent. Returns false if a branch had to be split and the descent must start
    /// over.
    @inline(__always)
    private func tryDescend(
        _ root: inout TreeRoot, _ format: TreeFormat, choose: (Node) -> Int
    ) throws(StorageError) -> Bool {
        // First, so that a descent that throws leaves no path behind.
        dropPath()
        var (reference, node) = try enter(
            root.reference, level: root.level, rows: root.count, format: format)
        root.reference = reference
        while true {
            guard depth < Self.maximumDepth else {
                throw tooDeep(reference)
            }
            steps[depth] = Step(reference: reference, node: node, index: 0)
            depth += 1
            let view = node.reading
            if view.level == 0 { return true }
            // Checked before the child is entered, whose new reference already needs the headroom.
            guard hasHeadroom(node) else {
                try splitBranch(&root, format)
                return false
            }
            let index = choose(view)
            steps[depth - 1].index = index
            let child = view.child(index)
            let (childReference, childNode) = try enter(
                child, level: view.level - 1, rows: view.childCount(index), format: format)
            if childReference != child { try setChild(node, index, to: childReference) }
            reference = childReference
            node = childNode
        }
    }

    /// Returns a private copy of a node, or the node itself if it already is one.
    @inline(__always)
    func writable(_ reference: PageReference) throws(StorageError) -> (PageReference, MutableNode) {
        let copy = try pager.makeWritable(reference)
        guard PageHeader(copy.1).kind == .node else { throw pager.misplaced(reference) }
        if copy.0 != reference { rowsMoved() }
        return (copy.0, MutableNode(copy.1, byteCount: copy.byteCount))
    }

    /// Returns the private copy of a node that must be at this level of the tree and have `rows`
    /// rows below it. Counts written by this transaction add up. Counts from the file are checked
    /// when a node is copied, so that no count ever becomes negative.
    @inline(__always)
    func enter(
        _ reference: PageReference, level: Int, rows: Int, format: TreeFormat
    ) throws(StorageError) -> (PageReference, MutableNode) {
        let copy = try writable(reference)
        let view = copy.1.reading
        guard format.describes(view.header, level: level) else { throw pager.misplaced(reference) }
        if copy.0 != reference, view.rowsBelow != rows { throw pager.countsDisagree(reference) }
        return copy
    }

    /// Whether a branch has room for one more child and for wider columns for all children: the
    /// most that a change below it needs.
    func hasHeadroom(_ branch: MutableNode) -> Bool {
        branch.freeBytes
            >= branch.reading.rowCount * growth(branch) + 128 + widestSeparator(branch)
    }

    /// Returns the bytes by which the entry of each child may grow: birth from 0 to 4, page and
    /// count from 2 to 4 each, an object key from 4 to 8, and the integer first key of a map to 8.
    private func growth(_ branch: MutableNode) -> Int {
        let isOfIntegers =
            branch.columnCount > BranchColumn.secondKey
            && branch.reading.kind(BranchColumn.key) == .integer
        return 12 + (isOfIntegers ? 8 - branch.entry(BranchColumn.key).width / 8 : 0)
    }

    /// Returns room for a separator of bytes, which varies in length: assumes the longest.
    private func widestSeparator(_ branch: MutableNode) -> Int {
        branch.reading.columnCount > BranchColumn.key
            && branch.reading.kind(BranchColumn.key) == .bytes ? OrderedMap.maximumKeyBytes + 8 : 0
    }

    func setChild(_ branch: MutableNode, _ row: Int, to child: PageReference) throws(StorageError) {
        try require(branch.setInteger(BranchColumn.page, row, to: Int64(bitPattern: child.page)))
        try require(branch.setInteger(BranchColumn.birth, row, to: Int64(bitPattern: child.birth)))
    }

    /// Adds to the row counts of the whole path, including the root's.
    @inline(__always)
    func addToCounts(_ root: inout TreeRoot, _ difference: Int) throws(StorageError) {
        root.count += difference
        var level = depth - 2
        while level >= 0 {
            let step = steps[level]
            if !step.node.add(difference, to: BranchColumn.count, at: step.index) {
                let count = step.node.reading.integer(BranchColumn.count, step.index)
                try require(
                    step.node.setInteger(
                        BranchColumn.count, step.index, to: count + Int64(difference)))
            }
            level -= 1
        }
    }

    /// Throws unless `fits`. The descent ensured headroom, but a branch of a malicious file may
    /// need more, and going on without it would lose data.
    @inline(__always)
    func require(_ fits: Bool) throws(StorageError) {
        if !fits {
            throw pager.damaged(
                depth > 0 ? steps[0].reference.page : 0,
                "a branch of a tree is fuller than any this library writes")
        }
    }

    // MARK: Growth

    /// Makes an empty node of this transaction. Its layout starts like that of `model`.
    func makeNode(
        level: Int, treeID: UInt32, columns: [ColumnFormat], lowKey: Int64, pages: Int = 1,
        model: Node? = nil
    ) throws(StorageError) -> (PageReference, MutableNode) {
        let (reference, buffer) = try pager.allocate(pages: pages, kind: .node)
        let node = MutableNode.format(
            buffer, byteCount: pages * pager.pageSize, level: level, treeID: treeID,
            columns: columns, lowKey: lowKey, pageCount: pages, birth: reference.birth,
            model: model)
        return (reference, node)
    }

    /// Copies a private node to a new page number, for a split.
    func duplicate(_ node: MutableNode) throws(StorageError) -> (PageReference, MutableNode) {
        let pages = node.reading.pageCount
        let (reference, buffer) = try pager.allocate(pages: pages, kind: .node)
        buffer.copyMemory(from: node.base, byteCount: node.byteCount)
        let copy = MutableNode(buffer, byteCount: node.byteCount)
        copy.setBirth(reference.birth)
        return (reference, copy)
    }

    /// Moves a private node to a run of another length, which has room for its contents.
    func resize(_ node: MutableNode, _ reference: PageReference, to pages: Int) throws(StorageError)
        -> (PageReference, MutableNode)
    {
        let byteCount = pages * pager.pageSize
        let (moved, buffer) = try pager.reallocate(reference, pages: pages) { _, new in
            let fits = node.moveContents(to: MutableNode(new, byteCount: byteCount))
            precondition(fits, "a node does not fit its new pages")
        }
        return (moved, MutableNode(buffer, byteCount: byteCount))
    }

    /// Splits the branch at the end of the path in two. The path is invalid afterwards.
    private func splitBranch(_ root: inout TreeRoot, _ format: TreeFormat) throws(StorageError) {
        let node = steps[depth - 1].node
        let rows = node.reading.rowCount
        try require(rows >= 4)
        // On the right edge of the tree keys usually arrive in order, so the left node stays nearly
        // full.
        let cut = isOnRightEdge(depth - 1) ? rows - 2 : rows / 2
        let (reference, right) = try duplicate(node)
        right.removeRows(0..<cut)
        try insertSibling(
            &root, format, after: depth - 1, reference: reference, sibling: right,
            separator: .row(node.reading, cut))
        // Removed last, because the separator is a row of this node and `insertSibling` counts its
        // rows.
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

    /// Inserts `sibling` into the tree, to the right of the node at `position` of the path. The
    /// rows that move to it must still be in that node, because a new root first counts them there.
    func insertSibling(
        _ root: inout TreeRoot, _ format: TreeFormat, after position: Int,
        reference: PageReference, sibling: MutableNode, separator: Separator
    ) throws(StorageError) {
        let moved = sibling.reading.rowsBelow
        var parentPosition = position - 1
        if position == 0 {
            try growRoot(&root, format)
            parentPosition = 0
        }
        let parent = steps[parentPosition].node
        let row = steps[parentPosition].index + 1
        let left = parent.reading.integer(BranchColumn.count, row - 1)
        try require(parent.insertPlaceholderRow(at: row))
        try setChild(parent, row, to: reference)
        try require(parent.setInteger(BranchColumn.count, row, to: Int64(moved)))
        try require(parent.setInteger(BranchColumn.count, row - 1, to: left - Int64(moved)))
        try setSeparator(parent, row, format: format, to: separator)
        rowsMoved()
    }

    /// Adds a new root above the old one, which becomes its only child. `steps[0]` is the new root.
    func growRoot(_ root: inout TreeRoot, _ format: TreeFormat) throws(StorageError) {
        guard depth < Self.maximumDepth else { throw tooDeep(steps[0].reference) }
        let old = steps[0]
        let (reference, node) = try makeNode(
            level: root.level + 1, treeID: old.node.reading.treeID,
            columns: format.branchColumns, lowKey: 0)
        try require(node.insertPlaceholderRow(at: 0))
        try setChild(node, 0, to: old.reference)
        try require(node.setInteger(BranchColumn.count, 0, to: Int64(old.node.reading.rowsBelow)))
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

    func tooDeep(_ reference: PageReference) -> StorageError {
        pager.damaged(reference.page, "the tree is deeper than any this library writes")
    }

    func setSeparator(
        _ parent: MutableNode, _ row: Int, format: TreeFormat, to separator: Separator
    ) throws(StorageError) {
        switch (format, separator) {
        case (.collection, _), (_, .none):
            break
        case (_, .key(let key)):
            try require(parent.setInteger(BranchColumn.key, row, to: key.rawValue))
        case (.cluster, .row(let node, let source)):
            let key = node.integer(BranchColumn.key, source)
            try require(parent.setInteger(BranchColumn.key, row, to: key))
        case (.map(let firstKey, _), .row(let node, let source)):
            let column = node.level > 0 ? BranchColumn.key : 0
            if firstKey == .bytes {
                try node.withKey(column, source) { key throws(StorageError) in
                    try require(parent.setBytes(BranchColumn.key, row, to: key, isOverflow: false))
                }
            } else {
                let first = node.integer(column, source)
                try require(parent.setInteger(BranchColumn.key, row, to: first))
            }
            let second = node.integer(column + 1, source)
            try require(parent.setInteger(BranchColumn.secondKey, row, to: second))
        }
    }

    // MARK: Replacement and removal

    /// Makes the node at `position` of the path refer to another buffer and page.
    func replaceNode(
        _ root: inout TreeRoot, at position: Int, reference: PageReference, node: MutableNode
    ) throws(StorageError) {
        steps[position].reference = reference
        steps[position].node = node
        if position == 0 {
            root.reference = reference
        } else {
            try setChild(steps[position - 1].node, steps[position - 1].index, to: reference)
        }
        rowsMoved()
    }

    /// Removes the empty node at the end of the path, and every branch that this leaves empty.
    func removeLeaf(_ root: inout TreeRoot, _ format: TreeFormat) throws(StorageError) {
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
        try shorten(&root, format)
    }

    /// Replaces a root that has one child by that child, repeatedly.
    func shorten(_ root: inout TreeRoot, _ format: TreeFormat) throws(StorageError) {
        while !root.reference.isNone, root.level > 0 {
            let node = try pager.root(of: root, format)
            guard node.rowCount == 1 else { break }
            let child = node.child(0)
            try pager.free(root.reference)
            root.reference = child
            root.level -= 1
        }
    }
}
