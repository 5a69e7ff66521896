/// A list in one version, read as far as it is needed.
struct ListContents {
    /// An element to compare and to look up.
    struct Element: Hashable {
        let value: Scalar

        static func == (left: Element, right: Element) -> Bool {
            left.value.isIdentical(to: right.value)
        }

        func hash(into hasher: inout Hasher) {
            switch value {
            case .null: break
            case .integer(let value): hasher.combine(value)
            case .float(let value): hasher.combine(value.bitPattern)
            case .double(let value): hasher.combine(value.bitPattern)
            case .bytes(let bytes): hasher.combine(bytes: bytes)
            case .fixed16(let first, let second):
                hasher.combine(first)
                hasher.combine(second)
            }
        }
    }

    /// Elements in leaves that two lists share, at one end.
    struct SharedLeaves {
        var leaves = 0
        var elements = 0
    }

    private struct Leaf {
        var reference: PageReference
        var count: Int
    }

    private let list: ListHandle
    let count: Int
    /// Empty while the owner's row holds the elements.
    private var leaves: [Leaf] = []

    init(_ list: ListHandle) throws {
        self.list = list
        count = try list.count()
        if let root = try list.treeRoot() {
            if root.level == 0 {
                leaves.append(Leaf(reference: root.reference, count: count))
            } else {
                try addLeaves(below: list.pager.node(root.reference))
            }
        }
    }

    private mutating func addLeaves(below branch: Node) throws {
        for row in 0..<branch.rowCount {
            if branch.level == 1 {
                leaves.append(
                    Leaf(reference: branch.child(row), count: branch.childCount(row)))
            } else {
                try addLeaves(below: list.pager.child(of: branch, row))
            }
        }
    }

    /// The leaves at both ends that both lists have.
    func commonEnds(_ other: ListContents) -> (first: SharedLeaves, last: SharedLeaves) {
        var (first, last) = (SharedLeaves(), SharedLeaves())
        let shorter = min(leaves.count, other.leaves.count)
        while first.leaves < shorter,
            leaves[first.leaves].reference == other.leaves[first.leaves].reference
        {
            first.elements += leaves[first.leaves].count
            first.leaves += 1
        }
        while last.leaves < shorter - first.leaves,
            leaves[leaves.count - 1 - last.leaves].reference
                == other.leaves[other.leaves.count - 1 - last.leaves].reference
        {
            last.elements += leaves[leaves.count - 1 - last.leaves].count
            last.leaves += 1
        }
        return (first, last)
    }

    /// The elements between the ends. Their bytes are valid as long as the version is.
    func elements(without ends: (first: SharedLeaves, last: SharedLeaves)) throws -> [Element] {
        var elements: [Element] = []
        guard !leaves.isEmpty else {
            try list.forEach {
                elements.append(Element(value: $0))
                return true
            }
            return elements
        }
        for leaf in leaves[ends.first.leaves..<leaves.count - ends.last.leaves] {
            let node = try list.pager.node(leaf.reference)
            guard node.level == 0, node.rowCount == leaf.count else {
                throw list.pager.damaged(leaf.reference.page, "row counts do not add up")
            }
            for row in 0..<leaf.count {
                elements.append(Element(value: try list.element(node, row)))
            }
        }
        return elements
    }
}
