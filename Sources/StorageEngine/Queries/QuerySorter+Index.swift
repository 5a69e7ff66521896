/// Sorting with the order of an index.
extension QuerySorter {
    /// The objects that a plan finds, in order. See ``sorted(_:)``.
    ///
    /// If an index of the only property has the order, and at least a quarter of the objects match,
    /// the index is walked from beginning to end.
    ///
    /// - Parameters:
    ///   - plan: the condition that the objects satisfy.
    ///   - found: the keys that the plan finds, if they are known.
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func sorted(_ plan: QueryPlan, found: PackedKeys? = nil) throws(StorageError)
        -> [ObjectKey]
    {
        func find() throws(StorageError) -> [ObjectKey] {
            if let found { return found.keys }
            return try plan.keys()
        }
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

    /// Sorting an object takes about four times as long as visiting one in an index.
    private static let shareOfSorting = 4

    /// The first `limit` objects, from an index of the first property. Nil without an index, or if
    /// a scan is cheaper. The walk ends once it has tested as many objects as there may be
    /// candidates.
    ///
    /// Call it between ``QueryPlan/begin()`` and the next change.
    func firstByIndex(_ limit: Int, of plan: QueryPlan) throws(StorageError) -> [ObjectKey]? {
        guard let index = keys[0].index else { return nil }
        let isOnlyKey = keys.count == 1
        var walk = try IndexWalk(index, keys[0], isOnlyKey: isOnlyKey)
        var budget = try plan.table.count() / QueryPlan.shareOfCandidates
        var found: [ObjectKey] = []
        while found.count < limit, let group = try walk.next() {
            budget -= IndexWalk.costOfGroup
            var rest = group
            // Equal objects are sorted by the next property, so all of them are needed.
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

    /// The first `limit` objects in ascending order of the primary key. Nil if the order is another
    /// one, or if a scan is cheaper, because too many objects were tested that do not match.
    ///
    /// Primary keys are unique, so further properties do not matter. Call it between
    /// ``QueryPlan/begin()`` and the next change.
    func firstByPrimaryKey(_ limit: Int, of plan: QueryPlan) throws(StorageError) -> [ObjectKey]? {
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
        func takePart() throws(StorageError) {
            let matches = isFiltered ? try plan.preparedFilter(part) : part
            budget -= part.count - matches.count
            found += matches
            part.removeAll(keepingCapacity: true)
            if partSize < Self.longestPart { partSize *= 2 }
        }
        try (start?.value ?? .null).withScalar { start throws(StorageError) in
            try table.forEachInPrimaryKeyOrder(from: start) { key throws(StorageError) in
                part.append(key)
                if part.count == partSize { try takePart() }
                return found.count < limit && budget >= 0
            }
        }
        try takePart()
        if found.count < limit, budget < 0 { return nil }
        plan.noteOrderByIndex()
        return Array(found.prefix(limit))
    }

    /// The largest number of objects tested at once.
    private static let longestPart = 256
}

extension OwnedScalar {
    fileprivate func isPrimaryKey(of type: ValueType) -> Bool {
        type.traits.mayBePrimaryKey && withScalar { $0.isStored(as: type.columnKind) }
    }
}

/// The groups of equal objects in an index, one after another from its beginning or its end.
private struct IndexWalk {
    /// The cost of finding a group, in objects tested.
    static let costOfGroup = 4

    private let index: ColumnIndex
    private let key: QuerySortKey
    private let nullCount: Int
    /// The positions not visited yet.
    private var rest: Range<Int>
    /// Whether the index has exactly the wanted order, so that equal objects need not be grouped.
    private let isOneGroup: Bool

    init(_ index: ColumnIndex, _ key: QuerySortKey, isOnlyKey: Bool) throws(StorageError) {
        self.index = index
        self.key = key
        nullCount = try index.positions(where: .isNull)?.count ?? 0
        rest = try 0..<index.count()
        isOneGroup = isOnlyKey && key.isAscending
    }

    mutating func next() throws(StorageError) -> Range<Int>? {
        guard !rest.isEmpty else { return nil }
        let position = key.isAscending ? rest.lowerBound : rest.upperBound - 1
        let group = isOneGroup ? rest : try group(at: position)
        rest =
            key.isAscending
            ? group.upperBound..<rest.upperBound : rest.lowerBound..<group.lowerBound
        return group
    }

    private func group(at position: Int) throws(StorageError) -> Range<Int> {
        if position < nullCount { return 0..<nullCount }
        let value = try key.table.value(key.column, of: index.key(at: position))
        // NaN equals nothing, so its group is what lies between the nulls and the first number.
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
    /// Every number, which in an index comes after null and NaN.
    fileprivate static var isNumber: ColumnTest {
        .compare(.greaterOrEqual, .double(-.infinity))
    }
}

extension QuerySortKey {
    /// The index that has the objects in this order, or in reverse.
    fileprivate var index: ColumnIndex? { links.isEmpty ? table.index(of: column) : nil }
}

extension ColumnIndex {
    fileprivate func keys(at positions: Range<Int>) throws(StorageError) -> [ObjectKey] {
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
