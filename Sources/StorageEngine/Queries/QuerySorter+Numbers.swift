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
            key.column, ascending: key.isAscending,
            layout: isWorthLayout
                ? try WordLayout(key.column, of: plan.table, ascending: key.isAscending) : nil,
            reserving: plan.matchesEverything || found != nil ? mostCount : 0,
            sharing: plan.table.pager.worthSharing)
        try visited.forEachLeaf(among: candidates) { rows, scan throws(StorageError) in
            if let isNull {
                try scan.match(isNull, into: &nulls)
                nulls.formIntersection(rows)
                rows.subtract(nulls)
                let leaf = scan.leaf
                nulls.forEachRow { nullKeys.append(leaf.objectKey($0)) }
            }
            try order.append(rows, of: scan)
            return true
        }
        var (objects, equal) = order.sort(withNulls: nullKeys, findsEqual: keys.count > 1)
        for group in equal { try arrangeEqual(&objects, group) }
        return objects
    }

    /// Sorts objects with equal numbers by the further properties.
    private func arrangeEqual(_ objects: inout [ObjectKey], _ part: Range<Int>) throws(StorageError)
    {
        let equal = Array(objects[part])
        var ordinals = Array(equal.indices)
        try arrange(&ordinals, 0..<equal.count, of: equal, by: 1) { _ in }
        for (position, ordinal) in zip(part, ordinals) { objects[position] = equal[ordinal] }
    }
}
