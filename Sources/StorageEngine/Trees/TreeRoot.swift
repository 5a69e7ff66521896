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

/// Columns of branch nodes, which come in this order.
enum BranchColumn {
    static let page = 0
    static let birth = 1
    static let count = 2
    /// First separator column: the object key, or the first key of a map.
    static let key = 3
    /// Second key of a map.
    static let secondKey = 4
}

extension TreeFormat {
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
    /// The child that row `row` of a branch leads to.
    @inline(__always)
    func child(_ row: Int) -> PageReference {
        PageReference(
            page: UInt64(bitPattern: integer(0, row)), birth: UInt64(bitPattern: integer(1, row)))
    }

    /// Rows below row `row` of a branch.
    @inline(__always)
    func childCount(_ row: Int) -> Int { Int(integer(2, row)) }

    /// Rows below this node.
    var rowsBelow: Int {
        if level == 0 { return rowCount }
        var sum = 0
        for row in 0..<rowCount { sum += childCount(row) }
        return sum
    }
}
