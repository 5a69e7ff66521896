/// Sorting by a packed number of the objects themselves.
extension QuerySorter {
    /// The objects that a plan finds, in order. See ``sorted(_:)``.
    ///
    /// Numbers are read leaf by leaf, together with their objects' keys, so no object is looked up.
    /// Further properties are only read for objects with equal numbers.
    func sortedByNumbers(_ plan: QueryPlan, found: PackedKeys?) throws(StorageError) -> [ObjectKey]
    {
        let key = keys[0]
        let isNull =
            key.table.checks[key.column].allowsNull
            ? try key.table.predicate(key.column, .isNull) : nil
        var nulls = RowMask()
        var nullKeys: [ObjectKey] = []
        // Objects known to match are not tested again.
        let visited = try found == nil ? plan : QueryPlan(plan.table, .constant(true))
        let candidates = if let found { found.keys } else { try plan.begin() }
        let mostCount = try min(candidates?.count ?? .max, plan.table.count())
        // The directories of all leaves are not worth reading for few objects.
        let isWorthLayout = try mostCount > plan.table.count() / QueryPlan.shareOfCandidates
        var order = NumberOrder(
            isWorthLayout
                ? try WordLayout(key.column, of: plan.table, ascending: key.isAscending) : nil,
            reserving: plan.matchesEverything || found != nil ? mostCount : 0)
        try visited.forEachLeaf(among: candidates) { rows, scan throws(StorageError) in
            if let isNull {
                try scan.match(isNull, into: &nulls)
                nulls.formIntersection(rows)
                rows.subtract(nulls)
                let leaf = scan.leaf
                nulls.forEachRow { nullKeys.append(leaf.objectKey($0)) }
            }
            try scan.forEachNumber(key.column, ascending: key.isAscending, in: rows) {
                order.append($0)
            }
            return true
        }
        var objects: [ObjectKey] = []
        objects.reserveCapacity(nullKeys.count + order.count)
        if key.isAscending { objects += nullKeys }
        var groups = EqualGroups()
        order.forEach {
            if keys.count > 1 { groups.add($0, at: objects.count) }
            objects.append($1)
        }
        groups.end(at: objects.count)
        if !key.isAscending { objects += nullKeys }
        if keys.count > 1 {
            let firstNull = key.isAscending ? 0 : objects.count - nullKeys.count
            try arrangeEqual(&objects, firstNull..<firstNull + nullKeys.count)
            for group in groups.found { try arrangeEqual(&objects, group) }
        }
        return objects
    }

    /// Sorts objects with equal numbers by the further properties.
    private func arrangeEqual(_ objects: inout [ObjectKey], _ part: Range<Int>) throws(StorageError)
    {
        guard part.count > 1 else { return }
        let equal = Array(objects[part])
        var ordinals = Array(equal.indices)
        try arrange(&ordinals, 0..<equal.count, of: equal, by: 1) { _ in }
        for (position, ordinal) in zip(part, ordinals) { objects[position] = equal[ordinal] }
    }
}

/// The positions of several equal ranks in a sequence that is in order.
private struct EqualGroups {
    private(set) var found: [Range<Int>] = []
    private var start = 0
    private var rank: UInt64?

    @inline(__always)
    mutating func add(_ rank: UInt64, at position: Int) {
        if rank == self.rank { return }
        end(at: position)
        self.rank = rank
        start = position
    }

    @inline(__always)
    mutating func end(at position: Int) {
        if rank != nil, position - start > 1 { found.append(start..<position) }
    }
}
