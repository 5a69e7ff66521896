/// Where a tree begins, and how much is in it.
struct TreeRoot: Equatable {
    /// `.none` for an empty tree.
    var reference = PageReference.none
    /// Level of the root node: 0 when it is a leaf.
    var level = 0
    /// Rows in all leaves.
    var count = 0

    static let empty = TreeRoot()
}

/// What the nodes of a tree look like.
enum TreeFormat {
    /// A collection: one column of values in leaves, behind one of keys in maps; no separators.
    case collection(hasKeys: Bool, ColumnKind)
    /// A cluster tree: the leaf's columns are the table's; branches are separated by object keys.
    case cluster
    /// An ordered map: two key columns (integers, or bytes and an integer), then `values` integer
    /// columns.
    case map(firstKey: ColumnKind, values: Int)
}

extension TreeFormat {
    /// Whether a node has the columns of this tree's nodes. Leaves of a cluster tree may lack columns
    /// of their table, and have them in any order, so those are looked at where they are used.
    ///
    /// Nodes are valid by themselves, but in a file made to harm a reference may lead to one of
    /// another tree.
    @inline(__always)
    func describes(_ node: Node) -> Bool {
        node.level > 0 ? describes(branch: node) : describes(leaf: node)
    }

    /// The first three columns are those of every branch.
    @inline(__always)
    private func describes(branch node: Node) -> Bool {
        switch self {
        case .collection: return node.columnCount == BranchColumn.key
        case .cluster:
            return node.columnCount == BranchColumn.secondKey
                && node.hasColumn(BranchColumn.key, .integer)
        case .map(let firstKey, _):
            return node.columnCount == BranchColumn.secondKey + 1
                && node.hasColumn(BranchColumn.key, firstKey)
                && node.hasColumn(BranchColumn.secondKey, .integer)
        }
    }

    @inline(__always)
    private func describes(leaf node: Node) -> Bool {
        switch self {
        case .collection(let hasKeys, let kind):
            if hasKeys {
                return node.columnCount == 2 && node.hasColumn(0, .bytes) && node.hasColumn(1, kind)
            }
            return node.columnCount == 1 && node.hasColumn(0, kind)
        case .cluster: return true
        case .map(let firstKey, let values):
            guard node.columnCount == 2 + values, node.hasColumn(0, firstKey) else { return false }
            var column = 1
            while column < 2 + values {
                guard node.hasColumn(column, .integer) else { return false }
                column += 1
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

    /// Leaf columns of collections and ordered maps. (Those of a cluster tree are its table's.)
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
    /// Whether a column that exists is stored here, as this kind, with its position as its id.
    @inline(__always)
    fileprivate func hasColumn(_ column: Int, _ kind: ColumnKind) -> Bool {
        entry(column).isInline(ColumnTag(id: UInt16(truncatingIfNeeded: column), kind: kind))
    }
}
