/// A condition compiled for a table: finds the objects that satisfy it.
///
/// ```swift
/// let plan = try QueryPlan(people, .value(column: 2, .compare(.less, .integer(30))))
/// print(try plan.count())
/// ```
/// Conditions on packed columns are answered leaf by leaf without looking at single values; those
/// on linked objects by finding these first. Where an index, or backlinks, name few objects, only
/// those are looked at.
///
/// Used by the connection's thread. A plan stays usable while its connection lives and its schema
/// stays the same, whatever is written; each call answers for the version that the connection
/// stands at, changes of an open write transaction included. Nothing may be written during a call.
public final class QueryPlan {
    public let table: Table
    let root: QueryNode
    /// If the condition is one test of a packed column.
    private let onlyTest: ColumnPredicate?
    /// What is looked at, while somebody wants to know.
    private var effort: QueryEffort?

    /// Candidates are looked at one by one if they are at most this part of the table: looking one
    /// up costs some hundred times what a row costs in a scan, if that reads a column.
    public static let shareOfCandidates = 64

    /// - Throws: `.invalidArgument` if a test does not suit its column, or conditions lie inside
    ///   each other deeper than ``QueryCondition/maximumDepth``; `.damaged`.
    public convenience init(_ table: Table, _ condition: QueryCondition) throws {
        try self.init(table, condition, depth: 0)
    }

    /// - Parameter depth: in how many other conditions this one lies.
    init(_ table: Table, _ condition: QueryCondition, depth: Int) throws {
        self.table = table
        root = try QueryNode.compile(condition, table, depth: depth)
        onlyTest = (root as? ColumnNode)?.predicate
    }

    /// Whether all objects of the table match.
    var matchesEverything: Bool { (root as? ConstantNode)?.value == true }

    // MARK: Answers

    /// How many objects match.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func count() throws -> Int {
        if matchesEverything, effort == nil { return try table.count() }
        let candidates = try begin()
        if let keys = matches(named: candidates) { return keys.count }
        if candidates == nil, effort == nil, let count = try root.countByPrimaryKey() {
            return count
        }
        if candidates == nil, effort == nil, let onlyTest {
            return try table.count(where: onlyTest)
        }
        var count = 0
        try forEachLeaf(among: candidates, keepsLeaves: false) { rows, _ in
            count += rows.count
            return true
        }
        return count
    }

    /// The keys of the objects that match, ascending: the first so many of them.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func keys(limit: Int = .max) throws -> [ObjectKey] {
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

    /// Those of some objects that match, ascending. Objects that do not exist do not match.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func matches(among keys: [ObjectKey]) throws -> [ObjectKey] {
        try root.prepare()
        return try preparedMatches(among: keys)
    }

    /// Those of some objects that match, in the order given, each as often as it is there.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func filter(_ keys: [ObjectKey]) throws -> [ObjectKey] {
        try root.prepare()
        return try preparedFilter(keys)
    }

    /// The same between ``begin()`` and the next change.
    func preparedFilter(_ keys: [ObjectKey]) throws -> [ObjectKey] {
        let matched = MatchedKeys(try preparedMatches(among: keys))
        return keys.filter { matched.contains($0.rawValue) }
    }

    /// Whether an object matches, after `root` has been prepared.
    func preparedMatch(_ key: ObjectKey) throws -> Bool {
        try !preparedMatches(among: [key]).isEmpty
    }

    private func preparedMatches(among keys: [ObjectKey]) throws -> [ObjectKey] {
        var matches: [ObjectKey] = []
        try forEachLeaf(among: keys) { rows, scan in
            let leaf = scan.leaf
            rows.forEachRow { matches.append(leaf.objectKey($0)) }
            return true
        }
        return matches
    }

    /// The matches, ascending, each once, where indexes have named them and nothing is left to ask:
    /// no object is looked at.
    ///
    /// - Parameter candidates: what ``begin()`` has returned.
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

    /// Begins to answer for the version at hand. Returns the objects among which all matches are,
    /// if an index or backlinks name few; nil if all have to be looked at.
    func begin() throws -> [ObjectKey]? {
        try root.prepare()
        return try root.candidates(atMost: table.count() / root.shareOfCandidates)
    }

    /// Visits the leaves in the order of their keys, each with the rows that match, at least one,
    /// until `body` returns false.
    ///
    /// - Parameters:
    ///   - candidates: what ``begin()`` has returned, or other objects to choose from.
    ///   - keepsLeaves: whether what `body` reads of a leaf has to stay valid after it; see
    ///     ``LeafScan``.
    ///   - leavingOut: takes out rows that do not matter to the caller. It comes before the
    ///     condition, which is asked only for the rows that are left.
    func forEachLeaf(
        among candidates: [ObjectKey]?, keepsLeaves: Bool = true,
        leavingOut: (inout RowMask, borrowing LeafScan) throws -> Void = { _, _ in },
        _ body: (inout RowMask, borrowing LeafScan) throws -> Bool
    ) throws {
        var rows = RowMask()
        func visit(_ scan: borrowing LeafScan) throws -> Bool {
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

    /// Visits the objects of some leaves that match. The condition has been prepared; `rows` is
    /// overwritten.
    func forEachMatch(
        in leaves: ArraySlice<Node>, _ rows: inout RowMask, _ body: (ObjectKey) -> Void
    ) throws {
        for leaf in leaves {
            let scan = LeafScan(table, at: leaf)
            rows.fill(true, rows: leaf.rowCount)
            if effort != nil { try measure(rows, scan) }
            try root.narrow(&rows, in: scan)
            rows.forEachRow { body(leaf.objectKey($0)) }
        }
    }

    /// Makes `rows` those of the next key's leaf that hold it and the keys behind it, and moves
    /// behind them; nil if the next object does not exist.
    private func scan(
        from next: inout Int, of keys: [ObjectKey], into rows: inout RowMask
    ) throws -> LeafScan? {
        let location = try table.location(of: keys[next])
        next += 1
        guard let location else { return nil }
        rows.fill(false, rows: location.leaf.rowCount)
        rows.insert(location.row)
        while next < keys.count, let row = Table.row(of: keys[next], in: location.leaf) {
            rows.insert(row)
            next += 1
        }
        return LeafScan(table, at: location.leaf)
    }

    // MARK: Telling

    /// How the plan finds its objects: a line for each part, parts of parts indented, the one that
    /// is asked first on top.
    public func explain() -> String {
        (["objects of \(table.stored.name)"] + QueryNode.indented([root]))
            .joined(separator: "\n")
    }

    /// Tells what the plan looks at while `body` asks it. A plan that is not measured counts
    /// nothing.
    public func measuringEffort<Answer>(
        _ body: () throws -> Answer
    ) rethrows -> (answer: Answer, effort: QueryEffort) {
        effort = QueryEffort()
        defer { effort = nil }
        let answer = try body()
        return (answer, effort ?? QueryEffort())
    }

    private func measure(_ rows: borrowing RowMask, _ scan: borrowing LeafScan) throws {
        effort?.leaves += 1
        if try rows.isEmpty || root.verdict(in: scan) != nil {
            effort?.skippedLeaves += 1
        } else {
            effort?.rows += rows.count
        }
    }

    func noteOrderByIndex() { effort?.isOrderedByIndex = true }
}
