/// A list, set or map in one version, read only as far as needed.
struct CollectionContents {
    struct Element: Hashable {
        /// The key of an element of a map; nil in lists and sets.
        let key: ComparedValue?
        let value: ComparedValue
    }

    /// The number of leaves, and of the elements in them, that two collections share at one end.
    struct SharedLeaves {
        var leaves = 0
        var elements = 0
    }

    private struct Leaf {
        var reference: PageReference
        var count: Int
    }

    private let collection: StoredCollection
    /// The number of collections that enclose each element, this one included.
    private let depth: Int
    let count: Int
    /// Empty while the elements are stored in the owner's row.
    private var leaves: [Leaf] = []

    init(_ collection: StoredCollection, depth: Int = 1) throws(StorageError) {
        self.collection = collection
        self.depth = depth
        count = try collection.count()
        if let root = collection.root {
            if root.level == 0 {
                leaves.append(Leaf(reference: root.reference, count: count))
            } else {
                try addLeaves(below: collection.pager.root(of: root, collection.tree.format))
            }
            guard leaves.reduce(0, { $0 &+ $1.count }) == count else {
                throw collection.pager.countsDisagree(root.reference)
            }
        }
    }

    private mutating func addLeaves(below branch: Node) throws(StorageError) {
        for row in 0..<branch.rowCount {
            if branch.level == 1 {
                // Each leaf has at least one row. In a malicious file the same leaf may occur again
                // and again.
                guard leaves.count < count else {
                    throw collection.pager.countsDisagree(branch.child(row))
                }
                leaves.append(Leaf(reference: branch.child(row), count: branch.childCount(row)))
            } else {
                let format = collection.tree.format
                try addLeaves(below: collection.pager.child(of: branch, row, shape: format))
            }
        }
    }

    /// Returns the shared leaves at both ends of the two collections.
    func commonEnds(_ other: CollectionContents) -> (first: SharedLeaves, last: SharedLeaves) {
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

    /// Returns the elements between the shared ends. Their bytes are valid as long as the version
    /// is pinned.
    func elements(
        without ends: (first: SharedLeaves, last: SharedLeaves), _ budget: inout RowBudget
    ) throws(StorageError) -> [Element] {
        try budget.spend(on: collection)
        var elements: [Element] = []
        let last = count - ends.last.elements
        var position = ends.first.elements
        if position == last { return elements }
        try collection.forEach(from: position) { row throws(StorageError) in
            let key = collection.format.hasKeys ? ComparedValue.scalar(.bytes(row.key)) : nil
            let value = try ComparedValue(
                row.value, of: collection.format.type, in: collection.pager, depth: depth,
                within: &budget)
            elements.append(Element(key: key, value: value))
            position += 1
            return position < last
        }
        return elements
    }
}
