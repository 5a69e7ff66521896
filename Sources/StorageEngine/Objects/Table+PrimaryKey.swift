/// Visiting objects in the order of their primary keys.
extension Table {
    /// Visits objects in ascending order of their primary keys, until `body` returns false. Begins
    /// with the first key that is not less than `start`, or with the smallest.
    ///
    /// Integers ascend as numbers. Strings, UUIDs and object ids ascend by their bytes, and a
    /// prefix comes before the longer value. Null comes first. Starting costs O(log n), each object
    /// O(1) amortized. `body` must not write.
    ///
    /// ```swift
    /// try people.forEachInPrimaryKeyOrder(from: .integer(1000)) { person in
    ///     print(try people.value(1, of: person))
    ///     return true
    /// }
    /// ```
    ///
    /// - Throws: `.invalidArgument` if the table has no primary key or `start` is of another type,
    ///   and what `body` throws.
    public func forEachInPrimaryKeyOrder(
        from start: Scalar? = nil, _ body: (ObjectKey) throws(StorageError) -> Bool
    ) throws(StorageError) {
        if primaryKeyColumn == nil { throw noPrimaryKey }
        let order = try primaryKeys.order(in: self)
        guard let start, !start.isNull else {
            if let first = try primaryKeys.objectOfNull(), try !body(first) { return }
            return try order.forEachKey(from: 0, body)
        }
        guard primaryKeys.mayHold(start) else {
            throw pager.invalidArgument(
                "The primary key of '\(stored.name)' has values of another type.")
        }
        try order.forEachKey(from: order.position(start, isBehind: false), body)
    }

    /// The number of objects whose primary key compares with a value that is not null; nil for
    /// `.equal`, `.notEqual`, and a value of another type than the key. Null keys compare with
    /// nothing. O(log n), as the start of ``forEachInPrimaryKeyOrder(from:_:)``.
    func count(primaryKey comparison: Comparison, _ value: Scalar) throws(StorageError) -> Int? {
        guard primaryKeyColumn != nil, primaryKeys.mayHold(value) else { return nil }
        let order = try primaryKeys.order(in: self)
        switch comparison {
        case .less: return try order.position(value, isBehind: false)
        case .lessOrEqual: return try order.position(value, isBehind: true)
        case .greater: return try order.root.count - order.position(value, isBehind: true)
        case .greaterOrEqual: return try order.root.count - order.position(value, isBehind: false)
        case .equal, .notEqual: return nil
        }
    }
}
