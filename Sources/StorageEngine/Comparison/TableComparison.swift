/// Finds the differences between the objects of one table in two versions.
///
/// Both cluster trees are walked in key order. Subtrees that are the same page (number and birth)
/// in both versions are not read. Elsewhere, objects are matched by key and compared by value. So
/// leaves that were only moved, split or packed again are not reported as changes.
struct TableComparison {
    private let old: Table?
    private let new: Table
    private var before: ClusterCursor
    private var after: ClusterCursor
    private var changes = TableChanges()

    /// Returns the changes of a table. `old` is nil if the older version does not have the table.
    static func changes(from old: Table?, to new: Table) throws(StorageError) -> TableChanges {
        var comparison = try TableComparison(old, new)
        try comparison.run()
        return comparison.changes
    }

    private init(_ old: Table?, _ new: Table) throws(StorageError) {
        self.old = old
        self.new = new
        after = ClusterCursor(new.pager, try new.root)
        before = ClusterCursor(old?.pager ?? new.pager, try old?.root ?? .empty)
    }

    private mutating func run() throws(StorageError) {
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
                    try enter(leftLevel, leftBound, right: rightLevel, upTo: rightBound)
                }
            case (.object(let left), .object(let right)) where left == right:
                try compare(&columns)
                before.skip()
                after.skip()
            // An object that precedes everything on the other side exists on its own side only.
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

    /// Enters one of two different subtrees, or both. The one that begins first is entered, because
    /// it may contain the other one, which could then be skipped. If both begin at the same key,
    /// the higher one is entered, for the same reason.
    private mutating func enter(
        _ leftLevel: Int, _ leftBound: Int64, right rightLevel: Int, upTo rightBound: Int64
    ) throws(StorageError) {
        if leftBound < rightBound { return try before.enter() }
        if rightBound < leftBound { return try after.enter() }
        if leftLevel >= rightLevel { try before.enter() }
        if rightLevel >= leftLevel { try after.enter() }
    }

    private mutating func compare(_ columns: inout RowComparison?) throws(StorageError) {
        let (left, right) = (before.location!, after.location!)
        if columns?.isOf(left.leaf, right.leaf) != true {
            columns = try RowComparison(old!, left.leaf, newTable: new, newLeaf: right.leaf)
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
    /// Whether all remaining keys are greater than `key`.
    fileprivate func isAfter(_ key: Int64) -> Bool {
        switch self {
        case .end: true
        case .object(let next): next > key
        case .subtree(_, _, let lowerBound): lowerBound > key
        }
    }
}
