/// Orders that an index has already.
extension QuerySorter {
    /// The objects that a plan finds, in order. See ``sorted(_:)``.
    ///
    /// An index of the only property is walked from its beginning to its end if most objects match.
    ///
    /// - Parameter found: the keys that the plan finds, if they are known.
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func sorted(_ plan: QueryPlan, found: PackedKeys? = nil) throws -> [ObjectKey] {
        func find() throws -> [ObjectKey] { try found?.keys ?? plan.keys() }
        guard let key = keys.first, key.links.isEmpty else { return try sorted(find()) }
        guard keys.count == 1, key.isAscending, let index = key.index else {
            if key.table.checks[key.column].kind.isPacked {
                return try sortedByNumbers(plan, found: found)
            }
            return keys.count == 1 && plan.matchesEverything && key.type.isCompared
                ? try key.table.keys(sortedBy: key.column, ascending: key.isAscending)
                : try sorted(find())
        }
        let all = try index.count()
        if plan.matchesEverything {
            plan.noteOrderByIndex()
            return try index.keys(at: 0..<all)
        }
        let found = try find()
        if found.count < all / Self.shareOfSorting { return try sorted(found) }
        plan.noteOrderByIndex()
        let matched = MatchedKeys(found)
        var keys: [ObjectKey] = []
        keys.reserveCapacity(found.count)
        try index.forEachKey(in: 0..<all) {
            if matched.contains($0.rawValue) { keys.append($0) }
            return true
        }
        return keys
    }

    /// Sorting an object takes some four times as long as walking over one in an index.
    private static let shareOfSorting = 4

    /// The first so many, from an index of the first property; nil without one, and where a scan is
    /// cheaper: then the walk has looked at no more objects than candidates are looked at.
    ///
    /// Between ``QueryPlan/begin()`` and the next change.
    func firstByIndex(_ limit: Int, of plan: QueryPlan) throws -> [ObjectKey]? {
        guard let index = keys[0].index else { return nil }
        let isOnlyKey = keys.count == 1
        var walk = try IndexWalk(index, keys[0], isOnlyKey: isOnlyKey)
        var budget = try plan.table.count() / QueryPlan.shareOfCandidates
        var found: [ObjectKey] = []
        while found.count < limit, let group = try walk.next() {
            budget -= IndexWalk.costOfGroup
            var rest = group
            // Equal objects are put in order by the next property: all of them are needed.
            while !rest.isEmpty, found.count < limit || !isOnlyKey {
                let part = rest.prefix(max(limit, 64))
                rest = rest.dropFirst(part.count)
                if !plan.matchesEverything || !isOnlyKey { budget -= part.count }
                if budget < 0 { return nil }
                let keys = try index.keys(at: part)
                found += plan.matchesEverything ? keys : try plan.preparedFilter(keys)
            }
        }
        plan.noteOrderByIndex()
        return Array((isOnlyKey ? found : try sorted(found)).prefix(limit))
    }

    /// The first so many in ascending order of the primary key; nil if that is not the order, and
    /// where a scan is cheaper: then too many objects were looked at that do not match.
    ///
    /// No two objects have the same key, so further properties do not matter. Between
    /// ``QueryPlan/begin()`` and the next change.
    func firstByPrimaryKey(_ limit: Int, of plan: QueryPlan) throws -> [ObjectKey]? {
        let key = keys[0]
        let table = plan.table
        guard key.isAscending, key.links.isEmpty, key.column == table.primaryKeyColumn else {
            return nil
        }
        let start = plan.root.start(inOrderOf: key.column)
        if let start, !start.value.isPrimaryKey(of: key.type) { return nil }
        let isFiltered = !plan.matchesEverything && start?.isWholeCondition != true
        var budget = try table.count() / QueryPlan.shareOfCandidates
        var partSize = limit
        var part: [ObjectKey] = []
        var found: [ObjectKey] = []
        func takePart() throws {
            let matches = isFiltered ? try plan.preparedFilter(part) : part
            budget -= part.count - matches.count
            found += matches
            part.removeAll(keepingCapacity: true)
            if partSize < Self.longestPart { partSize *= 2 }
        }
        try (start?.value ?? .null).withScalar { start in
            try table.forEachInPrimaryKeyOrder(from: start) {
                part.append($0)
                if part.count == partSize { try takePart() }
                return found.count < limit && budget >= 0
            }
        }
        try takePart()
        if found.count < limit, budget < 0 { return nil }
        plan.noteOrderByIndex()
        return Array(found.prefix(limit))
    }

    /// Objects that are asked for at once.
    private static let longestPart = 256
}

extension OwnedScalar {
    fileprivate func isPrimaryKey(of type: ValueType) -> Bool {
        switch (type, self) {
        case (.int, .integer), (.string, .bytes), (.uuid, .fixed16), (.objectID, .fixed12): true
        default: false
        }
    }
}

/// The groups of equal objects of an index, one after the other from its beginning or its end.
private struct IndexWalk {
    /// What finding a group takes, in objects that are looked at.
    static let costOfGroup = 4

    private let index: ColumnIndex
    private let key: QuerySortKey
    private let nullCount: Int
    /// Positions that were not visited.
    private var rest: Range<Int>
    /// Where the index has the wanted order, equal objects need not be told apart.
    private let isOneGroup: Bool

    init(_ index: ColumnIndex, _ key: QuerySortKey, isOnlyKey: Bool) throws {
        self.index = index
        self.key = key
        nullCount = try index.positions(where: .isNull)?.count ?? 0
        rest = try 0..<index.count()
        isOneGroup = isOnlyKey && key.isAscending
    }

    mutating func next() throws -> Range<Int>? {
        guard !rest.isEmpty else { return nil }
        let position = key.isAscending ? rest.lowerBound : rest.upperBound - 1
        let group = isOneGroup ? rest : try group(at: position)
        rest =
            key.isAscending
            ? group.upperBound..<rest.upperBound : rest.lowerBound..<group.lowerBound
        return group
    }

    private func group(at position: Int) throws -> Range<Int> {
        if position < nullCount { return 0..<nullCount }
        let value = try key.table.value(key.column, of: index.key(at: position))
        if case .double(let date) = value, date.isNaN {
            return try nullCount..<(index.positions(where: .isNumber)?.lowerBound ?? nullCount)
        }
        let group = try index.positions(where: .compare(.equal, value))
        guard let group, group.contains(position) else {
            throw key.table.pager.damaged(0, "an index that is not that of its objects")
        }
        return group
    }
}

extension ColumnTest {
    /// Behind NaN.
    fileprivate static var isNumber: ColumnTest {
        .compare(.greaterOrEqual, .double(-.infinity))
    }
}

extension QuerySortKey {
    /// The index that has the objects in this order, or in the opposite one.
    fileprivate var index: ColumnIndex? { links.isEmpty ? table.index(of: column) : nil }
}

extension ColumnIndex {
    fileprivate func keys(at positions: Range<Int>) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(positions.count)
        // swift-format-ignore: ReplaceForEachWithForLoop
        try forEachKey(in: positions) {
            keys.append($0)
            return true
        }
        return keys
    }
}
