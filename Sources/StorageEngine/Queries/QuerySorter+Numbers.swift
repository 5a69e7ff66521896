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
        var entries: [NumberEntry] = []
        if plan.matchesEverything { entries.reserveCapacity(try plan.table.count()) }
        // Objects known to match are not tested again.
        let visited = try found == nil ? plan : QueryPlan(plan.table, .constant(true))
        let candidates = if let found { found.keys } else { try plan.begin() }
        try visited.forEachLeaf(among: candidates) { rows, scan throws(StorageError) in
            if let isNull {
                try scan.match(isNull, into: &nulls)
                nulls.formIntersection(rows)
                rows.subtract(nulls)
                let leaf = scan.leaf
                nulls.forEachRow { nullKeys.append(leaf.objectKey($0)) }
            }
            try scan.forEachNumber(key.column, ascending: key.isAscending, in: rows) {
                entries.append($0)
            }
            return true
        }
        entries.sortByRank(ranksDecide: true)
        var objects: [ObjectKey] = []
        objects.reserveCapacity(nullKeys.count + entries.count)
        if key.isAscending { objects += nullKeys }
        let start = objects.count
        for entry in entries { objects.append(entry.key) }
        if !key.isAscending { objects += nullKeys }
        if keys.count > 1 {
            try arrangeEqual(&objects, key.isAscending ? 0..<start : entries.count..<objects.count)
            try arrangeEqual(&objects, entries, from: start)
        }
        return objects
    }

    /// Sorts objects with equal numbers by the further properties.
    private func arrangeEqual(
        _ objects: inout [ObjectKey], _ entries: [NumberEntry], from start: Int
    ) throws(StorageError) {
        var first = 0
        while first < entries.count {
            var end = first + 1
            while end < entries.count, entries[end].rank == entries[first].rank { end += 1 }
            try arrangeEqual(&objects, start + first..<start + end)
            first = end
        }
    }

    private func arrangeEqual(_ objects: inout [ObjectKey], _ part: Range<Int>) throws(StorageError)
    {
        guard part.count > 1 else { return }
        let equal = Array(objects[part])
        var ordinals = Array(equal.indices)
        try arrange(&ordinals, 0..<equal.count, of: equal, by: 1) { _ in }
        for (position, ordinal) in zip(part, ordinals) { objects[position] = equal[ordinal] }
    }
}
