/// Questions about many objects, answered by two threads.
extension Table {
    /// The number of objects that satisfy a condition; nil if it is not worth a second thread.
    ///
    /// - Parameter match: removes the rows that do not satisfy the condition from all rows of a
    ///   leaf, on this thread.
    /// - Throws: `.damaged`, and what `match` throws.
    @inline(never)
    func sharedCount(
        where condition: LeafCondition,
        matching match: (inout RowMask, borrowing LeafScan) throws(StorageError) -> Void
    ) throws(StorageError) -> Int? {
        let task = condition.task()
        guard pager.worthSharing.isWorth(task, rows: try count()) else { return nil }
        let scan = SharedScan(self, where: condition, of: [], task: task, asking: .count)
        var rows = RowMask()
        var count = 0
        try scan.run { leaf, answer throws(StorageError) in
            if let answer {
                count += answer.count
                return
            }
            rows.fill(true, rows: leaf.rowCount)
            try match(&rows, leaf)
            count += rows.count
        }
        return count
    }

    /// The sum of a numeric column over the objects that satisfy a condition; nil if it is not
    /// worth a second thread.
    ///
    /// Floating point is added in the order of object keys: leaves of whole numbers by the sums of
    /// two threads while that is exact, and from the first other leaf on value by value.
    ///
    /// - Throws: `.invalidArgument` if the column is not numeric, `.damaged`, and what `match`
    ///   throws.
    @inline(never)
    func sharedSum(
        _ column: Int, where condition: LeafCondition,
        matching match: (inout RowMask, borrowing LeafScan) throws(StorageError) -> Void
    ) throws(StorageError) -> ColumnSum? {
        var sum = try emptySum(column)
        let task = condition.task(adding: checks[column].kind)
        guard pager.worthSharing.isWorth(task, rows: try count()) else { return nil }
        let isWhole = checks[column].kind == .integer
        let id = columnID(column)
        let scan = SharedScan(self, where: condition, of: [column], task: task, asking: .sum)
        var rows = RowMask()
        var isExact = true
        try scan.run(
            accepts: { leaf in
                let position = isWhole ? -1 : leaf.columnIndex(ofID: id, expected: column)
                return position < 0 || !PackedZone(leaf, position).holdsImages
            }, goesOn: { isExact }
        ) { leaf, answer throws(StorageError) in
            if let answer {
                let (node, place) = answer.place(0)
                let packed = PackedColumn(node, place)
                if sum.add(answer.sum, count: answer.count, of: packed) { return }
                isExact = false
            }
            if condition.tests.isEmpty { return try leaf.add(column, to: &sum) }
            rows.fill(true, rows: leaf.rowCount)
            try match(&rows, leaf)
            if !rows.isEmpty { try leaf.add(column, of: rows, to: &sum) }
        }
        return sum
    }
}
