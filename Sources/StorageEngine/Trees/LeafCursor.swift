/// A cursor over the leaves of a tree in their order. Allocates memory once, for the path to the
/// leaf.
///
/// Nothing may be written while the cursor is in use.
struct LeafCursor: ~Copyable {
    /// A branch on the way to the leaf, and the row of it that comes next.
    private struct Step {
        var branch: Node
        var next: Int
    }

    private let pager: Pager
    private let format: TreeFormat
    private let root: PageReference
    private let start: Int
    private let steps: UnsafeMutablePointer<Step>?
    private var depth = 0
    /// The current leaf. Before the walk has begun, the root if that is a leaf.
    private var current: Node?
    private var hasBegun = false
    /// The position of the current leaf's first row among all rows.
    private(set) var firstPosition = 0
    /// The number of rows behind the current leaf, according to the tree's root. In a malicious
    /// file the same node may occur repeatedly; the walk ends once it has seen as many rows as the
    /// root counts.
    private(set) var remaining: Int

    /// Creates a cursor before the leaf that holds the row at position `start`.
    init(
        _ pager: Pager, _ root: TreeRoot, from start: Int = 0, format: TreeFormat = .cluster
    ) throws(StorageError) {
        self.pager = pager
        self.format = format
        self.start = start
        self.root = root.reference
        remaining = root.count
        guard !root.reference.isNone else {
            steps = nil
            return
        }
        let node = try pager.root(of: root, format)
        if node.level == 0 {
            guard node.rowCount == remaining else { throw pager.countsDisagree(root.reference) }
            current = node
            steps = nil
        } else {
            // Children are one level below their parents, so the path has at most this many
            // branches.
            let steps = UnsafeMutablePointer<Step>.allocate(capacity: node.level)
            steps[0] = Step(branch: node, next: 0)
            self.steps = steps
            depth = 1
        }
    }

    /// Creates a cursor at a single leaf of a cluster tree, with no leaf behind it.
    init(_ pager: Pager, at leaf: Node) {
        self.pager = pager
        format = .cluster
        start = 0
        root = .none
        remaining = 0
        steps = nil
        current = leaf
        hasBegun = true
    }

    deinit { steps?.deallocate() }

    /// The current leaf. Valid after ``next()`` has returned true.
    @inline(__always)
    var leaf: Node { current.unsafelyUnwrapped }

    /// Returns the page of the leaf `distance` steps ahead, or nil if it has another parent.
    @inline(__always)
    func upcomingPage(_ distance: Int) -> UInt64? {
        guard let steps, depth > 0 else { return nil }
        let step = steps[depth &- 1]
        let row = step.next &+ distance &- 1
        guard row < step.branch.rowCount else { return nil }
        return UInt64(bitPattern: step.branch.integer(BranchColumn.page, row))
    }

    /// Whether the current leaf is the first one of its branch.
    var isAtFirstOfBranch: Bool {
        guard let steps, depth > 0 else { return false }
        return steps[depth &- 1].next == 1
    }

    /// The leaves of the same branch that come after the current one.
    var leavesBehind: [PageReference] {
        guard let steps, depth > 0 else { return [] }
        let step = steps[depth &- 1]
        return (step.next..<step.branch.rowCount).map { step.branch.child($0) }
    }

    /// Advances to the next leaf. Returns false after the last one.
    ///
    /// - Throws: `.damaged`; `.interrupted` after the connection's ``Connection/stopRequest``.
    mutating func next() throws(StorageError) -> Bool {
        try pager.checkStop()
        guard let steps else {
            // The tree is a single leaf, or empty.
            defer { hasBegun = true }
            return !hasBegun && current != nil
        }
        if hasBegun, let current { firstPosition &+= current.rowCount }
        hasBegun = true
        while depth > 0 {
            let step = steps[depth &- 1]
            guard step.next < step.branch.rowCount else {
                depth &-= 1
                continue
            }
            steps[depth &- 1].next &+= 1
            // Subtrees that end before `start` are skipped by their counts, without being read.
            if firstPosition < start {
                let count = step.branch.childCount(step.next)
                if firstPosition &+ count <= start {
                    firstPosition &+= count
                    remaining &-= count
                    continue
                }
            }
            let child = try pager.child(of: step.branch, step.next, shape: format)
            if child.level == 0 {
                remaining &-= max(1, child.rowCount)
                // The leaf reached in the end must contain `start`, or the counts above it are
                // wrong.
                guard remaining >= 0, start < firstPosition &+ max(1, child.rowCount) else {
                    throw pager.countsDisagree(root)
                }
                current = child
                return true
            }
            steps[depth] = Step(branch: child, next: 0)
            depth &+= 1
        }
        current = nil
        return false
    }
}
