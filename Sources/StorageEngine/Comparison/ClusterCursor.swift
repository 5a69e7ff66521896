/// Walks over the objects of a cluster tree in key order, and can leave out whole subtrees without
/// reading them.
struct ClusterCursor {
    /// What comes next.
    enum Head {
        /// Objects with this key and above, not entered yet.
        case subtree(PageReference, level: Int, lowerBound: Int64)
        case object(key: Int64)
        case end
    }

    private struct Step {
        var node: Node
        var row: Int
        /// No key below the row's child is less.
        var lowerBound: Int64
    }

    private let pager: Pager
    /// How many more objects there can be: in a file made to harm, where the same node may occur
    /// again and again, the walk ends when it has entered as many.
    private var remaining: Int
    /// The greatest key so far.
    private var lastKey = Int64.min
    private(set) var head: Head
    /// The branches above the head.
    private var path: [Step] = []
    /// Where the object is, while the head is one.
    private(set) var location: RowLocation?

    init(_ pager: Pager, _ root: TreeRoot) {
        self.pager = pager
        remaining = root.count
        head =
            root.reference.isNone
            ? .end : .subtree(root.reference, level: root.level, lowerBound: .min)
    }

    /// Enters the subtree.
    mutating func enter() throws {
        guard case .subtree(let reference, let level, let lowerBound) = head else {
            preconditionFailure("there is no subtree to enter")
        }
        let node = try pager.root(of: TreeRoot(reference: reference, level: level), ClusterShape())
        if level == 0 {
            remaining -= max(1, node.rowCount)
            guard remaining >= 0, node.rowCount > 0 else { throw pager.countsDisagree(reference) }
            let key = node.objectKey(0).rawValue
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

    /// Leaves out the subtree, or goes on behind the object.
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
