/// Columns of branch nodes, which come in this order; their ids are their positions.
enum BranchColumn {
    static let page = 0
    static let birth = 1
    static let count = 2
    /// First separator column: the object key, or the first key of a map.
    static let key = 3
    /// Second key of a map.
    static let secondKey = 4
}

/// Branches. `Node.problem(ofStored:)` has found the first three columns and what is in them to be
/// possible; which separators there are is the tree's business.
extension Node {
    /// The child that row `row` of a branch leads to.
    @inline(__always)
    func child(_ row: Int) -> PageReference {
        PageReference(
            page: UInt64(bitPattern: integer(BranchColumn.page, row)),
            birth: UInt64(bitPattern: integer(BranchColumn.birth, row)))
    }

    /// Rows below row `row` of a branch.
    @inline(__always)
    func childCount(_ row: Int) -> Int { Int(integer(BranchColumn.count, row)) }

    /// Rows below this node.
    var rowsBelow: Int {
        if level == 0 { return rowCount }
        var sum = 0
        for row in 0..<rowCount { sum &+= childCount(row) }
        return sum
    }
}

/// Leaves of cluster trees.
extension Node {
    /// Column id of a cluster leaf's keys, present once the keys have gaps.
    static var keyColumnID: UInt16 { 0xFFFF }

    /// Position of the key column of a cluster leaf, always the last one; -1 while keys are dense.
    @inline(__always)
    var keyColumn: Int {
        let last = columnCount - 1
        return last >= 0 && entry(last).id == Self.keyColumnID ? last : -1
    }

    /// Whether this is the node of a column that a leaf has spilled: the column alone, with the
    /// leaf's rows.
    @inline(__always)
    func isSpill(of format: ColumnFormat, rows: Int) -> Bool {
        level == 0 && rowCount == rows && columnCount == 1 && entry(0).isInline(ColumnTag(format))
    }
}
