/// The columns of branch nodes, in their order. Their ids equal their positions.
enum BranchColumn {
    static let page = 0
    static let birth = 1
    static let count = 2
    /// The first separator column: the object key, or the first key of a map.
    static let key = 3
    /// The second key of a map.
    static let secondKey = 4
}

/// Accessors of branches. `Node.problem(ofStored:)` has checked that the first three columns exist
/// and hold possible values. The tree that owns the branch checks the separators.
extension Node {
    /// Returns the child that row `row` of a branch leads to.
    @inline(__always)
    func child(_ row: Int) -> PageReference {
        PageReference(
            page: UInt64(bitPattern: integer(BranchColumn.page, row)),
            birth: UInt64(bitPattern: integer(BranchColumn.birth, row)))
    }

    /// Returns the number of rows below row `row` of a branch.
    @inline(__always)
    func childCount(_ row: Int) -> Int { Int(integer(BranchColumn.count, row)) }

    /// The number of rows in the leaves below this node, or in this node if it is a leaf.
    var rowsBelow: Int {
        if level == 0 { return rowCount }
        var sum = 0
        for row in 0..<rowCount { sum &+= childCount(row) }
        return sum
    }
}

/// Accessors of cluster leaves.
extension Node {
    /// The column id of a cluster leaf's keys, present once the keys have gaps.
    static var keyColumnID: UInt16 { 0xFFFF }

    /// The index of a cluster leaf's key column, which is always the last one, or -1 while keys are
    /// dense.
    @inline(__always)
    var keyColumn: Int {
        let last = columnCount - 1
        return last >= 0 && entry(last).id == Self.keyColumnID ? last : -1
    }

    /// Whether this node holds a column that a leaf has spilled: only that column, with as many
    /// rows as the leaf.
    @inline(__always)
    func isSpill(of format: ColumnFormat, rows: Int) -> Bool {
        level == 0 && rowCount == rows && columnCount == 1 && entry(0).isInline(ColumnTag(format))
    }
}
