/// Aggregates of a property over all objects that match, computed leaf by leaf from the packed
/// column, without collecting the objects.
extension QueryPlan {
    /// The sum of a numeric column.
    ///
    /// - Throws: `.invalidArgument` if the column is not numeric, `.damaged`, and what the
    ///   condition's own tests throw.
    public func sum(_ column: Int) throws(StorageError) -> ColumnSum {
        if matchesEverything { return try table.sum(column) }
        var sum = try table.emptySum(column)
        let candidates = try begin()
        if let condition = try sharedCondition(candidates),
            let sum = try table.sharedSum(column, where: condition, matching: narrow)
        {
            return sum
        }
        try forEachLeaf(among: candidates, keepsLeaves: false) { rows, scan throws(StorageError) in
            try scan.add(column, of: rows, to: &sum)
            return true
        }
        return sum
    }

    /// The least value of a numeric column; nil without values. NaN is ignored, and -0 is less than
    /// 0.
    ///
    /// - Throws: what ``sum(_:)`` throws.
    public func minimum(_ column: Int) throws(StorageError) -> Scalar? {
        try extreme(.least, column)
    }

    /// The greatest value of a numeric column; nil without values. NaN is ignored, and -0 is less
    /// than 0.
    ///
    /// - Throws: what ``sum(_:)`` throws.
    public func maximum(_ column: Int) throws(StorageError) -> Scalar? {
        try extreme(.greatest, column)
    }

    /// The condition is not evaluated for leaves without a better value according to their
    /// directory.
    private func extreme(_ side: ColumnExtreme.Side, _ column: Int) throws(StorageError) -> Scalar?
    {
        var extreme = try table.emptyExtreme(side, column)
        try forEachLeaf(among: begin(), keepsLeaves: false) { rows, scan in
            if !scan.mayImprove(extreme, column) { rows.fill(false, rows: scan.rowCount) }
        } _: { rows, scan throws(StorageError) in
            try scan.add(column, selection: rows.words, to: &extreme)
            return true
        }
        return extreme.value
    }

    /// Visits the values of a column that is not a collection, in the order of keys. Bytes are
    /// valid while nothing is written.
    ///
    /// - Throws: `.damaged`, and what `body` and the condition's own tests throw.
    public func forEachValue(_ column: Int, _ body: (Scalar) throws(StorageError) -> Void)
        throws(StorageError)
    {
        try forEachLeaf(among: begin()) { rows, scan throws(StorageError) in
            let values = try LeafValues(table, column, in: scan.leaf)
            try rows.forEachRow { row throws(StorageError) in try body(values[row]) }
            return true
        }
    }
}
