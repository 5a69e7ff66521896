import StorageEngine

/// A query whose objects are followed from version to version, at a cost that depends on what has
/// changed instead of on the number of objects.
///
/// Its objects are kept in order. Those for which a version may have changed whether the query has
/// them, or where, are taken out of their old places and put into the new ones, which are found by
/// binary search. The others are in the same order in both versions, so either can be read.
final class FollowedQuery {
    private let query: ResultsQuery
    private let decisive: ObservedClass
    private let filter: QueryPlan?
    private let orders: [QueryOrder]
    /// The properties of which equal values are shown once; nil if all objects are shown.
    private let distinct: [QueryOrder]?

    /// Below this number of objects, and below this fraction (1/n) of the table, changed objects
    /// are looked at one by one. For more, the query is repeated.
    private static let few = 64
    private static let shareOfTable = 64

    /// Fails for a query that has to be repeated to find out what has changed: of a list, set or
    /// map, or with an operation after `distinct`.
    ///
    /// - Parameter decisive: What the objects depend on besides their source.
    init?(_ query: ResultsQuery, _ decisive: ObservedClass) {
        switch query.origin {
        case .table, .backlinks: break
        case .column, .nothing: return nil
        }
        guard query.managedClass.table != nil else { return nil }
        var operations = query.operations[...]
        var filter: QueryPlan?
        var orders: [QueryOrder] = []
        var distinct: [QueryOrder]?
        if case .filter(_, let plan)? = operations.first {
            filter = plan
            operations.removeFirst()
        }
        if case .sort(_, let given)? = operations.first {
            orders = given
            operations.removeFirst()
        }
        if case .distinct(_, let given)? = operations.first {
            distinct = given
            operations.removeFirst()
        }
        guard operations.isEmpty else { return nil }
        self.query = query
        self.decisive = decisive
        self.filter = filter
        self.orders = orders
        self.distinct = distinct
    }

    /// Finds the objects in the version that the Realm reads.
    func state() throws -> OrderedState {
        guard let distinct, let table = query.managedClass.table else {
            return OrderedState(shown: OrderedKeys(try query.findAll()))
        }
        let all = try query.replacing(Array(query.operations.dropLast())).findAll()
        let sorter = try QuerySorter(table, distinct)
        var order = ObjectOrder(sorter)
        let complete = try all.filter {
            try order.entry($0).isComplete(inFirst: distinct.count)
        }
        return OrderedState(
            shown: OrderedKeys(try sorter.distinct(all)),
            grouped: OrderedKeys(try sorter.sorted(complete)))
    }

    // MARK: Following

    /// Finds what a step does to the objects of the older version.
    ///
    /// - Returns: The difference, in which those objects are modified that `modifications` says,
    ///   and the state in the newer version; nil if too much has changed.
    func follow(
        _ state: OrderedState, over step: VersionStep, counting modifications: ObservedClass
    ) throws -> (IndexChanges, OrderedState)? {
        guard let table = query.managedClass.table, isSourceAlive,
            let old = try step.oldTable(of: query.managedClass)
        else { return nil }
        let limit = max(Self.few, try table.count() / Self.shareOfTable)
        guard let candidates = try candidates(step, limit: limit),
            let modified = try step.affected(modifications, limit: limit), modified.count <= limit
        else { return nil }
        let found = try objects(among: candidates, table)
        var next = state
        var replacement: Replacement
        var (before, after) = (try order(orders, old), try order(orders, table))
        if distinct != nil {
            let firsts = try regroup(
                &next, candidates, matching: found, from: old, to: table)
            replacement = try next.shown.replace(
                firsts.old, in: old, order: &before, by: firsts.new, order: &after)
        } else {
            replacement = try next.shown.replace(
                candidates, in: old, order: &before, by: found, order: &after)
        }
        let replaced = Set(replacement.old.map(\.key))
        let others = modified.keys.filter { !replaced.contains($0) }
        var change = replacement.difference(modified: modified)
        change.modifications +=
            try state.shown.places(of: others, in: old, order: &before).map(\.position)
        change.modifications.sort()
        return (change, next)
    }

    /// Returns the positions that objects have in the older version of a step, of which `state` is
    /// the state, ascending; nil if looking for each takes longer than looking at all.
    func places(
        of keys: KeySet, in state: OrderedState, over step: VersionStep
    ) throws -> [Int]? {
        guard let old = try step.oldTable(of: query.managedClass),
            keys.count <= max(Self.few, state.shown.count / Self.shareOfTable)
        else { return nil }
        var order = try order(orders, old)
        return try state.shown.places(of: keys.keys, in: old, order: &order).map(\.position)
    }

    private func order(_ orders: [QueryOrder], _ table: Table) throws -> ObjectOrder {
        ObjectOrder(try QuerySorter(table, orders))
    }

    /// Whether the object exists to which the objects refer.
    private var isSourceAlive: Bool {
        if case .backlinks(let managed) = query.origin { managed.isAlive } else { true }
    }

    /// Returns the objects that may have come, gone or moved, each once; nil if they are too many.
    private func candidates(_ step: VersionStep, limit: Int) throws -> [ObjectKey]? {
        guard var keys = try step.affected(decisive, limit: limit) else { return nil }
        if let changes = step.changes(of: query.managedClass) {
            let count = keys.count + changes.insertions.count + changes.deletions.count
            guard count <= limit else { return nil }
            keys.formUnion(changes.insertions)
            keys.formUnion(changes.deletions)
        }
        return keys.count <= limit ? Array(keys.keys) : nil
    }

    /// Returns the candidates that the query chooses from in the newer version, as often as it has
    /// them, before `distinct`.
    private func objects(among candidates: [ObjectKey], _ table: Table) throws -> [ObjectKey] {
        let existing = try candidates.filter { try table.contains($0) }
        let matching = try filter?.matches(amongFew: existing) ?? existing
        guard case .backlinks(let managed) = query.origin else { return matching }
        return try matching.flatMap { key in
            try table.linkedKeys(managed.column, of: key).filter { $0 == managed.targetKey }
                .map { _ in key }
        }
    }

    // MARK: Groups

    /// Brings the groups up to date. Returns the first objects, before and after, of all groups
    /// that candidates belong or belonged to.
    private func regroup(
        _ state: inout OrderedState, _ candidates: [ObjectKey], matching found: [ObjectKey],
        from old: Table, to table: Table
    ) throws -> (old: [ObjectKey], new: [ObjectKey]) {
        let distinct = distinct ?? []
        var before = try order(distinct + orders, old)
        var after = try order(distinct + orders, table)
        let grouped = state.grouped
        let complete = try found.filter {
            try after.entry($0).isComplete(inFirst: distinct.count)
        }
        let oldEntries = try grouped.places(of: candidates, in: old, order: &before).map(\.entry)
        _ = try state.grouped.replace(
            candidates, in: old, order: &before, by: complete, order: &after)
        let newEntries = try complete.map { try after.entry($0) }
        var firsts: (old: Set<ObjectKey>, new: Set<ObjectKey>) = ([], [])
        for entry in oldEntries + newEntries {
            if let key = try grouped.first(like: entry, in: &before, properties: distinct.count) {
                firsts.old.insert(key)
            }
            if let key = try state.grouped.first(
                like: entry, in: &after, properties: distinct.count)
            {
                firsts.new.insert(key)
            }
        }
        return (Array(firsts.old), Array(firsts.new))
    }
}

// MARK: - Sequences

/// Objects that were taken out of an ordered sequence, and those that were put in.
private struct Replacement {
    /// With their positions in the old sequence, ascending.
    var old: [(position: Int, key: ObjectKey)]
    /// With their positions in the sequence without the old ones, ascending.
    var new: [(position: Int, key: ObjectKey)]

    /// The difference between the sequences. An object that is in both has moved if it has other
    /// neighbours among those that were not replaced, or if fewest are moved that way.
    func difference(modified: KeySet) -> IndexChanges {
        let oldGaps = old.enumerated().map { (key: $1.key, gap: $1.position - $0) }
        let oldGapOfKey = Dictionary(oldGaps, uniquingKeysWith: { first, _ in first })
        let newGapOfKey = Dictionary(new.map { ($0.key, $0.position) }) { first, _ in first }
        let oldStaying = old.indices.filter { newGapOfKey[old[$0].key] == oldGaps[$0].gap }
        let newStaying = new.indices.filter { oldGapOfKey[new[$0].key] == new[$0].position }
        let matches = SequenceDiff.matches(
            oldStaying.map { old[$0].key }, newStaying.map { new[$0].key })
        var (oldKept, newKept) = (Set<Int>(), Set<Int>())
        for match in matches {
            oldKept.insert(oldStaying[match.old])
            newKept.insert(newStaying[match.new])
        }
        var change = IndexChanges()
        for index in old.indices {
            if !oldKept.contains(index) {
                change.deletions.append(old[index].position)
            } else if modified.contains(old[index].key) {
                change.modifications.append(old[index].position)
            }
        }
        for index in new.indices where !newKept.contains(index) {
            change.insertions.append(new[index].position + index)
        }
        return change
    }
}

extension OrderedKeys {
    /// Returns those of the objects that the sequence has, as often as it has them, with their
    /// positions, ascending. The sequence is in the order of `order`, of the version of `table`.
    fileprivate func places(
        of keys: some Sequence<ObjectKey>, in table: Table, order: inout ObjectOrder
    ) throws -> [(position: Int, entry: ObjectOrder.Entry)] {
        var places: [(position: Int, entry: ObjectOrder.Entry)] = []
        for key in keys where try table.contains(key) {
            let entry = try order.entry(key)
            var position = try partitionPoint { try order.precedes($0, entry) }
            while position < count, self[position] == key {
                places.append((position, entry))
                position += 1
            }
        }
        return places.sorted { $0.position < $1.position }
    }

    /// Takes objects out of a sequence that is in one order, and puts others into the rest, which
    /// is in another order, too.
    fileprivate mutating func replace(
        _ old: [ObjectKey], in table: Table, order before: inout ObjectOrder,
        by new: [ObjectKey], order after: inout ObjectOrder
    ) throws -> Replacement {
        let places = try places(of: old, in: table, order: &before)
        remove(at: places.map(\.position))
        var entries = try new.map { try after.entry($0) }
        entries.sort { after.precedes($0, $1) }
        let inserted = try entries.map { entry in
            (position: try partitionPoint { try after.precedes($0, entry) }, key: entry.key)
        }
        insert(inserted)
        return Replacement(
            old: places.map { ($0.position, $0.entry.key) }, new: inserted)
    }

    /// Returns the first object that equals an entry in the first properties of an order, by which
    /// the sequence is ordered.
    fileprivate func first(
        like entry: ObjectOrder.Entry, in order: inout ObjectOrder, properties: Int
    ) throws -> ObjectKey? {
        let position = try partitionPoint {
            try order.compare($0, entry, properties: properties) < 0
        }
        guard position < count,
            try order.compare(self[position], entry, properties: properties) == 0
        else { return nil }
        return self[position]
    }
}
