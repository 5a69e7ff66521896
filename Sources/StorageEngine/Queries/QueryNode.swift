/// A part of a compiled condition: takes out of a set of rows those that do not match.
///
/// One object a part, made with its plan and used by the connection's thread.
class QueryNode {
    /// Estimated time for a leaf whose rows are all asked for, in the time that comparing a packed
    /// column takes. Cheap parts are asked first.
    var cost: Int { preconditionFailure("overridden") }

    /// Candidates are looked at one by one if they are at most this part of the table.
    var shareOfCandidates: Int { QueryPlan.shareOfCandidates }

    /// Called before each run, because answers of other tables depend on the version.
    func prepare() throws {}

    /// Keeps those of `rows` that match.
    func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws {
        preconditionFailure("overridden")
    }

    /// Whether all rows of a leaf match, or none does, as far as the leaf's directory tells; nil
    /// where values decide. For measuring: ``narrow(_:in:)`` heeds directories by itself.
    func verdict(in scan: borrowing LeafScan) throws -> Bool? { nil }

    /// Keys among which all matches are, if they can be told without a scan and are at most
    /// `limit`; in any order. Called after ``prepare()``.
    func candidates(atMost limit: Int) throws -> [ObjectKey]? { nil }

    /// Whether ``candidates(atMost:)``, if it names any, names matches only, so that nothing is left to
    /// ask. One may be named several times.
    var namesMatchesOnly: Bool { false }

    /// Where matches begin in the order of a column of the plan's table; nil if that is not known.
    func start(inOrderOf column: Int) -> QueryStart? { nil }

    /// How many objects match, if the primary key's map tells without looking at objects.
    func countByPrimaryKey() throws -> Int? { nil }

    /// Whether an object matches for ever as long as its leaf, and what that refers to, stay as they
    /// are: nothing is asked but the object's key and its own properties.
    var asksOwnRowOnly: Bool { false }

    /// One line, and one indented line for each part below.
    func explain() -> [String] { preconditionFailure("overridden") }
}

/// A value of a column before which nothing matches, null included.
struct QueryStart {
    var value: OwnedScalar
    /// Whether everything from the value on matches.
    var isWholeCondition: Bool
}

extension QueryNode {
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

    override func prepare() throws { for part in parts { try part.prepare() } }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws {
        for part in parts {
            if rows.isEmpty { return }
            try part.narrow(&rows, in: scan)
        }
    }

    override func verdict(in scan: borrowing LeafScan) throws -> Bool? {
        var areAllTrue = true
        for part in parts {
            let verdict = try part.verdict(in: scan)
            if verdict == false { return false }
            if verdict == nil { areAllTrue = false }
        }
        return areAllTrue ? true : nil
    }

    /// Those of the part that has the fewest.
    override func candidates(atMost limit: Int) throws -> [ObjectKey]? {
        var best: [ObjectKey]?
        for part in parts {
            if let keys = try part.candidates(atMost: best?.count ?? limit) { best = keys }
        }
        return best
    }

    /// That of the first part which knows one.
    override func start(inOrderOf column: Int) -> QueryStart? {
        for part in parts {
            guard var start = part.start(inOrderOf: column) else { continue }
            start.isWholeCondition = false
            return start
        }
        return nil
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

    override func prepare() throws { for part in parts { try part.prepare() } }

    /// Each part is asked only for the rows that none before it has matched.
    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws {
        rest.assign(rows)
        for part in parts {
            if rest.isEmpty { break }
            matches.assign(rest)
            try part.narrow(&matches, in: scan)
            rest.subtract(matches)
        }
        rows.subtract(rest)
    }

    override func verdict(in scan: borrowing LeafScan) throws -> Bool? {
        var areAllFalse = true
        for part in parts {
            let verdict = try part.verdict(in: scan)
            if verdict == true { return true }
            if verdict == nil { areAllFalse = false }
        }
        return areAllFalse ? false : nil
    }

    override func candidates(atMost limit: Int) throws -> [ObjectKey]? {
        var all: [ObjectKey] = []
        for part in parts {
            guard let keys = try part.candidates(atMost: limit - all.count) else { return nil }
            all += keys
        }
        return all
    }

    override var namesMatchesOnly: Bool { parts.allSatisfy(\.namesMatchesOnly) }

    override func explain() -> [String] { ["any of"] + Self.indented(parts) }
}

final class NotNode: QueryNode {
    private let part: QueryNode
    private var matches = RowMask()

    init(_ part: QueryNode) { self.part = part }

    override var cost: Int { part.cost }

    override var asksOwnRowOnly: Bool { part.asksOwnRowOnly }

    override func prepare() throws { try part.prepare() }

    override func narrow(_ rows: inout RowMask, in scan: borrowing LeafScan) throws {
        matches.assign(rows)
        try part.narrow(&matches, in: scan)
        rows.subtract(matches)
    }

    override func verdict(in scan: borrowing LeafScan) throws -> Bool? {
        try part.verdict(in: scan).map { !$0 }
    }

    override func explain() -> [String] { ["none of"] + Self.indented([part]) }
}
