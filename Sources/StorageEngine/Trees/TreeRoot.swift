/// The location of a tree's root, and the number of rows below it.
struct TreeRoot: Equatable {
    /// The root node; `.none` for an empty tree.
    var reference = PageReference.none
    /// The level of the root node: 0 when it is a leaf.
    var level = 0
    /// The number of rows in all leaves.
    var count = 0

    static let empty = TreeRoot()
}

/// The structure that a tree's nodes must have. Descents are specialized for each shape.
/// ``TreeFormat`` covers every tree and decides at run time; lookups by key have shapes of their
/// own.
protocol TreeShape {
    /// Whether a page holds a node of this tree at this level.
    func describes(_ page: PageHeader, level: Int) -> Bool
}

/// The shape of cluster trees.
struct ClusterShape: TreeShape {
    @inline(__always)
    func describes(_ page: PageHeader, level: Int) -> Bool {
        TreeFormat.cluster.describes(page, level: level)
    }
}

/// The structure of a tree's nodes.
enum TreeFormat: TreeShape {
    /// A collection: leaves have one column of values, after one of keys in maps. There are no
    /// separators.
    case collection(hasKeys: Bool, ColumnKind)
    /// A cluster tree: the leaf's columns are the table's, and branches have object keys as
    /// separators.
    case cluster
    /// An ordered map: two key columns (integers, or bytes and an integer), then `values` integer
    /// columns.
    case map(firstKey: ColumnKind, values: Int)
}

extension TreeFormat {
    /// Whether a page holds a node with the columns that this tree's nodes have at this level.
    /// Leaves of a cluster tree may lack columns of their table and have them in any order, so
    /// their columns are checked where they are used.
    ///
    /// Each node has been checked by itself, but in a malicious file a reference may lead to a node
    /// of another tree. Called at each step of each descent.
    @inline(__always)
    func describes(_ page: PageHeader, level: Int) -> Bool {
        level > 0 ? describesBranch(page, level: level) : describesLeaf(page)
    }

    /// Checks the columns after the first three, which every branch has.
    @inline(__always)
    private func describesBranch(_ page: PageHeader, level: Int) -> Bool {
        let node = Node(page.bytes)
        switch self {
        case .collection: return page.isNode(level: level, columns: BranchColumn.key)
        case .cluster:
            return page.isNode(level: level, columns: BranchColumn.secondKey)
                && node.hasColumn(BranchColumn.key, .integer)
        case .map(let firstKey, _):
            return page.isNode(level: level, columns: BranchColumn.secondKey + 1)
                && node.hasColumn(BranchColumn.key, firstKey)
                && node.hasColumn(BranchColumn.secondKey, .integer)
        }
    }

    @inline(__always)
    private func describesLeaf(_ page: PageHeader) -> Bool {
        let node = Node(page.bytes)
        switch self {
        case .collection(let hasKeys, let kind):
            if hasKeys {
                return page.isNode(level: 0, columns: 2) && node.hasColumn(0, .bytes)
                    && node.hasColumn(1, kind)
            }
            return page.isNode(level: 0, columns: 1) && node.hasColumn(0, kind)
        case .cluster: return page.isNode(level: 0)
        case .map(let firstKey, let values):
            guard page.isNode(level: 0, columns: 2 &+ values), node.hasColumn(0, firstKey),
                node.hasColumn(1, .integer)
            else { return false }
            var column = 2
            while column < 2 &+ values {
                guard node.hasColumn(column, .integer) else { return false }
                column &+= 1
            }
            return true
        }
    }

    var branchColumns: [ColumnFormat] {
        var columns: [ColumnFormat] = [
            ColumnFormat(id: 0, kind: .integer), ColumnFormat(id: 1, kind: .integer),
            ColumnFormat(id: 2, kind: .integer),
        ]
        switch self {
        case .collection: break
        case .cluster: columns.append(ColumnFormat(id: 3, kind: .integer))
        case .map(let firstKey, _):
            columns.append(ColumnFormat(id: 3, kind: firstKey))
            columns.append(ColumnFormat(id: 4, kind: .integer))
        }
        return columns
    }

    /// Whether the first column of leaves is one of ascending keys that may share a prefix
    /// (``SharedPrefix``).
    var sharesPrefix: Bool {
        if case .map(.bytes, _) = self { return true }
        return false
    }

    /// The leaf columns of collections and ordered maps. Those of a cluster tree are its table's.
    var leafColumns: [ColumnFormat] {
        switch self {
        case .collection(let hasKeys, let kind):
            return hasKeys
                ? [ColumnFormat(id: 0, kind: .bytes), ColumnFormat(id: 1, kind: kind)]
                : [ColumnFormat(id: 0, kind: kind)]
        case .cluster: return []
        case .map(let firstKey, let values):
            var columns = [
                ColumnFormat(id: 0, kind: firstKey), ColumnFormat(id: 1, kind: .integer),
            ]
            for value in 0..<values {
                columns.append(ColumnFormat(id: UInt16(2 + value), kind: .integer))
            }
            return columns
        }
    }
}

extension Node {
    /// Whether an existing column is stored in this node, as this kind, with its position as its
    /// id.
    @inline(__always)
    fileprivate func hasColumn(_ column: Int, _ kind: ColumnKind) -> Bool {
        entry(column).isInline(ColumnTag(id: UInt16(truncatingIfNeeded: column), kind: kind))
    }
}
