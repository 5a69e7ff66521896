import StorageEngine

/// The step of a Realm from one version to a newer one, as observations see it.
///
/// An object is *affected* if it counts as modified: because of its own columns, or because of
/// those of objects that it leads to. Affected objects are found in one of two ways, whichever
/// is cheaper: backwards, from what was changed, through the objects that refer to it; or forwards,
/// by looking at what an object leads to.
final class VersionStep {
    let changes: ChangeSet
    /// Reads the old version.
    let old: Connection
    /// Reads the new version.
    let realm: RealmInstance
    private var affected: [ObservedClass.Identity: KeySet] = [:]
    /// The classes for which too many objects are affected to find them all.
    private var excessive: [ObservedClass.Identity: Int] = [:]
    private var verdicts: [ObservedClass.Identity: [ObjectKey: Bool]] = [:]

    init(_ changes: ChangeSet, from old: Connection, in realm: RealmInstance) {
        self.changes = changes
        self.old = old
        self.realm = realm
    }

    func changes(of managedClass: ManagedClass) -> TableChanges? {
        managedClass.table.flatMap { changes[table: $0.number] }
    }

    /// The table of a class in the old version; nil if it did not exist.
    func oldTable(of managedClass: ManagedClass) throws(StorageError) -> Table? {
        try old.table(named: managedClass.model.name)
    }

    /// Whether nothing that is observed of a class has changed, nor which objects it has.
    func isUntouched(_ observed: ObservedClass) -> Bool {
        var seen: Set<ObservedClass.Identity> = []
        return isUntouched(observed, &seen)
    }

    private func isUntouched(
        _ observed: ObservedClass, _ seen: inout Set<ObservedClass.Identity>
    ) -> Bool {
        if !seen.insert(observed.identity).inserted { return true }
        if changes(of: observed.managedClass) != nil { return false }
        return observed.branches.allSatisfy { branch in
            !leads(observed, by: branch) || isUntouched(branch.target, &seen)
        }
    }

    /// Whether there may be objects behind a branch. Mixed values may link to objects of every
    /// class, and do to those of few.
    private func leads(_ observed: ObservedClass, by branch: ObservedClass.Branch) -> Bool {
        guard case .mixedLinks(let column) = branch.hop else { return true }
        guard let table = observed.managedClass.table, let target = branch.target.managedClass.table
        else { return false }
        return table.mayLink(column, to: target.number)
    }
}

// MARK: Backwards

extension VersionStep {
    private struct TooMany: Error {}

    /// Returns the affected objects of a class, which exist in the new version and may be new in
    /// it; nil if finding them takes more than about `limit` steps.
    func affected(_ observed: ObservedClass, limit: Int) throws -> KeySet? {
        if let known = affected[observed.identity] { return known }
        if let tried = excessive[observed.identity], tried >= limit { return nil }
        var budget = limit
        do { return try find(observed, &budget) } catch is TooMany {
            excessive[observed.identity] = limit
            return nil
        }
    }

    private func find(_ observed: ObservedClass, _ budget: inout Int) throws -> KeySet {
        if let known = affected[observed.identity] { return known }
        let changes = changes(of: observed.managedClass)
        var keys = changes?.modifications.keys(where: observed.counts) ?? KeySet()
        for branch in observed.branches where leads(observed, by: branch) {
            switch branch.hop {
            case .links(let column), .mixedLinks(let column):
                keys.formUnion(
                    try referrers(of: branch.target, in: column, of: observed, budget: &budget))
            case .referrers(let column):
                keys.formUnion(try targets(of: branch.target, column, within: &budget))
            }
        }
        affected[observed.identity] = keys
        return keys
    }

    /// Returns the objects that refer to affected objects of another class. A deleted one has no
    /// referrers, and those that it had count by the column that referred to it.
    private func referrers(
        of target: ObservedClass, in column: Int, of observed: ObservedClass, budget: inout Int
    ) throws -> KeySet {
        guard let table = observed.managedClass.table,
            let targets = target.managedClass.table
        else { return KeySet() }
        let isMixed = table.definition.columns[column].type == .mixed
        var keys: [ObjectKey] = []
        for key in try find(target, &budget).keys where try targets.contains(key) {
            try Self.spend(&budget)
            func visit(_ referrer: ObjectKey) -> Bool {
                if budget > 0 { keys.append(referrer) }
                budget -= 1
                return budget >= 0
            }
            if isMixed {
                let link = TypedLink(table: targets.number, key: key)
                try table.forEachReference(toAny: link, in: column, visit)
            } else {
                try table.forEachReference(to: key, in: column) { referrer, _ in visit(referrer) }
            }
            if budget < 0 { throw TooMany() }
        }
        return KeySet(keys)
    }

    private static func spend(_ budget: inout Int, _ steps: Int = 1) throws {
        budget -= steps
        if budget < 0 { throw TooMany() }
    }

    /// Returns the objects to which affected objects of another class refer, or did.
    private func targets(
        of origin: ObservedClass, _ column: Int, within budget: inout Int
    ) throws -> KeySet {
        let sources = try find(origin, &budget)
        guard let table = origin.managedClass.table else { return KeySet() }
        let old = try oldTable(of: origin.managedClass)
        var keys = try links(of: sources, in: table, column: column, within: &budget)
        if let old { keys += try links(of: sources, in: old, column: column, within: &budget) }
        guard let changes = changes(of: origin.managedClass) else { return KeySet(keys) }
        let id = table.columnID(column)
        var relinked = changes.modifications.keys { $0.contains(id) }
        relinked.subtract(sources)
        for key in relinked.keys {
            try Self.spend(&budget)
            let found = try relinkedKeys(column, of: key, from: old, to: table, changes: changes)
            try Self.spend(&budget, found.count)
            keys += found
        }
        keys += try links(of: changes.insertions, in: table, column: column, within: &budget)
        if let old {
            keys += try links(of: changes.deletions, in: old, column: column, within: &budget)
        }
        return KeySet(keys)
    }

    /// Returns the objects that an object of both versions has begun or ceased to link to; others
    /// among those that it links to only where it takes less time to look at all of them.
    private func relinkedKeys(
        _ column: Int, of key: ObjectKey, from old: Table?, to new: Table, changes: TableChanges
    ) throws -> [ObjectKey] {
        guard let old, try old.contains(key) else { return try new.linkedKeys(column, of: key) }
        let found: [ObjectKey]? =
            switch new.definition.columns[column].collection {
            case .none: nil
            case .list:
                try relinkedKeys(
                    from: old.list(column, of: key), to: new.list(column, of: key),
                    changes: changes
                ) { try $0.value(at: $1) }
            case .set:
                try relinkedKeys(
                    from: old.set(column, of: key), to: new.set(column, of: key),
                    changes: changes
                ) { try $0.value(at: $1) }
            case .map:
                try relinkedKeys(
                    from: old.map(column, of: key), to: new.map(column, of: key),
                    changes: changes
                ) { try $0.entry(at: $1).value }
            }
        if let found { return found }
        return try old.linkedKeys(column, of: key) + new.linkedKeys(column, of: key)
    }

    /// Nil if elements were set in their places.
    private func relinkedKeys<Handle: ComparableHandle>(
        from old: Handle, to new: Handle, changes: TableChanges,
        _ value: (Handle, Int) throws -> Scalar
    ) throws -> [ObjectKey]? {
        guard let change = try new.change(since: old, changes) else { return [] }
        if !change.modifications.isEmpty { return nil }
        var keys: [ObjectKey] = []
        for (handle, ranges) in [(old, change.deletions), (new, change.insertions)] {
            for position in ranges.joined() {
                if case .integer(let key) = try value(handle, position) {
                    keys.append(ObjectKey(rawValue: key))
                }
            }
        }
        return keys
    }

    private func links(
        of sources: KeySet, in table: Table, column: Int, within budget: inout Int
    ) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        for source in sources.keys {
            try Self.spend(&budget)
            if try !table.contains(source) { continue }
            for key in try table.linkedKeys(column, of: source) {
                try Self.spend(&budget)
                keys.append(key)
            }
        }
        return keys
    }
}

// MARK: Forwards

extension VersionStep {
    /// Below this number of steps, affected objects are found backwards in any case.
    private static let fewSteps = 1024

    /// Returns a test of whether an object of a class is affected, to be applied to about `count`
    /// objects that exist in the new version; nil if none is.
    func affectedTest(
        _ observed: ObservedClass, count: Int
    ) throws -> ((ObjectKey) throws(StorageError) -> Bool)? {
        if isUntouched(observed) { return nil }
        let limit = max(Self.fewSteps, count)
        if let found = try affected(observed, limit: limit) {
            return found.isEmpty ? nil : { found.contains($0) }
        }
        return { [self] key throws(StorageError) in try isAffectedForwards(key, observed) }
    }

    /// Whether one object, which exists in the new version, is affected.
    func isAffected(_ key: ObjectKey, _ observed: ObservedClass) throws -> Bool {
        if let columns = changes(of: observed.managedClass)?.modifications.columns(of: key),
            observed.counts(columns)
        {
            return true
        }
        if observed.branches.isEmpty { return false }
        return try affectedTest(observed, count: 1)?(key) ?? false
    }

    private func isAffectedForwards(
        _ key: ObjectKey, _ observed: ObservedClass
    ) throws(StorageError) -> Bool {
        let identity = observed.identity
        if let known = verdicts[identity]?[key] { return known }
        // Levels of links are distinct, so the search ends without this; it only says that an
        // object on the way to itself adds nothing.
        verdicts[identity, default: [:]][key] = false
        let verdict = try leadsToChange(key, observed)
        verdicts[identity]![key] = verdict
        return verdict
    }

    private func leadsToChange(
        _ key: ObjectKey, _ observed: ObservedClass
    ) throws(StorageError) -> Bool {
        let changes = changes(of: observed.managedClass)
        if let columns = changes?.modifications.columns(of: key), observed.counts(columns) {
            return true
        }
        guard let table = observed.managedClass.table else { return false }
        for branch in observed.branches where leads(observed, by: branch) {
            switch branch.hop {
            case .links(let column):
                for linked in try table.linkedKeys(column, of: key)
                where try isAffectedForwards(linked, branch.target) {
                    return true
                }
            case .mixedLinks(let column):
                let number = branch.target.managedClass.table?.number
                for linked in try table.mixedTargets(column, of: key)
                where linked.table == number {
                    if try isAffectedForwards(linked.key, branch.target) { return true }
                }
            case .referrers(let column):
                if try referrersHaveChanged(of: key, branch.target, column: column) { return true }
            }
        }
        return false
    }

    private func referrersHaveChanged(
        of key: ObjectKey, _ origin: ObservedClass, column: Int
    ) throws(StorageError) -> Bool {
        guard let table = origin.managedClass.table else { return false }
        var (new, before) = (Set<ObjectKey>(), Set<ObjectKey>())
        try table.forEachReference(to: key, in: column) { source, _ in
            new.insert(source)
            return true
        }
        if let old = try oldTable(of: origin.managedClass) {
            try old.forEachReference(to: key, in: column) { source, _ in
                before.insert(source)
                return true
            }
        }
        if new != before { return true }
        for source in new where try isAffectedForwards(source, origin) { return true }
        return false
    }
}

extension Table {
    /// Returns the keys of the objects that a column of links, or of collections of links, of an
    /// object refers to.
    func linkedKeys(_ column: Int, of key: ObjectKey) throws(StorageError) -> [ObjectKey] {
        var keys = ContiguousArray<Int64>()
        switch definition.columns[column].collection {
        case .none:
            if case .integer(let target) = try value(column, of: key) { keys.append(target) }
        case .list: try list(column, of: key).appendLinks(to: &keys)
        case .set: try set(column, of: key).appendLinks(to: &keys)
        case .map: try map(column, of: key).appendLinks(to: &keys)
        }
        return keys.map { ObjectKey(rawValue: $0) }
    }
}
