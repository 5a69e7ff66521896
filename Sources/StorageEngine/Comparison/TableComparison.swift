/// Finds out how the objects of one table differ between two versions.
///
/// Both cluster trees are walked in key order. Subtrees that are the same page, by number and
/// birth, in both versions are not read. Where they differ, objects are joined by key and compared
/// by value, so that leaves that were only moved, split or packed anew report nothing.
struct TableComparison {
    private let old: Table?
    private let new: Table
    private var before: ClusterCursor
    private var after: ClusterCursor
    private var changes = TableChanges()

    /// `old` is nil for a table that the older version does not have.
    static func changes(from old: Table?, to new: Table) throws -> TableChanges {
        var comparison = try TableComparison(old, new)
        try comparison.run()
        return comparison.changes
    }

    private init(_ old: Table?, _ new: Table) throws {
        self.old = old
        self.new = new
        after = ClusterCursor(new.pager, try new.root)
        before = ClusterCursor(old?.pager ?? new.pager, try old?.root ?? .empty)
    }

    private mutating func run() throws {
        var columns: RowComparison?
        while true {
            switch (before.head, after.head) {
            case (.end, .end):
                return
            case (
                .subtree(let left, let leftLevel, let leftBound),
                .subtree(let right, let rightLevel, let rightBound)
            ):
                if left == right {
                    before.skip()
                    after.skip()
                } else {
                    try enter(leftLevel, leftBound, rightLevel, rightBound)
                }
            case (.object(let left), .object(let right)) where left == right:
                try compare(&columns)
                before.skip()
                after.skip()
            // Before everything on the other side: this object is there no more, or not yet.
            case (.object(let left), let other) where other.isAfter(left):
                changes.deletions.append(ObjectKey(rawValue: left))
                before.skip()
            case (let other, .object(let right)) where other.isAfter(right):
                changes.insertions.append(ObjectKey(rawValue: right))
                after.skip()
            case (.subtree, _):
                try before.enter()
            case (_, .subtree):
                try after.enter()
            case (.object, _), (_, .object):
                preconditionFailure("of two objects one comes first")
            }
        }
    }

    /// Enters one of two different subtrees, or both: that which begins first, because the other
    /// may turn up in it; else the higher one, for the same reason.
    private mutating func enter(
        _ leftLevel: Int, _ leftBound: Int64, _ rightLevel: Int, _ rightBound: Int64
    ) throws {
        if leftBound < rightBound { return try before.enter() }
        if rightBound < leftBound { return try after.enter() }
        if leftLevel >= rightLevel { try before.enter() }
        if rightLevel >= leftLevel { try after.enter() }
    }

    private mutating func compare(_ columns: inout RowComparison?) throws {
        let (left, right) = (before.location!, after.location!)
        if columns?.isOf(left.leaf, right.leaf) != true {
            columns = try RowComparison(old!, left.leaf, new, right.leaf)
        }
        let (modified, collections) = try columns!.differences(left.row, right.row)
        if modified.isEmpty { return }
        let key = right.leaf.objectKey(right.row)
        changes.modifications.append(key, modified)
        for (column, change) in collections {
            changes.collections[CollectionPlace(owner: key, column: column)] = change
        }
    }
}

extension ClusterCursor.Head {
    /// Whether all that is to come has keys greater than `key`.
    fileprivate func isAfter(_ key: Int64) -> Bool {
        switch self {
        case .end: true
        case .object(let next): next > key
        case .subtree(_, _, let lowerBound): lowerBound > key
        }
    }
}
