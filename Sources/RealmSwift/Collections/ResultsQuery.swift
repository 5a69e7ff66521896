import StorageEngine

/// What copies of a `Results` value share: where objects come from, what is made of them, and what
/// was found for the version at hand.
@usableFromInline
final class ResultsQuery {
    /// Where objects come from.
    enum Source {
        /// All objects of the class, in the order of their keys.
        case table
        /// A list, set, map or linking objects, asked each time.
        case keys(() -> [ObjectKey])
    }

    /// What is done with all objects, one after the other. Between two `distinct` there are at most
    /// a filter and a sort behind it; a table that is sorted is filtered first, if only by nothing.
    enum Operation {
        case filter(QueryCondition, QueryPlan)
        case sort(QuerySorter, [QueryOrder])
        case distinct(QuerySorter)
    }

    let managedClass: ManagedClass
    /// Keeps the Realm alive.
    let realm: RealmInstance
    private let birth: UInt32
    /// Whether elements are not the objects themselves, but made of them: projections, optionals,
    /// values of custom types.
    @usableFromInline let isDecoded: Bool
    let origin: Source
    let operations: [Operation]
    /// Whether these are all objects of the class in the order of their keys, for which nothing is
    /// remembered.
    let isWholeTable: Bool
    // One thread uses what follows, and nothing is called while it is accessed.
    @exclusivity(unchecked) private var found = Found()
    // Of a whole table: the leaf that was read last, because positions are often asked for in
    // sequence.
    @exclusivity(unchecked) private var leaf: Node?
    @exclusivity(unchecked) private var leafPositions = 0..<0
    /// The layout stamp for which the leaf is the right one.
    @exclusivity(unchecked) private var leafStamp = UInt64.max

    // Of anything else: what finds rows while objects are asked for one after the other, made with
    // the second of them; and one past the position that was asked for last.
    @exclusivity(unchecked) private var walk: Walk?
    @exclusivity(unchecked) private var nextPosition = -1

    // What the filter of a table has found, perhaps for an earlier state: then it is mended when it is
    // needed.
    @exclusivity(unchecked) private var matches: QueryMatches?
    /// The change stamp for which the matches were found or mended.
    @exclusivity(unchecked) private var matchesStamp = UInt64.max
    /// Whether all objects were looked at for an earlier state, if only to count them.
    @exclusivity(unchecked) private var isFollowed = false
    /// How often in a row matches could not be mended: too much had changed, or a transaction was
    /// rolled back.
    @exclusivity(unchecked) private var failedMends = 0
    /// After so many failures matches are not kept unless their keys are wanted.
    private static let patience = 3

    /// What was found, and when.
    private struct Found {
        /// The connection's change stamp for which the rest holds.
        var stamp: UInt64?
        var keys: PackedKeys?
        var count: Int?
        /// The first so many keys, if no more were looked for.
        var first: [ObjectKey] = []
        /// Whether these are all, as it turned out.
        var isFirstAll = false

        /// Whether all objects were looked at, although no keys were kept.
        var hasLookedAtAll = false

        /// If all objects were counted or found.
        var totalCount: Int? { keys?.count ?? (isFirstAll ? first.count : count) }
    }

    /// How many keys are looked for when single objects are asked for by their positions: so many as
    /// are needed, or all if that is more than the last.
    private static let firstParts = [1, 128, 1024]

    init(
        _ managedClass: ManagedClass, isDecoded: Bool = false, _ origin: Source = .table,
        _ operations: [Operation] = []
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
        realm = managedClass.realm
        birth = realm.generation
    }

    /// The same with other operations.
    func replacing(_ operations: [Operation]) -> ResultsQuery {
        ResultsQuery(managedClass, isDecoded: isDecoded, origin, operations)
    }

    var isValid: Bool { managedClass.isValid(birth: birth) }

    /// Stops unless the results may be used now.
    func requireValid() {
        realm.checkThread()
        if !isValid { stop("Collection is no longer valid") }
        realm.resumeReading()
    }

    /// Where the objects come from.
    var source: _LinkSource { _LinkSource(target: managedClass, birth: realm.generation) }

    // MARK: Answers

    var count: Int {
        requireValid()
        guard let table = managedClass.table else { return 0 }
        if isWholeTable { return attempt { try table.count() } }
        forgetOutdated()
        if let count = found.totalCount { return count }
        let count = countWithoutKeys() ?? keys.count
        found.count = count
        return count
    }

    /// Sorting changes no count, and a filter of a whole table needs no keys for it. From the second
    /// time on they are kept nevertheless, if they can be mended: whoever counts again after a change
    /// will do so after the next one.
    private func countWithoutKeys() -> Int? {
        guard let plan = plan?.plan else { return nil }
        found.hasLookedAtAll = true
        return attempt {
            try mendedMatches(of: plan, finding: isWorthKeeping)?.count ?? plan.count()
        }
    }

    /// Whether matches are kept although no keys are wanted.
    private var isWorthKeeping: Bool { isFollowed && failedMends < Self.patience }

    /// What a plan finds in the whole table, if what it found before can be mended, or if it shall be
    /// found; nil for a plan whose matches cannot be mended.
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

    /// If objects of a table are filtered and sorted, and nothing else: what finds them, and what
    /// puts them in order.
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

    /// What finds the objects among all of their table, unless a few keys are known that are
    /// faster.
    var planOfAggregates: QueryPlan? {
        forgetOutdated()
        guard let table = managedClass.table, let plan = plan?.plan else { return nil }
        guard found.keys != nil || found.isFirstAll, let count = found.totalCount else {
            return plan
        }
        let isFew = attempt { try table.count() } / QueryPlan.shareOfCandidates > count
        return isFew ? nil : plan
    }

    /// All keys in their order.
    var keys: PackedKeys {
        forgetOutdated()
        if let keys = found.keys { return keys }
        let keys =
            found.isFirstAll ? PackedKeys(found.first) : attempt { try findKeys() }
        if !isWholeTable { found.keys = keys }
        return keys
    }

    private func forgetOutdated() {
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

    /// Looks for all objects, whatever is remembered.
    ///
    /// - Parameter matches: what the filter of the table finds, if that is known.
    func findAll(among matches: PackedKeys? = nil) throws -> [ObjectKey] {
        guard let table = managedClass.table else { return [] }
        var rest = operations[...]
        var keys: [ObjectKey]
        switch origin {
        case .keys(let gather): keys = gather()
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
            case .distinct(let sorter): keys = try sorter.distinct(keys)
            }
        }
        return keys
    }

    /// How many leaves were asked when the matches of the table's filter were found or mended last;
    /// nil if none are kept.
    var askedLeaves: Int? { matches?.askedLeaves }

    /// The memory that kept keys take, in bytes.
    var byteCountOfKeys: Int {
        let isShared = operations.count == 1 && matches != nil
        return (matches?.keys.byteCount ?? 0) + (isShared ? 0 : found.keys?.byteCount ?? 0)
    }

    /// Whether there is a first object. No more is looked for than that.
    var hasFirst: Bool {
        requireValid()
        if isWholeTable { return count > 0 }
        forgetOutdated()
        return (firstKeys(atLeast: 1)?.count ?? keys.count) > 0
    }

    /// So many of the first keys as are needed and a few more, or all if there are fewer; nil where
    /// all are known in ``Found/keys``, or needed.
    private func firstKeys(atLeast count: Int) -> [ObjectKey]? {
        if found.keys != nil { return nil }
        if found.first.count >= count || found.isFirstAll { return found.first }
        guard let limit = Self.firstParts.first(where: { $0 >= count }), let (plan, sorter) = plan
        else { return nil }
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

    /// The object at a position; one outside the results stops the program.
    @usableFromInline
    func object(at position: Int) -> ObjectBase {
        if !isWholeTable {
            requireValid()
            realm.connection.releaseExcessMemory()
            let key = key(at: position)
            let object = managedClass.makeAccessor(key: key)
            place(object, key, position)
            return object
        }
        let count = count
        if UInt(bitPattern: position) >= UInt(bitPattern: count) {
            return managedClass.makeAccessor(key: absentKey(at: position, upTo: count))
        }
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

    /// Stops because there is no object at a position, unless a failed transaction may be why: then
    /// gives the key of none.
    private func absentKey(at position: Int, upTo count: Int) -> Int64 {
        if !realm.isInFailedTransaction { requireIndex(position, upTo: count) }
        return ManagedClass.absentKey
    }

    /// Finds the row of an object that is asked for behind the one before: then the next one will be.
    private func place(_ object: ObjectBase, _ key: Int64, _ position: Int) {
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

    /// Apart, because most results are not walked by position.
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

    /// Nil if a transaction that fails meanwhile takes it away.
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

    /// The first position of an object; nil if it is not among the results.
    func position(ofKey key: ObjectKey) -> Int? {
        guard let table = managedClass.table else { return nil }
        if !isWholeTable { return keys.firstPosition(of: key) }
        return attempt { try table.position(of: key) }
    }
}

extension Table {
    /// Ascending.
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
