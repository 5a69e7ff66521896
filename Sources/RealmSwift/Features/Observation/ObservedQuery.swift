import StorageEngine

/// The objects of a query.
final class ObservedQuery: Observed {
    private let query: ResultsQuery
    private let modifications: ObservedClass
    /// What the objects depend on besides their source; nil if it is not known.
    private let decisive: ObservedClass?
    /// Nil if the query has to be repeated after each change of what it may depend on.
    private let followed: FollowedQuery?

    init(_ query: ResultsQuery, _ modifications: ObservedClass) {
        self.query = query
        self.modifications = modifications
        decisive = .decisive(for: query)
        followed = query.isWholeTable ? nil : decisive.flatMap { FollowedQuery(query, $0) }
    }

    override func base() throws -> ObservedBase {
        if query.isWholeTable { return .version }
        if query.origin.isGone { return .gone }
        return try followed.map { .ordered(try $0.state()) } ?? .keys(query.keys)
    }

    override func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        if case .gone = base { return (nil, base) }
        if isUntouched(step) { return (nil, base) }
        if query.origin.isGone { return (lastReport(base), .gone) }
        if case .ordered(let state) = base,
            let (difference, next) = try followed?.follow(
                state, over: step, counting: modifications)
        {
            return (report(difference, .ordered(next)), .ordered(next))
        }
        let next = try self.base()
        let difference = try compare(base, next, over: step)
        return (report(difference, next), next)
    }

    private func report(_ changes: IndexChanges, _ next: ObservedBase) -> Registration.Report? {
        changes.isEmpty ? nil : .collection(changes, objects: next.objects)
    }

    /// What is to be told when all objects have gone with the collection that had them.
    private func lastReport(_ base: ObservedBase) -> Registration.Report {
        let count = count(in: base)
        return count == 0 ? .deletion : .collection(IndexChanges(deletions: Array(0..<count)))
    }

    private func count(in base: ObservedBase) -> Int {
        switch base {
        case .keys(let keys): keys.count
        case .ordered(let state): state.shown.count
        case .version: query.count
        case .values, .gone: 0
        }
    }

    /// Whether a step cannot have changed which objects the query has, nor an object that counts.
    private func isUntouched(_ step: VersionStep) -> Bool {
        guard let decisive, step.isUntouched(decisive), step.isUntouched(modifications) else {
            return false
        }
        switch query.origin {
        case .table, .nothing: return true
        case .column(let managed): return step.changes(of: managed.owner) == nil
        case .backlinks(let managed):
            return step.changes(of: managed.targetClass)?.deletions.isEmpty ?? true
        }
    }

    override func modified(
        in base: ObservedBase, counting counted: ObservedClass, over step: VersionStep
    ) throws -> [Int] {
        guard let table = query.managedClass.table,
            let isModified = try step.affectedTest(counted, count: count(in: base))
        else { return [] }
        let known = try step.affected(counted, limit: 0)
        let keys: [ObjectKey]
        switch base {
        case .keys(let old): keys = old.keys
        case .ordered(let old):
            if let known, let found = try followed?.places(of: known, in: old, over: step) {
                return found
            }
            keys = old.shown.keys
        case .version:
            guard let old = try step.oldTable(of: query.managedClass) else { return [] }
            if let known { return try known.keys.compactMap { try old.position(of: $0) } }
            keys = try Self.keys(of: old)
        case .values, .gone: return []
        }
        return try keys.indices.filter { index in
            try table.contains(keys[index]) && isModified(keys[index])
        }
    }

    /// Compares two states as a whole.
    private func compare(
        _ base: ObservedBase, _ next: ObservedBase, over step: VersionStep
    ) throws -> IndexChanges {
        func isModified(_ count: Int) throws -> ((ObjectKey) throws -> Bool)? {
            try step.affectedTest(modifications, count: count)
        }
        switch (base, next) {
        case (.keys(let old), .keys(let new)):
            return try IndexChanges(
                from: old.keys, to: new.keys, isModified: isModified(new.count),
                matching: SequenceDiff.matches(keys:_:))
        case (.ordered(let old), .ordered(let new)):
            return try IndexChanges(
                from: old.shown.keys, to: new.shown.keys, isModified: isModified(new.shown.count),
                matching: SequenceDiff.matches(keys:_:))
        default: return try compareTable(step)
        }
    }

    /// Compares all objects of the class.
    private func compareTable(_ step: VersionStep) throws -> IndexChanges {
        guard let table = query.managedClass.table else { return IndexChanges() }
        guard let old = try step.oldTable(of: query.managedClass) else {
            return IndexChanges(insertions: Array(0..<(try table.count())))
        }
        let changes = step.changes(of: query.managedClass) ?? TableChanges()
        var modified =
            try step.affected(modifications, limit: max(1024, query.count))
            ?? affectedOneByOne(table, step)
        modified.subtract(changes.insertions)
        // An object that an older version linked to may have gone.
        modified.subtract(changes.deletions)
        return try IndexChanges(
            from: old, to: table, deletions: changes.deletions, insertions: changes.insertions,
            modifications: modified)
    }

    /// Returns the affected objects, of which there are too many to find them backwards.
    private func affectedOneByOne(_ table: Table, _ step: VersionStep) throws -> KeySet {
        guard let isAffected = try step.affectedTest(modifications, count: query.count) else {
            return KeySet()
        }
        return KeySet(try Self.keys(of: table).filter(isAffected))
    }

    /// The keys of all objects, ascending.
    private static func keys(of table: Table) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try table.forEachLeaf { leaf, _ in
            for row in 0..<leaf.rowCount {
                keys.append(table.key(at: RowLocation(leaf: leaf, row: row)))
            }
            return true
        }
        return keys
    }
}
