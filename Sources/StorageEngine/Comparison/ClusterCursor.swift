/// A cursor over the objects of a cluster tree in key order. It can skip whole subtrees without
/// reading them.
struct ClusterCursor {
    /// The next item.
    enum Head {
        /// A subtree that was not entered yet. Its keys are not less than `lowerBound`.
        case subtree(PageReference, level: Int, lowerBound: Int64)
        case object(key: Int64)
        case end
    }

    private struct Step {
        var node: Node
        var row: Int
        /// A lower bound on the keys below the row's child.
        var lowerBound: Int64
    }

    private let pager: Pager
    /// The number of objects that may still follow. In a malicious file the same node may occur
    /// again and again; this ends the walk.
    private var remaining: Int
    /// The key of the last object that was passed.
    private var lastKey = Int64.min
    private(set) var head: Head
    /// The branches from the root to the head.
    private var path: [Step] = []
    /// The place of the object while the head is an object.
    private(set) var location: RowLocation?

    init(_ pager: Pager, _ root: TreeRoot) {
        self.pager = pager
        remaining = root.count
        head =
            root.reference.isNone
            ? .end : .subtree(root.reference, level: root.level, lowerBound: .min)
    }

    /// Enters the subtree at the head.
    mutating func enter() throws(StorageError) {
        guard case .subtree(let reference, let level, let lowerBound) = head else {
            preconditionFailure("there is no subtree to enter")
        }
        let node = try pager.root(of: TreeRoot(reference: reference, level: level), ClusterShape())
        if level == 0 {
            remaining -= max(1, node.rowCount)
            guard remaining >= 0, node.rowCount > 0 else { throw pager.countsDisagree(reference) }
            let key = node.objectKey(0).rawValue
            // `lastKey` is the last key of the previous leaf. Within a leaf, the check of the
            // node's structure has ensured that keys ascend.
            guard key > lastKey else {
                throw pager.damaged(reference.page, "object keys do not ascend")
            }
            location = RowLocation(leaf: node, row: 0)
            head = .object(key: key)
        } else {
            path.append(Step(node: node, row: 0, lowerBound: lowerBound))
            headIsChild()
        }
    }

    /// Skips the subtree or the object at the head.
    mutating func skip() {
        if case .object(let key) = head { lastKey = key }
        if let (leaf, row) = location.map({ ($0.leaf, $0.row + 1) }), row < leaf.rowCount {
            location!.row = row
            head = .object(key: leaf.objectKey(row).rawValue)
            return
        }
        location = nil
        while let last = path.last {
            let row = last.row + 1
            if row < last.node.rowCount {
                path[path.count - 1].row = row
                path[path.count - 1].lowerBound = last.node.integer(BranchColumn.key, row)
                return headIsChild()
            }
            path.removeLast()
        }
        head = .end
    }

    private mutating func headIsChild() {
        let step = path[path.count - 1]
        head = .subtree(
            step.node.child(step.row), level: step.node.level - 1, lowerBound: step.lowerBound)
    }
}
