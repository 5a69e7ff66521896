/// What objects are put in order by: a property of their own, or of the object at the end of some
/// to-one links.
public struct QueryOrder: Sendable, Hashable {
    /// Columns of links, each of the table that the one before leads to.
    public var links: [Int]
    /// The column of the last table.
    public var column: Int
    public var isAscending: Bool

    public init(links: [Int] = [], column: Int, isAscending: Bool = true) {
        self.links = links
        self.column = column
        self.isAscending = isAscending
    }
}

/// Puts objects in order by several properties, the first of them the most significant, or keeps
/// one object of each group of equal ones.
///
/// Ascending, null comes first, then values as ``ValueOrder`` has them; where a link on the way
/// leads nowhere the value is null. Objects that are equal in all properties stay in the order in
/// which they were given. Values are read once for each property that has to decide, so memory
/// grows with the number of objects.
///
/// Used by the connection's thread; nothing may be written during a call.
public struct QuerySorter {
    private let keys: [QuerySortKey]

    /// - Throws: `.invalidArgument` for a collection, a link as the last column, or no link on the
    ///   way.
    public init(_ table: Table, _ orders: [QueryOrder]) throws {
        keys = try orders.map { try QuerySortKey(table, $0) }
    }

    /// - Throws: `.damaged`; `.invalidArgument` if one of the objects does not exist.
    public func sorted(_ objects: [ObjectKey]) throws -> [ObjectKey] {
        var ordinals = Array(objects.indices)
        try arrange(&ordinals, 0..<ordinals.count, of: objects, by: 0) { _ in }
        return ordinals.map { objects[$0] }
    }

    /// The first of each group of objects that agree in all properties, in the order given.
    ///
    /// - Throws: `.damaged`; `.invalidArgument` if one of the objects does not exist.
    public func distinct(_ objects: [ObjectKey]) throws -> [ObjectKey] {
        var ordinals = Array(objects.indices)
        var first: [Int] = []
        try arrange(&ordinals, 0..<ordinals.count, of: objects, by: 0) { first.append($0) }
        return first.sorted().map { objects[$0] }
    }

    /// Puts a part of the ordinals in order by the properties from `level` on, and visits the first
    /// of each group of equal ones.
    private func arrange(
        _ ordinals: inout [Int], _ part: Range<Int>, of objects: [ObjectKey], by level: Int,
        _ visit: (Int) -> Void
    ) throws {
        guard level < keys.count, part.count > 1 else {
            if let first = part.first { visit(ordinals[first]) }
            return
        }
        let groups = try keys[level].arrange(&ordinals, part, of: objects)
        for group in groups {
            try arrange(&ordinals, group, of: objects, by: level + 1, visit)
        }
    }
}

/// One property that objects are put in order by.
private struct QuerySortKey {
    private let links: [(table: Table, column: Int)]
    private let table: Table
    private let column: Int
    private let isAscending: Bool
    private let type: ValueType

    init(_ table: Table, _ order: QueryOrder) throws {
        var last = table
        var links: [(Table, Int)] = []
        for column in order.links {
            links.append((last, column))
            last = try last.target(ofLinks: column)
        }
        precondition(
            order.column >= 0 && order.column < last.propertyCount, "column out of range")
        let definition = last.definition.columns[order.column]
        guard definition.collection == .none, !definition.type.hasFixedTarget else {
            throw last.pager.invalidArgument(
                "Column '\(last.queryName(of: order.column))' is a collection or a link, which "
                    + "has no order.")
        }
        self.links = links
        self.table = last
        column = order.column
        isAscending = order.isAscending
        type = definition.type
    }

    /// Puts a part of the ordinals in order, equal ones as they were, and returns the groups of
    /// equal ones in their order.
    func arrange(
        _ ordinals: inout [Int], _ part: Range<Int>, of objects: [ObjectKey]
    ) throws -> [Range<Int>] {
        var nulls: [Int] = []
        var entries: [QuerySortEntry] = []
        // Of types whose ranks do not decide. Bytes stay valid, because nothing is written
        // meanwhile.
        var values: [Scalar] = []
        var reader = PathReader(links, table, column)
        for position in part {
            let ordinal = ordinals[position]
            let value = try reader.value(of: objects[ordinal])
            if value.isNull {
                nulls.append(ordinal)
                continue
            }
            entries.append(
                QuerySortEntry(rank: rank(value), place: entries.count, ordinal: ordinal))
            if !ranksDecide { values.append(value) }
        }
        entries.sortByRank(ranksDecide: true)
        var ends = groupEnds(&entries, values)
        if !isAscending { turn(&entries, &ends) }
        return write(nulls, entries, ends, to: &ordinals, part)
    }

    private var ranksDecide: Bool {
        switch type.columnKind {
        case .integer, .float, .double: true
        case .bytes, .fixed16, .fixed12: false
        }
    }

    private func rank(_ value: Scalar) -> UInt64 {
        switch (type, value) {
        // Their order is not that of their first bytes.
        case (.mixed, _), (.decimal128, _), (.typedLink, _): return 0
        case (_, .fixed16(let first, _)): return first.byteSwapped
        case (_, .fixed12(let first, _)): return first.byteSwapped
        case (_, .bytes(let bytes)): return SortRank.of(bytes)
        default: return SortRank.of(value)
        }
    }

    /// Orders entries of equal rank by their values, and returns where groups of equal values end.
    private func groupEnds(
        _ entries: inout [QuerySortEntry], _ values: [Scalar]
    ) -> [Int] {
        let order = ValueOrder(type: type)
        var ends: [Int] = []
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].rank == entries[start].rank { end += 1 }
            if !ranksDecide, end - start > 1 {
                entries[start..<end].sort {
                    let result = order.compare(values[$0.place], values[$1.place])
                    return result != 0 ? result < 0 : $0.place < $1.place
                }
                for index in start + 1..<end
                where order.compare(
                    values[entries[index - 1].place], values[entries[index].place]) != 0
                {
                    ends.append(index)
                }
            }
            ends.append(end)
            start = end
        }
        return ends
    }

    /// Turns the order of groups, but not that of equal entries.
    private func turn(_ entries: inout [QuerySortEntry], _ ends: inout [Int]) {
        var turned: [QuerySortEntry] = []
        turned.reserveCapacity(entries.count)
        var turnedEnds: [Int] = []
        for index in ends.indices.reversed() {
            turned += entries[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
            turnedEnds.append(turned.count)
        }
        entries = turned
        ends = turnedEnds
    }

    private func write(
        _ nulls: [Int], _ entries: [QuerySortEntry], _ ends: [Int], to ordinals: inout [Int],
        _ part: Range<Int>
    ) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var next = part.lowerBound
        func writeNulls() {
            if nulls.isEmpty { return }
            groups.append(next..<next + nulls.count)
            for ordinal in nulls {
                ordinals[next] = ordinal
                next += 1
            }
        }
        if isAscending { writeNulls() }
        var start = next
        let base = next
        for entry in entries {
            ordinals[next] = entry.ordinal
            next += 1
        }
        for end in ends {
            groups.append(start..<base + end)
            start = base + end
        }
        if !isAscending { writeNulls() }
        return groups
    }
}

private struct QuerySortEntry: RankedEntry {
    var rank: UInt64
    /// Among the entries as they were read: equal ones stay in this order.
    var place: Int
    var ordinal: Int

    @inline(__always)
    func precedes(_ other: QuerySortEntry) -> Bool {
        rank != other.rank ? rank < other.rank : place < other.place
    }
}

/// Reads the value at the end of some links, object after object. Neighbours often lie in one leaf,
/// which is tried first.
private struct PathReader {
    private var links: [LeafReader]
    private var last: LeafReader

    init(_ links: [(table: Table, column: Int)], _ table: Table, _ column: Int) {
        self.links = links.map { LeafReader($0.table, $0.column) }
        last = LeafReader(table, column)
    }

    mutating func value(of key: ObjectKey) throws -> Scalar {
        var key = key
        for index in links.indices {
            guard case .integer(let target) = try links[index].value(of: key) else {
                return .null
            }
            key = ObjectKey(rawValue: target)
        }
        return try last.value(of: key)
    }

    private struct LeafReader {
        private let table: Table
        private let column: Int
        private var leaf: Node?

        init(_ table: Table, _ column: Int) {
            self.table = table
            self.column = column
        }

        mutating func value(of key: ObjectKey) throws -> Scalar {
            if let leaf, let row = Table.row(of: key, in: leaf) {
                return try table.value(column, at: RowLocation(leaf: leaf, row: row))
            }
            guard let location = try table.location(of: key) else {
                throw table.pager.noSuchObject(key)
            }
            leaf = location.leaf
            return try table.value(column, at: location)
        }
    }
}
