import StorageEngine

/// The objects of a query.
final class ObservedQuery: Observed {
    private let query: ResultsQuery
    private let modifications: ObservedClass

    init(_ query: ResultsQuery, _ modifications: ObservedClass) {
        self.query = query
        self.modifications = modifications
    }

    override func base() -> ObservedBase { query.isWholeTable ? .version : .keys(query.keys) }

    override func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        let changes = step.changes(of: query.managedClass) ?? TableChanges()
        if changes.isEmpty, query.dependsOnOwnColumnsOnly, step.isUntouched(modifications) {
            return (nil, base)
        }
        let isModified = try step.affectedTest(modifications, count: query.count)
        let next = self.base()
        let difference =
            if case .keys(let old) = base, case .keys(let new) = next {
                try compare(old, new, changes, isModified)
            } else {
                try compareTable(changes, isModified, step)
            }
        return (difference.isEmpty ? nil : .collection(difference), next)
    }

    private func compareTable(
        _ changes: TableChanges, _ isModified: ((ObjectKey) throws -> Bool)?, _ step: VersionStep
    ) throws -> IndexChanges {
        guard let table = query.managedClass.table else { return IndexChanges() }
        guard let old = try step.oldTable(of: query.managedClass) else {
            return IndexChanges(insertions: Array(0..<(try table.count())))
        }
        let candidates = try candidates(changes, step) ?? allKeys(of: old, and: table)
        return try IndexChanges(
            from: old, to: table, candidates: candidates, isModified: isModified)
    }

    /// Returns the objects that may have come, gone or been modified, in the order of their keys;
    /// nil if they are too many to find.
    private func candidates(_ changes: TableChanges, _ step: VersionStep) throws -> [ObjectKey]? {
        guard var keys = try step.affected(modifications, limit: max(1024, query.count)) else {
            return nil
        }
        keys.formUnion(changes.insertions.keys)
        keys.formUnion(changes.deletions.keys)
        for (key, _) in changes.modifications.objects { keys.insert(key) }
        return keys.sorted { $0.rawValue < $1.rawValue }
    }

    private func allKeys(of old: Table, and new: Table) throws -> [ObjectKey] {
        var keys = Set<ObjectKey>()
        for table in [old, new] {
            try table.forEachLeaf { leaf, _ in
                for row in 0..<leaf.rowCount {
                    keys.insert(table.key(at: RowLocation(leaf: leaf, row: row)))
                }
                return true
            }
        }
        return keys.sorted { $0.rawValue < $1.rawValue }
    }

    private func compare(
        _ old: PackedKeys, _ new: PackedKeys, _ changes: TableChanges,
        _ isModified: ((ObjectKey) throws -> Bool)?
    ) throws -> IndexChanges {
        try IndexChanges(from: old.keys, to: new.keys, isModified: isModified)
    }
}
