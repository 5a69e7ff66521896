/// A node of a compiled condition, which removes rows that do not match from a set.
///
/// Each node is one object, made with its plan and used by the connection's thread.
class QueryNode {
    /// The estimated time for testing all rows of a leaf. The unit is the time for comparing a
    /// packed column. Cheap nodes are evaluated first.
    var cost: Int { preconditionFailure("overridden") }

    /// Candidates are tested one by one if they are at most this fraction (1/n) of the table.
    var shareOfCandidates: Int { QueryPlan.shareOfCandidates }

    /// Called before each run, because results from other tables depend on the version.
    func prepare() throws(StorageError) {}

    /// Called instead of ``prepare()`` before a run that tests few objects: what they lead to is
    /// then tested for each of them, instead of finding all objects of other tables that match.
    func prepareForFew() throws(StorageError) {}

    /// Removes the rows that do not match from `rows`.
    func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        preconditionFailure("overridden")
    }

    /// Whether all rows of a leaf match (true) or none does (false), as far as the leaf's directory
    /// tells; nil if the values decide. Only for measuring, because ``narrow(_:in:)`` uses
    /// directories by itself.
    func verdict(in scan: borrowing LeafScan) throws(StorageError) -> Bool? { nil }

    /// Keys that include all matches, in any order; nil unless they can be found without a scan and
    /// are at most `limit`. Called after ``prepare()``.
    func candidates(atMost limit: Int) throws(StorageError) -> [ObjectKey]? { nil }

    /// Whether ``candidates(atMost:)``, unless nil, contains only matches, so that nothing has to
    /// be tested. A key may occur several times.
    var namesMatchesOnly: Bool { false }

    /// Where matches begin in the order of a column of the plan's table; nil if that is not known.
    func start(inOrderOf column: Int) -> QueryStart? { nil }

    /// The number of objects that match, if the primary key's map gives it without reading objects.
    func countByPrimaryKey() throws(StorageError) -> Int? { nil }

    /// Whether the condition depends only on an object's key and its own properties, so that its
    /// result is the same as long as the object's leaf, and what that refers to, are unchanged.
    var asksOwnRowOnly: Bool { false }

    /// Appends the condition in the form for two threads, and returns true. Returns false, with
    /// some of it appended, if it is more than tests of the object's own columns by kernels: other
    /// tests read further pages, other objects, or what the program does.
    func append(to condition: inout LeafCondition) -> Bool { false }

    /// One line for the node, followed by an indented line for each node below.
    func explain() -> [String] { preconditionFailure("overridden") }
}

/// A value of a column before which nothing matches, not even null.
struct QueryStart {
    var value: OwnedScalar
    /// Whether everything from the value on matches.
    var isWholeCondition: Bool
}

extension QueryNode {
    /// Appends an "and" or "or" of conditions. The first one is evaluated in every leaf, so it must
    /// be there.
    static func append(_ parts: [QueryNode], isAny: Bool, to condition: inout LeafCondition) -> Bool
    {
        if parts.isEmpty { return false }
        let first = condition.begin()
        for part in parts where !part.append(to: &condition) { return false }
        condition.end(first, isAny: isAny)
        return true
    }

    static func indented(_ nodes: [QueryNode]) -> [String] {
        nodes.flatMap { $0.explain() }.map { "  " + $0 }
    }
}

// MARK: - Logic

final class ConstantNode: QueryNode {
    let value: Bool

    init(_ value: Bool) { self.value = value }

    override var cost: Int { 0 }

    override var asksOwnRowOnly: Bool { true }

    override func verdict(in scan: borrowing LeafScan) -> Bool? { value }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) {
        if !value { rows.fill(false, rows: scan.rowCount) }
    }

    override func candidates(atMost limit: Int) -> [ObjectKey]? { value ? nil : [] }

    override func explain() -> [String] { [value ? "all" : "none"] }
}

final class AndNode: QueryNode {
    private let parts: [QueryNode]

    init(_ parts: [QueryNode]) { self.parts = parts.sorted { $0.cost < $1.cost } }

    override var cost: Int { parts.reduce(0) { $0 + $1.cost } }

    override var asksOwnRowOnly: Bool { parts.allSatisfy(\.asksOwnRowOnly) }

    override func prepare() throws(StorageError) { for part in parts { try part.prepare() } }
    override func prepareForFew() throws(StorageError) {
        for part in parts { try part.prepareForFew() }
    }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        for part in parts {
            if rows.isEmpty { return }
            try part.narrow(&rows, in: scan)
        }
    }

    override func verdict(in scan: borrowing LeafScan) throws(StorageError) -> Bool? {
        var areAllTrue = true
        for part in parts {
            let verdict = try part.verdict(in: scan)
            if verdict == false { return false }
            if verdict == nil { areAllTrue = false }
        }
        return areAllTrue ? true : nil
    }

    /// The candidates of the part that has the fewest.
    override func candidates(atMost limit: Int) throws(StorageError) -> [ObjectKey]? {
        var best: [ObjectKey]?
        for part in parts {
            if let keys = try part.candidates(atMost: best?.count ?? limit) { best = keys }
        }
        return best
    }

    /// The start of the first part that has one.
    override func start(inOrderOf column: Int) -> QueryStart? {
        for part in parts {
            guard var start = part.start(inOrderOf: column) else { continue }
            start.isWholeCondition = false
            return start
        }
        return nil
    }

    override func append(to condition: inout LeafCondition) -> Bool {
        Self.append(parts, isAny: false, to: &condition)
    }

    override func explain() -> [String] { ["all of"] + Self.indented(parts) }
}

final class OrNode: QueryNode {
    private let parts: [QueryNode]
    private var rest = RowMask()
    private var matches = RowMask()

    init(_ parts: [QueryNode]) { self.parts = parts.sorted { $0.cost < $1.cost } }

    override var cost: Int { parts.reduce(0) { $0 + $1.cost } }

    override var asksOwnRowOnly: Bool { parts.allSatisfy(\.asksOwnRowOnly) }

    override func prepare() throws(StorageError) { for part in parts { try part.prepare() } }
    override func prepareForFew() throws(StorageError) {
        for part in parts { try part.prepareForFew() }
    }

    /// Each part is evaluated only for rows that no part before it has matched.
    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        rest.assign(rows)
        for part in parts {
            if rest.isEmpty { break }
            matches.assign(rest)
            try part.narrow(&matches, in: scan)
            rest.subtract(matches)
        }
        rows.subtract(rest)
    }

    override func verdict(in scan: borrowing LeafScan) throws(StorageError) -> Bool? {
        var areAllFalse = true
        for part in parts {
            let verdict = try part.verdict(in: scan)
            if verdict == true { return true }
            if verdict == nil { areAllFalse = false }
        }
        return areAllFalse ? false : nil
    }

    override func candidates(atMost limit: Int) throws(StorageError) -> [ObjectKey]? {
        var all: [ObjectKey] = []
        for part in parts {
            guard let keys = try part.candidates(atMost: limit - all.count) else { return nil }
            all += keys
        }
        return all
    }

    override var namesMatchesOnly: Bool { parts.allSatisfy(\.namesMatchesOnly) }

    override func append(to condition: inout LeafCondition) -> Bool {
        Self.append(parts, isAny: true, to: &condition)
    }

    override func explain() -> [String] { ["any of"] + Self.indented(parts) }
}

final class NotNode: QueryNode {
    private let part: QueryNode
    private var matches = RowMask()

    init(_ part: QueryNode) { self.part = part }

    override var cost: Int { part.cost }

    override var asksOwnRowOnly: Bool { part.asksOwnRowOnly }

    override func prepare() throws(StorageError) { try part.prepare() }
    override func prepareForFew() throws(StorageError) { try part.prepareForFew() }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws(StorageError) {
        matches.assign(rows)
        try part.narrow(&matches, in: scan)
        rows.subtract(matches)
    }

    override func verdict(in scan: borrowing LeafScan) throws(StorageError) -> Bool? {
        try part.verdict(in: scan).map { !$0 }
    }

    override func append(to condition: inout LeafCondition) -> Bool {
        condition.appendNot()
        return part.append(to: &condition)
    }

    override func explain() -> [String] { ["none of"] + Self.indented([part]) }
}
