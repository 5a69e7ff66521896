/// One property that objects are sorted by.
struct QuerySortKey {
    let links: [(table: Table, column: Int)]
    let table: Table
    let column: Int
    let isAscending: Bool
    let type: ValueType

    init(_ table: Table, _ order: QueryOrder) throws(StorageError) {
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

    /// The property in explanations.
    var text: String {
        let names = links.map { $0.table.definition.columns[$0.column].name }
        let path = names + [table.definition.columns[column].name]
        return path.joined(separator: ".") + (isAscending ? "" : " descending")
    }

    /// Sorts a part of the ordinals, keeping the order of equal ones, and returns the groups of
    /// equal ones in order.
    func arrange(
        _ ordinals: inout [Int], _ part: Range<Int>, of objects: [ObjectKey]
    ) throws(StorageError) -> [Range<Int>] {
        var (nulls, missing): ([Int], [Int]) = ([], [])
        var entries: [QuerySortEntry] = []
        // Only filled for types whose ranks do not decide. Bytes stay valid, because nothing is
        // written meanwhile.
        var values: [Scalar] = []
        var reader = PathReader(self)
        for position in part {
            let ordinal = ordinals[position]
            guard let value = try reader.value(of: objects[ordinal]) else {
                missing.append(ordinal)
                continue
            }
            if value.isNull {
                nulls.append(ordinal)
                continue
            }
            entries.append(
                QuerySortEntry(rank: type.rank(value), place: entries.count, ordinal: ordinal))
            if !type.ranksDecide { values.append(value) }
        }
        entries.sortByRank(ranksDecide: true, until: table.pager.stopRequest)
        var ends = groupEnds(&entries, values)
        try table.pager.checkStop()
        if !isAscending { turn(&entries, &ends) }
        return write(nulls, entries, ends: ends, missing: missing, to: &ordinals, in: part)
    }

    /// Sorts entries of equal rank by their values, and returns the ends of the groups of equal
    /// values.
    private func groupEnds(
        _ entries: inout [QuerySortEntry], _ values: [Scalar]
    ) -> [Int] {
        let order = ValueOrder(type: type)
        var ends: [Int] = []
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].rank == entries[start].rank { end += 1 }
            if !type.ranksDecide, end - start > 1 {
                entries[start..<end].sort(until: table.pager.stopRequest) {
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

    /// Reverses the order of groups, but not that of the equal entries in each.
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

    /// Writes the sorted ordinals, and returns the groups of equal ones.
    ///
    /// - Parameter missing: objects without a value.
    private func write(
        _ nulls: [Int], _ entries: [QuerySortEntry], ends: [Int], missing: [Int],
        to ordinals: inout [Int], in part: Range<Int>
    ) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var next = part.lowerBound
        func write(_ equal: [Int]) {
            if equal.isEmpty { return }
            groups.append(next..<next + equal.count)
            for ordinal in equal {
                ordinals[next] = ordinal
                next += 1
            }
        }
        write(isAscending ? nulls : missing)
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
        write(isAscending ? missing : nulls)
        return groups
    }

    /// Returns a negative number, 0 or a positive number if an object with the first value comes
    /// before, is equal to, or comes after one with the second. Nil is for an object without a
    /// value.
    func compare(_ a: Scalar?, _ b: Scalar?) -> Int {
        let order =
            switch (a, b) {
            case (nil, nil): 0
            case (nil, _): 1
            case (_, nil): -1
            case (let a?, let b?): ValueOrder(type: type).compare(a, b)
            }
        return isAscending ? order : -order
    }
}

private struct QuerySortEntry: RankedEntry {
    var rank: UInt64
    /// The position among the entries as they were read, which is the order of equal ones.
    var place: Int
    var ordinal: Int

    @inline(__always)
    func precedes(_ other: QuerySortEntry) -> Bool {
        rank != other.rank ? rank < other.rank : place < other.place
    }
}

extension ValueType {
    /// Whether values of equal rank are equal.
    var ranksDecide: Bool {
        switch columnKind {
        case .integer, .float, .double: true
        case .bytes, .fixed16, .fixed12: false
        }
    }

    /// A number that ascends in the order of values that are not null.
    func rank(_ value: Scalar) -> UInt64 {
        switch traits.order {
        // The first bytes of these do not give their order.
        case .mixed, .decimals, .links: 0
        case .integers, .numbers: SortRank.of(value)
        case .bytes:
            switch value {
            case .fixed16(let first, _), .fixed12(let first, _): first.byteSwapped
            case .bytes(let bytes): SortRank.of(bytes)
            case .null, .integer, .float, .double: SortRank.of(value)
            }
        }
    }
}
