/// A condition compiled for a table, which finds the objects that satisfy it.
///
/// ```swift
/// let plan = try QueryPlan(people, .value(column: 2, .compare(.less, .integer(30))))
/// print(try plan.count())
/// ```
/// Conditions on packed columns are evaluated leaf by leaf without reading single values. For
/// conditions on linked objects, those objects are found first. If an index or backlinks give few
/// candidates, only they are tested.
///
/// Used by the connection's thread. A plan stays usable while its connection lives and its schema
/// stays the same, whatever is written. Each call reads the connection's current version, including
/// changes of an open write transaction. Nothing may be written during a call.
public final class QueryPlan {
    public let table: Table
    let root: QueryNode
    /// The condition, if it is a single test of a packed column.
    private let onlyTest: ColumnPredicate?
    /// The counters of ``measuringEffort(_:)``; nil outside of it.
    private var effort: QueryEffort?

    /// Candidates are tested one by one if they are at most this fraction (1/n) of the table.
    /// Looking one up costs some hundred times as much as a row in a scan that reads a column.
    public static let shareOfCandidates = 64

    /// - Throws: `.invalidArgument` if a test does not suit its column, or conditions are nested
    ///   deeper than ``QueryCondition/maximumDepth``; `.damaged`.
    public convenience init(_ table: Table, _ condition: QueryCondition) throws(StorageError) {
        try self.init(table, condition, depth: 0)
    }

    /// - Parameter depth: the number of conditions that this one is nested in.
    init(_ table: Table, _ condition: QueryCondition, depth: Int) throws(StorageError) {
        self.table = table
        root = try QueryNode.compile(condition, table, depth: depth)
        onlyTest = (root as? ColumnNode)?.predicate
    }

    /// Whether all objects of the table match.
    var matchesEverything: Bool { (root as? ConstantNode)?.value == true }

    // MARK: Answers

    /// The number of objects that match.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func count() throws(StorageError) -> Int {
        // The shortcuts read no leaves, so they are not taken while effort is measured.
        if matchesEverything, effort == nil { return try table.count() }
        let candidates = try begin()
        if let keys = matches(named: candidates) { return keys.count }
        if candidates == nil, effort == nil, let count = try root.countByPrimaryKey() {
            return count
        }
        if candidates == nil, effort == nil, let onlyTest {
            return try table.count(where: onlyTest)
        }
        if let condition = try sharedCondition(candidates),
            let count = try table.sharedCount(where: condition, matching: narrow)
        {
            return count
        }
        var count = 0
        try forEachLeaf(among: candidates, keepsLeaves: false) { rows, _ in
            count += rows.count
            return true
        }
        return count
    }

    /// The first `limit` keys of the objects that match, in ascending order.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func keys(limit: Int = .max) throws(StorageError) -> [ObjectKey] {
        if limit <= 0 { return [] }
        let candidates = try begin()
        if var keys = matches(named: candidates) {
            if keys.count > limit { keys.removeLast(keys.count - limit) }
            return keys
        }
        var keys: [ObjectKey] = []
        try forEachLeaf(among: candidates, keepsLeaves: false) { rows, scan in
            let leaf = scan.leaf
            rows.forEachRow { keys.append(leaf.objectKey($0)) }
            return keys.count < limit
        }
        if keys.count > limit { keys.removeLast(keys.count - limit) }
        return keys
    }

    /// The objects among `keys` that match, in ascending order. Objects that do not exist do not
    /// match.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func matches(among keys: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
        try prepare()
        return try preparedMatches(among: keys)
    }

    /// The same for few objects: conditions on other objects are tested for those that each of
    /// them leads to, so nothing takes time for the size of a table.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func matches(amongFew keys: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
        // Also before objects are found by their keys: conditions may read tables as a whole.
        try table.connection.removeDeletedRows()
        try root.prepareForFew()
        return try preparedMatches(among: keys)
    }

    /// The keys among `keys` whose objects match, in the order given, repetitions included.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func filter(_ keys: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
        try prepare()
        return try preparedFilter(keys)
    }

    /// The same, between ``begin()`` and the next change.
    func preparedFilter(_ keys: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
        let matched = MatchedKeys(try preparedMatches(among: keys))
        return keys.filter { matched.contains($0.rawValue) }
    }

    /// Whether an object matches. `root` must have been prepared.
    func preparedMatch(_ key: ObjectKey) throws(StorageError) -> Bool {
        try !preparedMatches(among: [key]).isEmpty
    }

    private func preparedMatches(among keys: [ObjectKey]) throws(StorageError) -> [ObjectKey] {
        var matches: [ObjectKey] = []
        try forEachLeaf(among: keys) { rows, scan in
            let leaf = scan.leaf
            rows.forEachRow { matches.append(leaf.objectKey($0)) }
            return true
        }
        return matches
    }

    /// The matches in ascending order, each once, if the candidates are exactly the matches, so
    /// that no object has to be read; nil otherwise.
    ///
    /// - Parameter candidates: the result of ``begin()``.
    func matches(named candidates: [ObjectKey]?) -> [ObjectKey]? {
        guard let keys = candidates, root.namesMatchesOnly else { return nil }
        effort?.named(keys.count)
        if keys.count < 2 { return keys }
        let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0.rawValue < $1.rawValue }
        if isAscending { return keys }
        var matches: [ObjectKey] = []
        matches.reserveCapacity(keys.count)
        for key in keys.sorted(by: { $0.rawValue < $1.rawValue }) where key != matches.last {
            matches.append(key)
        }
        return matches
    }

    // MARK: Visiting

    /// Prepares the condition for the current version, without rows of deleted objects in any
    /// table: objects found by their keys have to stay in their places while conditions read tables
    /// as a whole.
    private func prepare() throws(StorageError) {
        try table.connection.removeDeletedRows()
        try root.prepare()
    }

    /// Prepares the condition for the current version. Returns candidates that include all matches,
    /// if an index or backlinks give few; nil if all objects have to be tested.
    func begin() throws(StorageError) -> [ObjectKey]? {
        try prepare()
        return try root.candidates(atMost: table.count() / root.shareOfCandidates)
    }

    /// The condition in the form for two threads; nil if they cannot, or it is not worth it to,
    /// evaluate it, or effort is measured.
    ///
    /// - Parameter candidates: the result of ``begin()``.
    func sharedCondition(_ candidates: [ObjectKey]?) throws(StorageError) -> LeafCondition? {
        guard candidates == nil, effort == nil,
            try table.count() >= table.pager.worthSharing.fewestRows
        else { return nil }
        var condition = LeafCondition()
        return matchesEverything || root.append(to: &condition) ? condition : nil
    }

    /// Removes the rows of a leaf that do not match. The condition must have been prepared.
    func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        try root.narrow(&rows, in: scan)
    }

    /// Visits leaves in the order of their keys, each with the rows that match, until `body`
    /// returns false. Leaves without matches are skipped.
    ///
    /// - Parameters:
    ///   - candidates: the result of ``begin()``, or other objects to choose from.
    ///   - keepsLeaves: whether what `body` reads of a leaf has to stay valid after it; see
    ///     ``LeafScan``.
    ///   - leavingOut: removes rows that the caller does not need. It runs before the condition,
    ///     which is evaluated only for the remaining rows.
    func forEachLeaf(
        among candidates: [ObjectKey]?, keepsLeaves: Bool = true,
        leavingOut: (inout RowMask, borrowing LeafScan) throws(StorageError) -> Void = { _, _ in },
        _ body: (inout RowMask, borrowing LeafScan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var rows = RowMask()
        func visit(_ scan: borrowing LeafScan) throws(StorageError) -> Bool {
            try leavingOut(&rows, scan)
            if effort != nil { try measure(rows, scan) }
            if !rows.isEmpty { try root.narrow(&rows, in: scan) }
            if rows.isEmpty { return true }
            effort?.matchingLeaves += 1
            return try body(&rows, scan)
        }
        if let candidates {
            effort?.named(candidates.count)
            let keys = candidates.sorted { $0.rawValue < $1.rawValue }
            var next = 0
            while next < keys.count {
                try table.pager.checkStop()
                guard let scan = try scan(from: &next, of: keys, into: &rows) else { continue }
                if try !visit(scan) { return }
            }
        } else {
            var scan = try LeafScan(table, keepsLeaves: keepsLeaves)
            while try scan.next() {
                rows.fill(true, rows: scan.rowCount)
                if try !visit(scan) { return }
            }
        }
    }

    /// Visits the matching objects of some leaves. The condition must have been prepared; `rows` is
    /// overwritten.
    func forEachMatch(
        in leaves: ArraySlice<Node>, _ rows: inout RowMask, _ body: (ObjectKey) -> Void
    ) throws(StorageError) {
        for leaf in leaves {
            let scan = LeafScan(table, at: leaf)
            rows.fill(true, rows: leaf.rowCount)
            if effort != nil { try measure(rows, scan) }
            try root.narrow(&rows, in: scan)
            rows.forEachRow { body(leaf.objectKey($0)) }
        }
    }

    /// Finds the leaf of the next key, and sets `rows` to its rows with that key and the keys after
    /// it. Advances `next` past those keys. Nil if the next object does not exist.
    private func scan(
        from next: inout Int, of keys: [ObjectKey], into rows: inout RowMask
    ) throws(StorageError) -> LeafScan? {
        let location = try table.location(of: keys[next])
        next += 1
        guard let location else { return nil }
        rows.fill(false, rows: location.leaf.rowCount)
        rows.insert(location.row)
        while next < keys.count, let row = table.row(of: keys[next], in: location.leaf) {
            rows.insert(row)
            next += 1
        }
        return LeafScan(table, at: location.leaf)
    }

    // MARK: Telling

    /// Describes how the plan finds its objects: one line per condition, with nested conditions
    /// indented, in order of evaluation.
    public func explain() -> String {
        (["objects of \(table.stored.name)"] + QueryNode.indented([root]))
            .joined(separator: "\n")
    }

    /// Counts what the plan reads while `body` runs. Otherwise nothing is counted.
    public func measuringEffort<Answer, E>(
        _ body: () throws(E) -> Answer
    ) throws(E) -> (answer: Answer, effort: QueryEffort) {
        effort = QueryEffort()
        defer { effort = nil }
        let answer = try body()
        return (answer, effort ?? QueryEffort())
    }

    private func measure(_ rows: borrowing RowMask, _ scan: borrowing LeafScan) throws(StorageError)
    {
        effort?.leaves += 1
        var isSkipped = rows.isEmpty
        if !isSkipped { isSkipped = try root.verdict(in: scan) != nil }
        if isSkipped {
            effort?.skippedLeaves += 1
        } else {
            effort?.rows += rows.count
        }
    }

    func noteOrderByIndex() { effort?.isOrderedByIndex = true }
}
