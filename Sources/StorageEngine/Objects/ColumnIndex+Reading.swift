/// Access by position in the order of an index: null first, then NaN, then values. Values that are
/// no numbers are ordered by their bytes, and a prefix comes before the longer value. Objects with
/// equal values are in the order of their keys.
///
/// ```swift
/// let index = people.index(of: 2)!
/// let young = try index.positions(where: .compare(.less, .integer(30)))!
/// print(young.count)
/// try index.forEachKey(in: young) { person in
///     print(try people.value(0, of: person))
///     return true
/// }
/// ```
/// Positions are valid until something is written or another version is read.
extension ColumnIndex {
    /// The number of objects, each of which has one position.
    public func count() throws(StorageError) -> Int {
        try catchUp()
        return try root(trees.nulls).count + root(trees.values).count
    }

    /// The object at a position. O(log n), unless many strings have the first 256 bytes in common.
    public func key(at position: Int) throws(StorageError) -> ObjectKey {
        try catchUp()
        let nulls = try root(trees.nulls)
        precondition(position >= 0, "position out of range")
        if position < nulls.count {
            let entry = try Self.nullMap.entry(table.pager, nulls, at: position)
            return ObjectKey(rawValue: entry.leaf.integer(1, entry.row))
        }
        let values = try orderedValues
        precondition(position < nulls.count + values.root.count, "position out of range")
        return try values.key(at: position - nulls.count)
    }

    /// Visits the objects at the given positions in order, until `body` returns false. `body` must
    /// not write.
    ///
    /// - Throws: `.damaged`, and what `body` throws.
    public func forEachKey(
        in positions: Range<Int>, _ body: (ObjectKey) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try catchUp()
        let nulls = try root(trees.nulls)
        let values = try orderedValues
        precondition(
            positions.lowerBound >= 0 && positions.upperBound <= nulls.count + values.root.count,
            "positions out of range")
        var left = positions.count
        func visit(_ key: ObjectKey) throws(StorageError) -> Bool {
            left = try body(key) ? left - 1 : 0
            return left > 0
        }
        if left > 0, positions.lowerBound < nulls.count {
            try Self.nullMap.forEach(table.pager, nulls, fromPosition: positions.lowerBound) {
                leaf, row throws(StorageError) in
                try visit(ObjectKey(rawValue: leaf.integer(1, row)))
            }
        }
        if left > 0 {
            try values.forEachKey(from: max(0, positions.lowerBound - nulls.count), visit)
        }
    }

    private var orderedValues: OrderedColumn {
        get throws(StorageError) {
            OrderedColumn(table: table, column: column, map: map, root: try root(trees.values))
        }
    }

    // MARK: Tests

    /// The positions of the objects that match; nil for a test whose matches are not contiguous in
    /// the index (`.notEqual`, `.hasSuffix`, `.contains`).
    ///
    /// Null, NaN and zeros match as described at ``ColumnTest``. Values of all types may be
    /// compared by order. O(log n); for test strings of 256 bytes or more, also linear in the
    /// number of strings that begin with the same 256 bytes.
    ///
    /// - Throws: `.invalidArgument` for a test with values of another type, `.damaged`.
    public func positions(where test: ColumnTest) throws(StorageError) -> Range<Int>? {
        try catchUp()
        let nulls = try root(trees.nulls).count
        let all = try nulls + root(trees.values).count
        switch test {
        case .isNull, .compare(.equal, .null): return 0..<nulls
        case .isNotNull, .compare(.notEqual, .null): return nulls..<all
        case .compare(_, .null): return 0..<0
        case .compare(.notEqual, _), .hasSuffix, .contains: return nil
        case .compare(let comparison, let value):
            guard try isOrdered(value) else { return 0..<0 }
            return try positions(comparison, value, all: all)
        case .between(let first, let last):
            guard try isOrdered(first), try isOrdered(last) else { return 0..<0 }
            return try range(start(first), end(last))
        case .range(let first, let limit):
            guard try isOrdered(first), try isOrdered(limit) else { return 0..<0 }
            return try range(start(first), start(limit))
        case .hasPrefix(let prefix):
            guard try isOrdered(.bytes(prefix)) else { return 0..<0 }
            let start = try start(.bytes(prefix))
            guard let next = successor(prefix) else { return range(start, all) }
            let end = try next.withBytes { bytes throws(StorageError) in
                try self.start(.bytes(bytes))
            }
            return range(start, end)
        }
    }

    /// Appends the matching objects in index order and returns true. Returns false, with nothing
    /// appended, if they are more than `limit` or not contiguous in the index.
    ///
    /// A short range of values takes one descent. Everything else takes another one for each end.
    ///
    /// - Throws: what ``positions(where:)`` throws.
    func append(
        where test: ColumnTest, to keys: inout [ObjectKey], atMost limit: Int
    ) throws(StorageError) -> Bool {
        try catchUp()
        let start = keys.count
        let end = try appendNeighbours(test, to: &keys, atMost: min(limit, Self.fewNeighbours))
        if end == .found { return true }
        keys.removeLast(keys.count - start)
        if end == .isFar, limit <= Self.fewNeighbours { return false }
        guard let positions = try positions(where: test), positions.count <= limit else {
            return false
        }
        keys.reserveCapacity(start + positions.count)
        try forEachKey(in: positions) {
            keys.append($0)
            return true
        }
        return true
    }

    /// The number of entries to walk before the end of the range is located by position instead.
    /// For a range farther apart, counting first is cheaper than a walk that may be discarded.
    private static let fewNeighbours = 256

    private enum End {
        case found
        /// The end does not come within the limit.
        case isFar
        /// The end cannot be found by walking; positions are needed.
        case isUnknown
    }

    /// Walks from the first matching object to the last.
    private func appendNeighbours(
        _ test: ColumnTest, to keys: inout [ObjectKey], atMost limit: Int
    ) throws(StorageError) -> End {
        let bounds: (first: Scalar, last: Scalar, includesLast: Bool)
        switch test {
        case .compare(.equal, .null): return .isUnknown
        case .compare(.equal, let value): bounds = (value, value, true)
        case .between(let first, let last): bounds = (first, last, true)
        case .range(let first, let end): bounds = (first, end, false)
        default: return .isUnknown
        }
        guard try isOrdered(bounds.first), try isOrdered(bounds.last) else { return .found }
        return try OrderedMap.withFirstKey(of: bounds.first, table.pager) {
            first, isCut throws(StorageError) in
            try OrderedMap.withFirstKey(of: bounds.last, table.pager) {
                last, isLastCut throws(StorageError) -> End in
                // Stored strings may be truncated too, but they compare with a bound that is not,
                // and so is shorter, as the whole string does.
                if isCut || isLastCut { return .isUnknown }
                var end = End.found
                var left = limit
                try map.forEach(table.pager, root(trees.values), from: first, second: .min) {
                    leaf, row in
                    let order = map.orderOfFirst(leaf, row, to: last)
                    if order > 0 || order == 0 && !bounds.includesLast { return false }
                    if left == 0 {
                        end = .isFar
                        return false
                    }
                    left -= 1
                    keys.append(ObjectKey(rawValue: leaf.integer(1, row)))
                    return true
                }
                return end
            }
        }
    }

    private func positions(_ comparison: Comparison, _ value: Scalar, all: Int) throws(StorageError)
        -> Range<Int>?
    {
        switch comparison {
        case .equal: return try range(start(value), end(value))
        case .less: return try range(firstNumber(), start(value))
        case .lessOrEqual: return try range(firstNumber(), end(value))
        case .greater: return try range(end(value), all)
        case .greaterOrEqual: return try range(start(value), all)
        case .notEqual: return nil
        }
    }

    /// Returns a range that is empty if `end` comes before `start`.
    private func range(_ start: Int, _ end: Int) -> Range<Int> { start..<max(start, end) }

    /// The position of the first object whose value is not less than `value`.
    private func start(_ value: Scalar) throws(StorageError) -> Int {
        try root(trees.nulls).count + orderedValues.position(value, isBehind: false)
    }

    /// The position of the first object whose value is greater than `value`.
    private func end(_ value: Scalar) throws(StorageError) -> Int {
        try root(trees.nulls).count + orderedValues.position(value, isBehind: true)
    }

    /// The position of the first object whose value is neither null nor NaN.
    private func firstNumber() throws(StorageError) -> Int {
        table.checks[column].kind == .double
            ? try end(.double(.nan)) : try root(trees.nulls).count
    }

    /// Whether `value` can be compared by order, which NaN cannot.
    private func isOrdered(_ value: Scalar) throws(StorageError) -> Bool {
        guard value.isStored(as: table.checks[column].kind) else {
            throw table.pager.invalidArgument(
                "Column \(table.name(of: column)) holds values of another type than those of the "
                    + "test.")
        }
        if case .double(let number) = value { return !number.isNaN }
        return true
    }

    /// The smallest bytes greater than everything that begins with `prefix`; nil if there are none.
    private func successor(_ prefix: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != .max }) else { return nil }
        var bytes = Array(prefix[...last])
        bytes[last] += 1
        return bytes
    }
}
