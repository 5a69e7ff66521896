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
        from start: Scalar? = nil, _ body: (ObjectKey) throws -> Bool
    ) throws {
        guard let column = primaryKeyColumn else {
            throw pager.invalidArgument("'\(stored.name)' has no primary key.")
        }
        let state = try keyState
        let order = try primaryKeyOrder(column)
        guard let start, !start.isNull else {
            // The object whose key is null is in the map's root entry.
            let extra = state.pointee.extra
            if extra != 0, try !body(ObjectKey(rawValue: extra - 1)) { return }
            return try order.forEachKey(from: 0, body)
        }
        switch (stored.columns[column].kind, start) {
        case (.integer, .integer), (.bytes, .bytes), (.fixed16, .fixed16), (.fixed12, .fixed12):
            break
        default:
            throw pager.invalidArgument(
                "The primary key of '\(stored.name)' has values of another type.")
        }
        try order.forEachKey(from: order.position(start, isBehind: false), body)
    }

    /// The number of objects whose primary key compares with a value that is not null; nil for
    /// `.equal`, `.notEqual`, and a value of another type than the key. Null keys compare with
    /// nothing. O(log n), as the start of ``forEachInPrimaryKeyOrder(from:_:)``.
    func count(primaryKey comparison: Comparison, _ value: Scalar) throws -> Int? {
        guard let column = primaryKeyColumn else { return nil }
        switch (stored.columns[column].kind, value) {
        case (.integer, .integer), (.bytes, .bytes), (.fixed16, .fixed16), (.fixed12, .fixed12):
            break
        default: return nil
        }
        let order = try primaryKeyOrder(column)
        switch comparison {
        case .less: return try order.position(value, isBehind: false)
        case .lessOrEqual: return try order.position(value, isBehind: true)
        case .greater: return try order.root.count - order.position(value, isBehind: true)
        case .greaterOrEqual: return try order.root.count - order.position(value, isBehind: false)
        case .equal, .notEqual: return nil
        }
    }

    /// The objects ordered by primary key, except the one whose key is null.
    private func primaryKeyOrder(_ column: Int) throws -> OrderedColumn {
        OrderedColumn(
            table: self, column: column, map: primaryKeyMap, root: try keyState.pointee.root)
    }
}
