/// Groups of objects, found leaf by leaf from the packed columns, without collecting the objects.
extension QueryPlan {
    /// The objects that match, grouped by the values of a column, in the order of the values: null,
    /// NaN, numbers; false before true; bytes by their order.
    ///
    /// ```swift
    /// // SELECT age, COUNT(*), SUM(salary) FROM people GROUP BY age ORDER BY age
    /// for group in try plan.groups(by: age, of: [salary]) {
    ///     print(group.key, group.count, group.summary(at: 0).sum.integer)
    /// }
    /// ```
    /// Memory grows with the number of groups. Floating-point values are added in the order of
    /// object keys.
    ///
    /// - Parameters:
    ///   - column: A property that is not a collection, with bools, numbers, dates, strings, data,
    ///     object ids or UUIDs.
    ///   - columns: The numeric columns to be aggregated for each group.
    /// - Throws: `.invalidArgument` for any other column, `.damaged`, and what the condition's own
    ///   tests throw.
    public func groups(by column: Int, of columns: [Int] = []) throws(StorageError) -> [ValueGroup]
    {
        var grouping = try ObjectGrouping(table, by: column, of: columns)
        let candidates = try begin()
        if let condition = try sharedCondition(candidates),
            try grouping.addShared(where: condition, matching: narrow)
        {
            return grouping.inOrder()
        }
        try forEachLeaf(among: candidates, keepsLeaves: false) { rows, scan throws(StorageError) in
            try grouping.add(rows, scan)
            return true
        }
        return grouping.inOrder()
    }
}

extension Table {
    /// The same groups of some objects, which are read one by one. An object that is named twice
    /// counts twice; one that does not exist is passed over. Floating-point values are added in the
    /// given order.
    ///
    /// - Throws: `.invalidArgument` as ``QueryPlan/groups(by:of:)``, `.damaged`.
    public func groups(
        of objects: some Sequence<ObjectKey>, by column: Int, of columns: [Int] = []
    ) throws(StorageError) -> [ValueGroup] {
        var grouping = try ObjectGrouping(self, by: column, of: columns)
        var leaf: Node?
        for key in objects {
            // Neighbours are often in the same leaf.
            if let leaf, let row = row(of: key, in: leaf) {
                try grouping.add(RowLocation(leaf: leaf, row: row))
            } else if let location = try self.location(of: key) {
                leaf = location.leaf
                try grouping.add(location)
            }
        }
        return grouping.inOrder()
    }
}
