/// Objects in the order of a column.
///
/// The ascending order is null, NaN, then numbers (both zeros are equal). Strings, data and UUIDs
/// are ordered by their bytes, and a prefix comes before the longer value. Descending is the
/// reverse. Objects of equal values always come in ascending order of their keys.
extension Table {
    /// The keys of the first `limit` objects in the order of a column, among those that match or
    /// among all.
    ///
    /// Takes memory for `limit` objects. Once that many are found, leaves without a better value
    /// according to their directory are not read.
    /// - Throws: `.invalidArgument` for a column of collections or of a type without an order,
    ///   `.damaged`.
    public func firstKeys(
        _ limit: Int, sortedBy column: Int, ascending: Bool = true,
        where predicate: ColumnPredicate? = nil
    ) throws(StorageError) -> [ObjectKey] {
        precondition(limit >= 0, "a negative number of objects")
        try requireOrder(column)
        var sorter = try ColumnSorter(self, column, ascending: ascending, limit: limit)
        if checks[column].kind.isPacked {
            var first = FirstEntries<NumberEntry>(limit: limit)
            var scratch = RowMask()
            try sorter.forEachLeaf(predicate) { scan, mask throws(StorageError) in
                if let rank = first.lastRank {
                    try scan.keepNumbers(
                        column, before: rank, ascending: ascending, in: &mask, scratch: &scratch)
                }
                try scan.forEachNumber(column, ascending: ascending, in: mask) { first.offer($0) }
            }
            return sorter.withNulls(first.keys)
        }
        var first = FirstEntries<BytesEntry>(limit: limit)
        try sorter.forEachLeaf(predicate) { scan, mask throws(StorageError) in
            try scan.forEachBytes(column, ascending: ascending, in: mask) { first.offer($0) }
        }
        return sorter.withNulls(first.keys)
    }

    /// The keys of all objects that match, or of all objects, in the order of a column.
    ///
    /// - Throws: `.invalidArgument` for a column of collections or of a type without an order,
    ///   `.damaged`.
    public func keys(
        sortedBy column: Int, ascending: Bool = true, where predicate: ColumnPredicate? = nil
    ) throws(StorageError) -> [ObjectKey] {
        try requireOrder(column)
        var sorter = try ColumnSorter(self, column, ascending: ascending)
        if checks[column].kind.isPacked {
            var order = NumberOrder(
                column, ascending: ascending,
                layout: try WordLayout(column, of: self, ascending: ascending),
                reserving: predicate == nil ? try count() : 0)
            try sorter.forEachLeaf(predicate) { scan, mask throws(StorageError) in
                try order.append(mask, of: scan)
            }
            return sorter.withNulls(order.sort(withNulls: [], findsEqual: false).keys)
        }
        var entries: [BytesEntry] = []
        try sorter.forEachLeaf(predicate) { scan, mask throws(StorageError) in
            try scan.forEachBytes(column, ascending: ascending, in: mask) { entries.append($0) }
        }
        entries.sortByRank(ranksDecide: false, until: pager.stopRequest)
        try pager.checkStop()
        return sorter.withNulls(entries.map(\.key))
    }

    private func requireOrder(_ column: Int) throws(StorageError) {
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard !checks[column].isCollection, definition.columns[column].type.isCompared else {
            throw pager.invalidArgument(
                "Column '\(stored.name).\(definition.columns[column].name)' is a collection, or of "
                    + "a type, that is not sorted by.")
        }
    }
}
