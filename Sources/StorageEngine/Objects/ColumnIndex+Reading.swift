/// Objects by their positions in the order of an index: null first, then NaN, then values; strings,
/// UUIDs and object ids by their bytes, a shorter value before those that it begins. Objects of
/// equal values come in the order of their keys.
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
/// Positions hold until something is written or another version is read.
extension ColumnIndex {
    /// How many objects there are: one for each position.
    public func count() throws -> Int {
        try catchUp()
        return try root(trees.nulls).count + root(trees.values).count
    }

    /// The object at a position. O(log n), as far as strings of 256 bytes and more do not begin
    /// alike.
    public func key(at position: Int) throws -> ObjectKey {
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

    /// Visits the objects at some positions in their order, until `body` returns false. `body` must
    /// not write.
    ///
    /// - Throws: `.damaged`, and what `body` throws.
    public func forEachKey(
        in positions: Range<Int>, _ body: (ObjectKey) throws -> Bool
    ) throws {
        try catchUp()
        let nulls = try root(trees.nulls)
        let values = try orderedValues
        precondition(
            positions.lowerBound >= 0 && positions.upperBound <= nulls.count + values.root.count,
            "positions out of range")
        var left = positions.count
        func visit(_ key: ObjectKey) throws -> Bool {
            left = try body(key) ? left - 1 : 0
            return left > 0
        }
        if left > 0, positions.lowerBound < nulls.count {
            try Self.nullMap.forEach(table.pager, nulls, fromPosition: positions.lowerBound) {
                try visit(ObjectKey(rawValue: $0.integer(1, $1)))
            }
        }
        if left > 0 {
            try values.forEachKey(from: max(0, positions.lowerBound - nulls.count), visit)
        }
    }

    private var orderedValues: OrderedColumn {
        get throws {
            OrderedColumn(table: table, column: column, map: map, root: try root(trees.values))
        }
    }

    // MARK: Tests

    /// The positions of the objects that match; nil for a test whose matches are no neighbours
    /// (`.notEqual`, `.hasSuffix`, `.contains`).
    ///
    /// Null, NaN and zeros match as ``ColumnTest`` says; strings, UUIDs and object ids may be
    /// compared in their order. O(log n); for strings of which 256 bytes or more are given also
    /// linear in the number of those that begin with the same 256 bytes.
    ///
    /// - Throws: `.invalidArgument` for a test with values of another type, `.damaged`.
    public func positions(where test: ColumnTest) throws -> Range<Int>? {
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
            return try range(start, next.withUnsafeBytes { try self.start(.bytes($0)) })
        }
    }

    /// Appends the objects that match, in their order, unless they are more than `limit`. False if
    /// they are, or if they are no neighbours; nothing is appended then.
    ///
    /// A few objects of one value, or between two, take one descent; all else takes one more for
    /// each end.
    ///
    /// - Throws: what ``positions(where:)`` throws.
    func append(
        where test: ColumnTest, to keys: inout [ObjectKey], atMost limit: Int
    ) throws -> Bool {
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

    /// So many entries are walked over in hope of the end. Where it is farther away, counting first
    /// is cheaper than walking in vain.
    private static let fewNeighbours = 256

    private enum End {
        case found
        /// It does not come within the limit.
        case isFar
        /// Only positions tell it.
        case isUnknown
    }

    /// Walks from the first object that matches to the last one.
    private func appendNeighbours(
        _ test: ColumnTest, to keys: inout [ObjectKey], atMost limit: Int
    ) throws -> End {
        let bounds: (first: Scalar, last: Scalar, includesLast: Bool)
        switch test {
        case .compare(.equal, .null): return .isUnknown
        case .compare(.equal, let value): bounds = (value, value, true)
        case .between(let first, let last): bounds = (first, last, true)
        case .range(let first, let end): bounds = (first, end, false)
        default: return .isUnknown
        }
        guard try isOrdered(bounds.first), try isOrdered(bounds.last) else { return .found }
        return try table.withFirstKey(bounds.first) { first, isCut in
            try table.withFirstKey(bounds.last) { last, isLastCut -> End in
                // An entry that is cut lies on the same side of a shorter value as the whole string.
                if isCut || isLastCut { return .isUnknown }
                var end = End.found
                var left = limit
                try map.forEach(table.pager, root(trees.values), from: first, .min) { leaf, row in
                    let order = map.orderOfFirst(leaf, row, last)
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

    private func positions(_ comparison: Comparison, _ value: Scalar, all: Int) throws
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

    /// Empty if it would end before it begins.
    private func range(_ start: Int, _ end: Int) -> Range<Int> { start..<max(start, end) }

    /// The position of the first object whose value is not before `value`.
    private func start(_ value: Scalar) throws -> Int {
        try root(trees.nulls).count + orderedValues.position(value, isBehind: false)
    }

    /// The position of the first object whose value is behind `value`.
    private func end(_ value: Scalar) throws -> Int {
        try root(trees.nulls).count + orderedValues.position(value, isBehind: true)
    }

    /// The position behind null and NaN.
    private func firstNumber() throws -> Int {
        table.definition.columns[column].type == .date
            ? try end(.double(.nan)) : try root(trees.nulls).count
    }

    /// False for NaN, which nothing is compared with.
    private func isOrdered(_ value: Scalar) throws -> Bool {
        switch (table.definition.columns[column].type, value) {
        case (.date, .double(let date)): return !date.isNaN
        case (.bool, .integer), (.int, .integer), (.string, .bytes), (.uuid, .fixed16),
            (.objectID, .fixed12):
            return true
        default:
            throw table.pager.invalidArgument(
                "Column \(table.name(of: column)) holds values of another type than those of the "
                    + "test.")
        }
    }

    /// The first bytes behind all that begin with these; nil if there are none.
    private func successor(_ prefix: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let last = prefix.lastIndex(where: { $0 != .max }) else { return nil }
        var bytes = Array(prefix[...last])
        bytes[last] += 1
        return bytes
    }
}
