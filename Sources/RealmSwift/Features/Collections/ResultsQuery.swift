import StorageEngine

/// The shared state of the copies of a `Results` value: the source of the objects, the operations
/// on them, and the objects found for the current version.
@usableFromInline
final class ResultsQuery {
    /// The source of the objects.
    enum Source {
        /// All objects of the class, in key order.
        case table
        /// The objects of a list, set or map.
        case column(any AnyManagedCollection)
        /// The objects that refer to an object. Indirect, because it would make every query larger.
        indirect case backlinks(ManagedBacklinks)
        /// No objects.
        case nothing
    }

    /// An operation on all objects. Operations are applied in order. Between two `distinct`
    /// operations there is at most one filter followed by one sort. For a table, a sort always
    /// follows a filter, which can be one that accepts all objects.
    enum Operation {
        case filter(QueryCondition, QueryPlan)
        case sort(QuerySorter, [QueryOrder])
        case distinct(QuerySorter, [QueryOrder])
    }

    let managedClass: ManagedClass
    /// A reference that keeps the Realm alive.
    let realm: RealmInstance
    private let birth: UInt32
    /// Whether the elements are not the objects themselves, but are made from them: projections,
    /// optionals, or values of custom types.
    @usableFromInline let isDecoded: Bool
    /// Whether the results are all objects of the class in key order. For these, no keys are
    /// cached.
    let isWholeTable: Bool
    /// Whether any number of threads use these results: they are those of a frozen Realm, and no
    /// copy that searches. If so, no field that changes is used.
    let isShared: Bool
    let origin: Source
    let operations: [Operation]
    /// What was found of shared results; nil for all others, and for a whole table, of which
    /// nothing is kept.
    let shared: Published<Found>?
    // Unchecked exclusivity of the following fields is safe, because only one thread uses them and
    // nothing is called during an access.
    @exclusivity(unchecked) private(set) var found = Found()
    // For a whole table: the leaf that was read last, because positions are often accessed in
    // sequence.
    @exclusivity(unchecked) private var leaf: Node?
    @exclusivity(unchecked) private var leafPositions = 0..<0
    /// The layout stamp for which the leaf is valid.
    @exclusivity(unchecked) private var leafStamp = UInt64.max

    // For all other results: the state of sequential accesses, created by the second of them, and
    // the position after the one accessed last.
    @exclusivity(unchecked) private var walk: Walk?
    @exclusivity(unchecked) private var nextPosition = -1

    // The matches of the filter of a table, perhaps of an earlier version. In that case they are
    // refreshed incrementally when they are needed.
    @exclusivity(unchecked) private var matches: QueryMatches?
    /// The change stamp for which the matches were found or refreshed.
    @exclusivity(unchecked) private var matchesStamp = UInt64.max
    /// Whether an earlier version was fully scanned, even if only to count the objects.
    @exclusivity(unchecked) private var isFollowed = false
    /// The number of consecutive failures of an incremental refresh, because too much had changed
    /// or a transaction was rolled back.
    @exclusivity(unchecked) private var failedMends = 0
    /// The number of failures after which matches are kept only if their keys are requested.
    private static let patience = 3

    /// The objects found, and the version for which they are valid.
    struct Found {
        /// The connection's change stamp for which the other fields are valid.
        var stamp: UInt64?
        var keys: PackedKeys?
        /// All keys in the form in which observers keep them.
        var ordered: OrderedKeys?
        var count: Int?
        /// The first keys, if the search was limited.
        var first: [ObjectKey] = []
        /// Whether the limited search found all keys.
        var isFirstAll = false

        /// Whether all objects were scanned, although no keys were kept.
        var hasLookedAtAll = false

        /// The number of all objects; nil if it is not known.
        var totalCount: Int? {
            keys?.count ?? ordered?.count ?? (isFirstAll ? first.count : count)
        }

        /// Returns all that is known here or there, of the same version.
        func joined(with other: Found) -> Found {
            var joined = self
            joined.keys = keys ?? other.keys
            joined.ordered = ordered ?? other.ordered
            joined.count = count ?? other.count
            if !isFirstAll, other.isFirstAll || other.first.count > first.count {
                joined.first = other.first
                joined.isFirstAll = other.isFirstAll
            }
            joined.hasLookedAtAll = hasLookedAtAll || other.hasLookedAtAll
            return joined
        }
    }

    /// The numbers of keys that are searched for access to single objects by position. The smallest
    /// sufficient number is used; beyond the last one, all keys are searched.
    private static let firstParts = [1, 128, 1024]

    init(
        _ managedClass: ManagedClass, isDecoded: Bool = false, from origin: Source = .table,
        operations: [Operation] = [], isSearching: Bool = false
    ) {
        self.managedClass = managedClass
        self.isDecoded = isDecoded
        self.origin = origin
        self.operations = operations
        if case .table = origin {
            isWholeTable = operations.isEmpty
        } else {
            isWholeTable = false
        }
        isShared = managedClass.isFrozen && !isSearching
        shared = isShared && !isWholeTable ? Published() : nil
        realm = managedClass.realm
        birth = realm.generation
    }

    /// Returns the same query with other operations.
    func replacing(_ operations: [Operation]) -> ResultsQuery {
        ResultsQuery(managedClass, isDecoded: isDecoded, from: origin, operations: operations)
    }

    var isValid: Bool { managedClass.isValid(birth: birth) }

    /// Stops the program if the results cannot be used now.
    func requireValid() {
        realm.checkThread()
        if !isValid { stop("Collection is no longer valid") }
        realm.resumeReading()
    }

    /// The origin of the objects, for decoding.
    var source: _LinkSource { _LinkSource(target: managedClass, birth: realm.generation) }

    // MARK: Answers

    var count: Int {
        requireValid()
        guard let table = managedClass.table else { return 0 }
        if isWholeTable { return attempt { try table.count() } }
        if let shared { return count(in: shared) }
        forgetOutdated()
        if let count = found.totalCount { return count }
        let count = countWithoutKeys() ?? keys.count
        found.count = count
        return count
    }

    /// Counts the objects of a table without their keys, because sorting does not change the count.
    /// From the second scan on, the matches are kept if they can be refreshed incrementally,
    /// because another count is likely to follow the next change.
    private func countWithoutKeys() -> Int? {
        guard let plan = plan?.plan else { return nil }
        found.hasLookedAtAll = true
        return attempt {
            try mendedMatches(of: plan, finding: isWorthKeeping)?.count ?? plan.count()
        }
    }

    /// Whether matches are kept although no keys are requested.
    private var isWorthKeeping: Bool { isFollowed && failedMends < Self.patience }

    /// Returns the matches of a plan in the whole table. Earlier matches are refreshed
    /// incrementally; without valid matches, the table is searched if `finding` is true. The result
    /// is nil if there are no matches, or if the plan does not support an incremental refresh.
    private func mendedMatches(of plan: QueryPlan, finding: Bool) throws -> PackedKeys? {
        let stamp = realm.connection.changeStamp
        if let matches, matchesStamp == stamp { return matches.keys }
        guard plan.isMendable else { return nil }
        if matches != nil {
            if try plan.mend(&matches!) {
                failedMends = 0
            } else {
                matches = nil
                failedMends += 1
            }
        }
        if matches == nil, finding { matches = try plan.matches() }
        matchesStamp = stamp
        return matches?.keys
    }

    /// The plan that finds the objects and the sorter that orders them, if the objects of a table
    /// are only filtered and sorted; otherwise nil.
    var plan: (plan: QueryPlan, sorter: QuerySorter?)? {
        guard case .table = origin, let table = managedClass.table else { return nil }
        var plan: QueryPlan?
        var sorter: QuerySorter?
        for operation in operations {
            switch operation {
            case .filter(_, let filter): plan = filter
            case .sort(let sort, _): sorter = sort
            case .distinct: return nil
            }
        }
        return (plan ?? attempt { try everything(of: table) }, sorter)
    }

    func everything(of table: Table) throws -> QueryPlan { try QueryPlan(table, .constant(true)) }

    /// The plan that finds the objects in the whole table; nil if reading a few known keys is
    /// faster.
    var planOfAggregates: QueryPlan? {
        if isShared {
            let isFew = shared?.read { knowsFew($0) } ?? false
            return isFew ? nil : searching().planOfAggregates
        }
        forgetOutdated()
        guard let plan = plan?.plan else { return nil }
        return knowsFew(found) ? nil : plan
    }

    /// Whether all keys are known, and so few that reading their objects is faster than a scan.
    private func knowsFew(_ found: Found) -> Bool {
        guard let table = managedClass.table,
            found.keys != nil || found.ordered != nil || found.isFirstAll,
            let count = found.totalCount
        else { return false }
        return attempt { try table.count() } / QueryPlan.shareOfCandidates > count
    }

    /// All keys in their order.
    var keys: PackedKeys {
        if isShared, isWholeTable { return realm.connection.searching { searching().keys } }
        if let shared { return keys(in: shared) }
        forgetOutdated()
        if let keys = found.keys { return keys }
        let keys =
            if let ordered = found.ordered { PackedKeys(ordered.keys) } else if found.isFirstAll {
                PackedKeys(found.first)
            } else { attempt { try findKeys() } }
        if !isWholeTable { found.keys = keys }
        return keys
    }

    /// Takes over all objects in their order, which were found elsewhere for the version that the
    /// Realm shows. So an observer that is called does not search again.
    func adopt(_ objects: OrderedKeys) {
        if isWholeTable || shared != nil || !isValid || realm.hasChanged { return }
        realm.resumeReading()
        forgetOutdated()
        found.ordered = objects
    }

    func forgetOutdated() {
        let stamp = realm.connection.changeStamp
        if found.stamp == stamp { return }
        if found.hasLookedAtAll { isFollowed = true }
        found = Found(stamp: stamp)
        walk?.locator.forgetNext()
    }

    private func findKeys() throws -> PackedKeys {
        guard case .table = origin, managedClass.table != nil,
            case .filter(_, let plan)? = operations.first,
            let matches = try mendedMatches(of: plan, finding: true)
        else { return PackedKeys(try findAll()) }
        if operations.count == 1 { return matches }
        return PackedKeys(try findAll(among: matches))
    }

    /// Finds all objects, without using the cache.
    ///
    /// - Parameter matches: The matches of the table's filter, if they are known.
    func findAll(among matches: PackedKeys? = nil) throws -> [ObjectKey] {
        guard let table = managedClass.table else { return [] }
        var rest = operations[...]
        var keys: [ObjectKey]
        switch origin {
        case .nothing: return []
        // The results of a query of a collection whose object was deleted are empty.
        case .column(let managed):
            keys =
                managed.isInvalidated ? [] : managed.links().map { ObjectKey(rawValue: $0) }
        case .backlinks(let managed): keys = managed.keys.map { ObjectKey(rawValue: $0) }
        case .table:
            guard case .filter(_, let plan)? = rest.first else {
                keys = try table.allKeys()
                break
            }
            rest = rest.dropFirst()
            if case .sort(let sorter, _)? = rest.first {
                rest = rest.dropFirst()
                keys = try sorter.sorted(plan, found: matches)
            } else {
                keys = try matches?.keys ?? plan.keys()
            }
        }
        for operation in rest {
            switch operation {
            case .filter(_, let plan): keys = try plan.filter(keys)
            case .sort(let sorter, _): keys = try sorter.sorted(keys)
            case .distinct(let sorter, _): keys = try sorter.distinct(keys)
            }
        }
        return keys
    }

    /// The number of leaves that were visited when the matches of the table's filter were last
    /// found or refreshed; nil if no matches are kept.
    var askedLeaves: Int? { matches?.askedLeaves }

    /// The memory used by cached keys, in bytes.
    var byteCountOfKeys: Int {
        let isShared = operations.count == 1 && matches != nil
        return (matches?.keys.byteCount ?? 0) + (isShared ? 0 : found.keys?.byteCount ?? 0)
    }

    /// Whether there is a first object. The search ends with that object.
    var hasFirst: Bool {
        requireValid()
        if isWholeTable { return count > 0 }
        if let shared { return hasFirst(in: shared) }
        forgetOutdated()
        return (firstKeys(atLeast: 1)?.count ?? keys.count) > 0
    }

    /// Returns at least `count` of the first keys, or all keys if there are fewer. Returns nil if
    /// ``Found/keys`` contains all keys, or if all keys are needed.
    func firstKeys(atLeast count: Int) -> [ObjectKey]? {
        if found.keys != nil { return nil }
        if found.first.count >= count || found.isFirstAll { return found.first }
        guard let limit = Self.firstParts.first(where: { $0 >= count }) else { return nil }
        if let ordered = found.ordered {
            found.first = (0..<min(limit, ordered.count)).map { ordered[$0] }
            found.isFirstAll = found.first.count == ordered.count
            return found.first
        }
        guard let (plan, sorter) = plan else { return nil }
        return attempt {
            if sorter == nil, let matches = try mendedMatches(of: plan, finding: isWorthKeeping) {
                found.keys = matches
                return nil
            }
            let first = try sorter?.first(limit, of: plan) ?? plan.keys(limit: limit)
            found.isFirstAll = first.count < limit
            found.hasLookedAtAll = found.hasLookedAtAll || found.isFirstAll
            found.first = first
            return found.first
        }
    }

    // MARK: Objects

    /// Returns the object at a position. Stops the program if the position is invalid.
    @usableFromInline
    func object(at position: Int) -> ObjectBase {
        if !isWholeTable {
            requireValid()
            realm.connection.releaseExcessMemory()
            if let shared { return managedClass.makeAccessor(key: key(at: position, in: shared)) }
            let key = key(at: position)
            let object = managedClass.makeAccessor(key: key)
            place(object, key, at: position)
            return object
        }
        let count = count
        if UInt(bitPattern: position) >= UInt(bitPattern: count) {
            return managedClass.makeAccessor(key: absentKey(at: position, upTo: count))
        }
        if isShared { return frozenObject(at: position) }
        realm.connection.releaseExcessMemory()
        let location: RowLocation
        if realm.connection.layoutStamp.pointee == leafStamp, let leaf,
            leafPositions.contains(position)
        {
            location = RowLocation(leaf: leaf, row: position - leafPositions.lowerBound)
        } else if let found = findLeaf(with: position) {
            location = found
        } else {
            return managedClass.makeAccessor(key: absentKey(at: position, upTo: 0))
        }
        let table = managedClass.existingTable
        let object = managedClass.makeAccessor(key: table.key(at: location).rawValue)
        object._place(at: location, stamp: leafStamp)
        return object
    }

    /// Returns the key of no object if a failed transaction may have removed the object at a
    /// position. Otherwise stops the program, because there is no object.
    func absentKey(at position: Int, upTo count: Int) -> Int64 {
        if !realm.isInFailedTransaction { requireIndex(position, upTo: count) }
        return ManagedClass.absentKey
    }

    /// Places an accessor in its row if the position follows the previous one, because the next
    /// access is then likely to be sequential as well.
    private func place(_ object: ObjectBase, _ key: Int64, at position: Int) {
        defer { nextPosition = position + 1 }
        guard position == nextPosition else {
            walk?.locator.forgetNext()
            return
        }
        let walk = walk ?? Walk(managedClass)
        self.walk = walk
        let end = found.keys?.count ?? found.first.count
        let location = walk.locator.locate(key, birth: object._birth, at: position, before: end) {
            (found.keys?[$0] ?? found.first[$0]).rawValue
        }
        if let location { object._place(at: location, stamp: walk.locator.stamp) }
    }

    /// The state of sequential accesses. It is a separate object, because most results are not
    /// accessed sequentially.
    private final class Walk {
        @exclusivity(unchecked) var locator: SequentialLocator

        init(_ managedClass: ManagedClass) { locator = SequentialLocator(managedClass) }
    }

    private func key(at position: Int) -> Int64 {
        forgetOutdated()
        if found.keys == nil, let first = firstKeys(atLeast: max(0, position) + 1) {
            if UInt(bitPattern: position) >= UInt(bitPattern: first.count) {
                return absentKey(at: position, upTo: first.count)
            }
            return first[position].rawValue
        }
        if found.keys == nil { _ = keys }
        let count = found.keys?.count ?? 0
        if UInt(bitPattern: position) >= UInt(bitPattern: count) {
            return absentKey(at: position, upTo: count)
        }
        return found.keys.unsafelyUnwrapped[position].rawValue
    }

    /// Finds the leaf of a position. Returns nil if a transaction fails in the meantime and the
    /// position no longer exists.
    private func findLeaf(with position: Int) -> RowLocation? {
        let found: RowLocation? = attempt {
            let table = managedClass.existingTable
            return try position < table.count() ? table.location(at: position) : nil
        }
        guard let location = found else { return nil }
        let first = position - location.row
        leaf = location.leaf
        leafPositions = first..<first + location.leaf.rowCount
        leafStamp = realm.connection.layoutStamp.pointee
        return location
    }

    func position(of object: ObjectBase) -> Int? {
        requireValid()
        guard let table = managedClass.table, object._managedClass?.table === table,
            object._managedClass?.realm === realm, !object.isInvalidated
        else { return nil }
        return position(ofKey: ObjectKey(rawValue: object._key))
    }

    /// Returns the first position of an object; nil if the results do not contain it.
    func position(ofKey key: ObjectKey) -> Int? {
        guard let table = managedClass.table else { return nil }
        if !isWholeTable { return keys.firstPosition(of: key) }
        return attempt { try table.position(of: key) }
    }
}

extension Table {
    /// Returns all keys in ascending order.
    fileprivate func allKeys() throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(try count())
        try forEachLeaf { leaf, _ in
            for row in 0..<leaf.rowCount { keys.append(key(at: RowLocation(leaf: leaf, row: row))) }
            return true
        }
        return keys
    }
}
