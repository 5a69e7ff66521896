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
    private var rows = RowMask()
    /// What the last call looked at, but for ``count()``, which leaves it to the kernels.
    public private(set) var effort = QueryEffort()

    /// Candidates are looked at one by one if they are at most this part of the table: looking one
    /// up costs some hundred times what a row costs in a scan.
    private static let shareOfCandidates = 64

    /// - Throws: `.invalidArgument` if a test does not suit its column, `.damaged`.
    public init(_ table: Table, _ condition: QueryCondition) throws {
        self.table = table
        root = try QueryNode.compile(condition, table)
        onlyTest = (root as? ColumnNode)?.predicate
    }

    // MARK: Answers

    /// How many objects match.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func count() throws -> Int {
        try root.prepare()
        if let candidates = try candidates() {
            var count = 0
            try forEachMatch(among: candidates) { rows, _ in
                count += rows.count
                return true
            }
            return count
        }
        if let onlyTest { return try table.count(where: onlyTest) }
        var count = 0
        var scan = try LeafScan(table)
        while try scan.next() {
            rows.fill(true, rows: scan.rowCount)
            try root.narrow(&rows, in: scan)
            count += rows.count
        }
        return count
    }

    /// The keys of the objects that match, ascending: the first so many of them.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func keys(limit: Int = .max) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        if limit <= 0 { return keys }
        try forEachLeaf { rows, leaf in
            rows.forEachRow { keys.append(leaf.objectKey($0)) }
            return keys.count < limit
        }
        if keys.count > limit { keys.removeLast(keys.count - limit) }
        return keys
    }

    /// Visits the leaves in the order of their keys, each with the rows that match, at least one,
    /// until `body` returns false.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests and `body` throw.
    public func forEachLeaf(
        _ body: (_ rows: borrowing RowMask, _ leaf: Node) throws -> Bool
    ) throws {
        try root.prepare()
        if let candidates = try candidates() {
            return try forEachMatch(among: candidates, body)
        }
        effort = QueryEffort()
        var scan = try LeafScan(table)
        while try scan.next() {
            rows.fill(true, rows: scan.rowCount)
            try root.narrow(&rows, in: scan)
            effort.leaves += 1
            effort.rows += scan.rowCount
            if rows.isEmpty { continue }
            effort.matchingLeaves += 1
            if try !body(rows, scan.leaf) { return }
        }
    }

    /// Those of some objects that match, ascending. Objects that do not exist do not match.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func matches(among keys: [ObjectKey]) throws -> [ObjectKey] {
        try root.prepare()
        var matches: [ObjectKey] = []
        try forEachMatch(among: keys) { rows, leaf in
            rows.forEachRow { matches.append(leaf.objectKey($0)) }
            return true
        }
        return matches
    }

    /// Those of some objects that match, in the order given, each as often as it is there.
    ///
    /// - Throws: `.damaged`, and what the condition's own tests throw.
    public func filter(_ keys: [ObjectKey]) throws -> [ObjectKey] {
        let matched = MatchedKeys(try matches(among: keys))
        return keys.filter { matched.contains($0.rawValue) }
    }

    // MARK: Candidates

    private func candidates() throws -> [ObjectKey]? {
        try root.candidates(atMost: table.count() / Self.shareOfCandidates)
    }

    /// Looks at single objects, those of a leaf together.
    private func forEachMatch(
        among keys: [ObjectKey], _ body: (borrowing RowMask, Node) throws -> Bool
    ) throws {
        effort = QueryEffort(candidates: keys.count)
        let keys = keys.sorted { $0.rawValue < $1.rawValue }
        var next = 0
        while next < keys.count {
            guard let location = try table.location(of: keys[next]) else {
                next += 1
                continue
            }
            let scan = LeafScan(table, at: location.leaf)
            rows.fill(false, rows: scan.rowCount)
            rows.insert(location.row)
            effort.leaves += 1
            effort.rows += 1
            next += 1
            while next < keys.count, let row = Table.row(of: keys[next], in: location.leaf) {
                rows.insert(row)
                effort.rows += 1
                next += 1
            }
            try root.narrow(&rows, in: scan)
            if rows.isEmpty { continue }
            effort.matchingLeaves += 1
            if try !body(rows, location.leaf) { return }
        }
    }

    // MARK: Telling

    /// How the plan finds its objects: a line for each part, parts of parts indented, the one that
    /// is asked first on top.
    public func explain() -> String {
        (["objects of \(table.stored.name)"] + QueryNode.indented([root]))
            .joined(separator: "\n")
    }
}

/// What a plan looked at to find its objects.
public struct QueryEffort: Sendable, Hashable {
    /// How many objects an index, backlinks or the caller named; nil if all were looked at.
    public var candidates: Int?
    /// The leaves that were visited.
    public var leaves = 0
    /// Those of them in which an object matched.
    public var matchingLeaves = 0
    /// The objects that the condition was asked for.
    public var rows = 0
}

extension QueryNode {
    static func compile(_ condition: QueryCondition, _ table: Table) throws -> QueryNode {
        switch condition {
        case .constant(let value): return ConstantNode(value)
        case .not(let part): return NotNode(try compile(part, table))
        case .and(let parts): return AndNode(try parts.map { try compile($0, table) })
        case .or(let parts): return OrNode(try parts.map { try compile($0, table) })
        case .value(let column, let test): return try compile(test, column, table)
        case .link(let column, let part):
            return LinkNode(table, column, try QueryPlan(table.target(ofLinks: column), part))
        case .referrer(let number, let column, let part):
            let origin = try table.connection.existingTable(number: number)
            return ReferrerNode(table, try QueryPlan(origin, part), column)
        case .keys(let keys): return KeysNode(keys)
        case .values(let expression, let name, let test):
            return try ExpressionNode(table, expression, name, test)
        case .pairs(let left, let right, let name, let test):
            return try PairNode(table, left, right, name, test)
        case .object(let name, let test): return ObjectNode(name, test)
        }
    }

    /// More values than this are searched for row by row, in a sorted array.
    private static let manyValues = 16

    private static func compile(
        _ test: ValueTest, _ column: Int, _ table: Table
    ) throws -> QueryNode {
        precondition(column >= 0 && column < table.propertyCount, "column out of range")
        let definition = table.definition.columns[column]
        guard definition.collection == .none else {
            throw table.pager.invalidArgument(
                "Column '\(table.queryName(of: column))' is a collection, which is not compared.")
        }
        if case .isIn(let values) = test, values.count <= Self.manyValues {
            return OrNode(
                try values.map { try compile(.compare(.equal, $0), column, table) })
        }
        if definition.type.isCompared, !test.isOrderOfBytes(definition.type),
            let predicate = try test.withColumnTest({ try table.predicate(column, $0) })
        {
            return ColumnNode(table, column, test, predicate)
        }
        return ValueNode(table, column, test)
    }
}

extension ValueTest {
    /// Kernels compare bytes for equality only.
    fileprivate func isOrderOfBytes(_ type: ValueType) -> Bool {
        guard type.columnKind == .bytes || type.columnKind == .fixed16 else { return false }
        switch self {
        case .compare(.equal, _), .compare(.notEqual, _), .hasPrefix, .hasSuffix, .contains:
            return false
        case .compare, .range, .isIn, .satisfies: return true
        }
    }
}

extension Table {
    /// The table that the links of a column lead to.
    func target(ofLinks column: Int) throws -> Table {
        precondition(column >= 0 && column < propertyCount, "column out of range")
        guard let name = definition.columns[column].linkTarget,
            let target = try connection.table(named: name)
        else {
            throw pager.invalidArgument(
                "Column '\(queryName(of: column))' does not lead to objects of one table.")
        }
        return target
    }
}
